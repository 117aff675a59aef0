package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Makes objects that look like those of a real cluster; a pod is about 2 kB. Deterministic by the random it is given.
 * Confined to one thread.
 */
final class PodFactory {
    static final int APPS = 20;
    private static final List<String> TIERS = List.of("frontend", "backend", "cache", "batch");
    private static final List<String> ZONES = List.of("zone-a", "zone-b", "zone-c");
    private static final String STAMP = "2026-01-01T00:00:00Z";

    private final SplittableRandom random;
    private final int namespaces;
    private final int nodes;

    PodFactory(SplittableRandom random, int namespaces, int nodes) {
        this.random = random;
        this.namespaces = namespaces;
        this.nodes = nodes;
    }

    static String namespaceName(int index) {
        return "team-" + index;
    }

    static String nodeName(int index) {
        return "node-" + index;
    }

    static String appName(int index) {
        return "app-" + index;
    }

    private String uid() {
        return String.format(
                Locale.ROOT,
                "%08x-%04x-4%03x-a%03x-%012x",
                random.nextInt(),
                random.nextInt(1 << 16),
                random.nextInt(1 << 12),
                random.nextInt(1 << 12),
                random.nextLong() & 0xffff_ffff_ffffL);
    }

    /** A pod that no node has been chosen for. */
    ObjectNode pendingPod(int number) {
        String app = appName(random.nextInt(APPS));
        String hash = Integer.toHexString(random.nextInt() | 0x1000_0000);
        String owner = app + "-" + hash;
        String name = owner + "-" + Integer.toString(number, 36);
        String text = POD.replace("$NAMESPACE", namespaceName(random.nextInt(namespaces)))
                .replace("$NAME", name)
                .replace("$OWNER", owner)
                .replace("$UID2", uid())
                .replace("$UID", uid())
                .replace("$APP", app)
                .replace("$TIER", pick(TIERS))
                .replace("$ZONE", pick(ZONES))
                .replace("$HASH", hash)
                .replace("$STAMP", STAMP);
        return ObjectJson.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A pod that runs on some node. */
    ObjectNode runningPod(int number) {
        ObjectNode pod = pendingPod(number);
        run(pod);
        return pod;
    }

    /** Chooses a node for a pod and lets it run there. */
    void run(ObjectNode pod) {
        int node = random.nextInt(nodes);
        ((ObjectNode) pod.get("spec")).put("nodeName", nodeName(node));
        ObjectNode status = (ObjectNode) pod.get("status");
        status.put("phase", "Running");
        status.put("hostIP", "10.1." + node / 250 + "." + (node % 250 + 1));
        String podIp = "10.244." + random.nextInt(250) + "." + (random.nextInt(250) + 1);
        status.put("podIP", podIp);
        status.putArray("podIPs").addObject().put("ip", podIp);
        status.put("startTime", STAMP);
        ((ObjectNode) status.get("containerStatuses").get(0)).put("ready", true).put("started", true);
    }

    /** Changes something in a pod's status, as kubelets do. */
    void touch(ObjectNode pod) {
        ObjectNode container = (ObjectNode) pod.at("/status/containerStatuses").get(0);
        if (container == null) {
            ObjectJson.metadata(pod).withObject("/annotations").put("touched", Integer.toString(random.nextInt(1000)));
            return;
        }
        container.put("restartCount", container.path("restartCount").asInt() + 1);
        container.put("ready", random.nextBoolean());
    }

    /** Moves a pod to another app and tier by its labels. */
    void relabel(ObjectNode pod) {
        ObjectNode labels = ObjectJson.metadata(pod).withObject("/labels");
        labels.put("app", appName(random.nextInt(APPS)));
        labels.put("tier", pick(TIERS));
    }

    ObjectNode namespace(int index) {
        return ObjectJson.parse(NAMESPACE
                .replace("$NAME", namespaceName(index))
                .replace("$UID", uid())
                .replace("$STAMP", STAMP)
                .getBytes(StandardCharsets.UTF_8));
    }

    ObjectNode node(int index) {
        return ObjectJson.parse(NODE.replace("$NAME", nodeName(index))
                .replace("$UID", uid())
                .replace("$ZONE", ZONES.get(index % ZONES.size()))
                .replace("$IP", "10.1." + index / 250 + "." + (index % 250 + 1))
                .replace("$STAMP", STAMP)
                .getBytes(StandardCharsets.UTF_8));
    }

    ObjectNode configMap(int index) {
        return ObjectJson.parse(CONFIG_MAP
                .replace("$NAMESPACE", namespaceName(index))
                .replace("$UID", uid())
                .replace("$STAMP", STAMP)
                .getBytes(StandardCharsets.UTF_8));
    }

    ObjectNode widget(int index) {
        return ObjectJson.parse(WIDGET.replace("$NAMESPACE", namespaceName(index % namespaces))
                .replace("$NAME", "widget-" + index)
                .replace("$UID", uid())
                .replace("$STAMP", STAMP)
                .getBytes(StandardCharsets.UTF_8));
    }

    private String pick(List<String> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static final String POD = """
            {"metadata":{"name":"$NAME","generateName":"$OWNER-","namespace":"$NAMESPACE","uid":"$UID2","generation":1,
            "creationTimestamp":"$STAMP","labels":{"app":"$APP","pod-template-hash":"$HASH","tier":"$TIER","zone":"$ZONE"},
            "annotations":{},
            "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"$OWNER","uid":"$UID","controller":true,
            "blockOwnerDeletion":true}],"managedFields":[{"manager":"kube-controller-manager","operation":"Update",
            "apiVersion":"v1","time":"$STAMP","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:generateName":{},
            "f:labels":{".":{},"f:app":{},"f:pod-template-hash":{},"f:tier":{},"f:zone":{}}},"f:spec":{"f:containers":{
            "k:{\\"name\\":\\"main\\"}":{".":{},"f:image":{},"f:name":{},"f:resources":{}}}}}}]},
            "spec":{"containers":[{"name":"main","image":"registry.example/$APP:1.4.2","ports":[{"containerPort":8080,
            "protocol":"TCP"}],"resources":{"limits":{"memory":"256Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},
            "terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}],
            "restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",
            "serviceAccountName":"default","securityContext":{},"schedulerName":"default-scheduler","priority":0},
            "status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"True","lastProbeTime":null,
            "lastTransitionTime":"$STAMP"},{"type":"Ready","status":"True","lastProbeTime":null,
            "lastTransitionTime":"$STAMP"}],"containerStatuses":[{"name":"main","state":{"running":{"startedAt":"$STAMP"}},
            "lastState":{},"ready":false,"restartCount":0,"image":"registry.example/$APP:1.4.2","started":false}],
            "qosClass":"Burstable"}}
            """;

    private static final String NAMESPACE = """
            {"metadata":{"name":"$NAME","uid":"$UID","creationTimestamp":"$STAMP",
            "labels":{"kubernetes.io/metadata.name":"$NAME"}},"spec":{"finalizers":["kubernetes"]},
            "status":{"phase":"Active"}}
            """;

    private static final String NODE = """
            {"metadata":{"name":"$NAME","uid":"$UID","creationTimestamp":"$STAMP","labels":{
            "kubernetes.io/hostname":"$NAME","kubernetes.io/os":"linux","topology.kubernetes.io/zone":"$ZONE"}},
            "spec":{"podCIDR":"10.244.0.0/24"},"status":{"capacity":{"cpu":"16","memory":"65536Ki","pods":"250"},
            "allocatable":{"cpu":"16","memory":"65536Ki","pods":"250"},"conditions":[{"type":"Ready","status":"True",
            "lastHeartbeatTime":"$STAMP","lastTransitionTime":"$STAMP","reason":"KubeletReady",
            "message":"kubelet is posting ready status"}],"addresses":[{"type":"InternalIP","address":"$IP"},
            {"type":"Hostname","address":"$NAME"}],"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}},
            "nodeInfo":{"machineID":"","systemUUID":"","bootID":"","kernelVersion":"6.1.0","osImage":"Simulated",
            "containerRuntimeVersion":"none://1","kubeletVersion":"v1.37.0","kubeProxyVersion":"",
            "operatingSystem":"linux","architecture":"amd64"}}}
            """;

    private static final String CONFIG_MAP = """
            {"metadata":{"name":"settings","namespace":"$NAMESPACE","uid":"$UID","creationTimestamp":"$STAMP",
            "labels":{"app":"settings"}},"data":{"level":"info","retries":"3"}}
            """;

    private static final String WIDGET = """
            {"metadata":{"name":"$NAME","namespace":"$NAMESPACE","uid":"$UID","generation":1,
            "creationTimestamp":"$STAMP","labels":{"app":"widget"}},"spec":{"size":"medium","count":3}}
            """;
}
