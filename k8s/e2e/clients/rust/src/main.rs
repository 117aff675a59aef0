//! kube-rs under test; see ../README.md.

use std::collections::BTreeMap;
use std::fmt::Debug;

use futures::{Stream, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::PartialObjectMeta;
use kube::runtime::reflector::{self, Lookup, store::Store, store::Writer};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Client, Config, ResourceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

type Failure = Box<dyn std::error::Error>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [server, namespace, variant] = arguments.as_slice() else {
        eprintln!("usage: kube-rs-client SERVER NAMESPACE list|streaming|metadata");
        std::process::exit(2);
    };
    let client = Client::try_from(Config::new(server.parse()?))?;
    let listing = watcher::Config::default();
    let streaming = watcher::Config::default().streaming_lists();
    let config_maps: Api<ConfigMap> = Api::namespaced(client.clone(), namespace);
    let metadata: Api<PartialObjectMeta<ConfigMap>> = Api::namespaced(client, namespace);
    match variant.as_str() {
        "list" => serve(watcher(config_maps, listing), data).await,
        "streaming" => serve(watcher(config_maps, streaming), data).await,
        "metadata" => serve(watcher(metadata, listing), annotation).await,
        other => {
            eprintln!("no such variant: {other}");
            std::process::exit(2);
        }
    }
}

fn data(object: &ConfigMap) -> Value {
    json!(object.data.as_ref().and_then(|data| data.get("k")))
}

fn annotation(object: &PartialObjectMeta<ConfigMap>) -> Value {
    json!(object.annotations().get("k"))
}

/// Tells what the watcher tells, and, when asked, what its store holds.
async fn serve<K>(
    events: impl Stream<Item = watcher::Result<watcher::Event<K>>>,
    value: fn(&K) -> Value,
) -> Result<(), Failure>
where
    K: ResourceExt + Lookup + Clone + Debug + Send + Sync + 'static,
    <K as Lookup>::DynamicType: Default + Eq + std::hash::Hash + Clone,
{
    let writer = Writer::default();
    let store = writer.as_reader();
    let reflected = reflector::reflector(writer, events.default_backoff());
    let mut reflected = std::pin::pin!(reflected.inspect_err(|error| eprintln!("{error}")));
    let mut commands = BufReader::new(tokio::io::stdin()).lines();
    let mut synced = false;
    loop {
        tokio::select! {
            event = reflected.next() => match event {
                Some(Ok(event)) => {
                    tell(&event, value);
                    if matches!(event, watcher::Event::InitDone) && !synced {
                        synced = true;
                        println!("{}", json!({"synced": true}));
                    }
                }
                Some(Err(_)) => {} // the next poll goes on after a backoff
                None => return Err("the watcher ended".into()),
            },
            command = commands.next_line() => match command?.as_deref() {
                Some("state") => println!("{}", json!({"state": state(&store, value)})),
                Some(other) => return Err(format!("no such command: {other}").into()),
                None => return Ok(()),
            },
        }
    }
}

/// kube-rs does not tell what is added from what is modified.
fn tell<K: ResourceExt>(event: &watcher::Event<K>, value: fn(&K) -> Value) {
    let (kind, object) = match event {
        watcher::Event::Apply(object) | watcher::Event::InitApply(object) => ("APPLIED", object),
        watcher::Event::Delete(object) => ("DELETED", object),
        watcher::Event::Init | watcher::Event::InitDone => return,
    };
    let version = object.resource_version();
    let told = json!({"event": kind, "name": object.name_any(), "version": version, "value": value(object)});
    println!("{told}");
}

fn state<K>(store: &Store<K>, value: fn(&K) -> Value) -> BTreeMap<String, Value>
where
    K: ResourceExt + Lookup + Clone + 'static,
    <K as Lookup>::DynamicType: Eq + std::hash::Hash + Clone,
{
    let objects = store.state().into_iter();
    objects
        .map(|object| {
            let version = ResourceExt::resource_version(&*object);
            (object.name_any(), json!([version, value(&object)]))
        })
        .collect()
}
