"""The official Python client under test; see ../README.md."""

import json
import logging
import sys
import threading
import time

from kubernetes import client
from kubernetes.informer import ADDED, DELETED, MODIFIED, SharedInformer

LOCK = threading.Lock()
SYNC_SECONDS = 30


def tell(line):
    with LOCK:
        print(json.dumps(line), flush=True)


def value(config_map):
    return (config_map.data or {}).get("k")


def teller(event):
    def told(config_map):
        metadata = config_map.metadata
        tell({"event": event, "name": metadata.name, "version": metadata.resource_version, "value": value(config_map)})

    return told


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: main.py SERVER NAMESPACE")
    server, namespace = sys.argv[1:]
    logging.basicConfig(level=logging.WARNING)
    configuration = client.Configuration()
    configuration.host = server
    client.Configuration.set_default(configuration)
    informer = SharedInformer(client.CoreV1Api().list_namespaced_config_map, namespace=namespace)
    for event in (ADDED, MODIFIED, DELETED):
        informer.add_event_handler(event, teller(event))
    informer.start()
    # The library does not say when its first list is done, but by the version that it goes on from.
    deadline = time.monotonic() + SYNC_SECONDS
    while informer._resource_version is None:
        if time.monotonic() > deadline:
            sys.exit("not synced")
        time.sleep(0.05)
    tell({"synced": True})
    for command in sys.stdin:
        if command.strip() != "state":
            sys.exit(f"no such command: {command}")
        state = {}
        for config_map in informer.cache.list():
            state[config_map.metadata.name] = [config_map.metadata.resource_version, value(config_map)]
        tell({"state": state})


if __name__ == "__main__":
    main()
