package io.watchfan.k8s;

import java.util.List;
import java.util.Map;
import java.util.Random;

/** The resources whose objects are changed, listed and watched in the differential run. */
enum Subject {
    CONFIG_MAPS("/api/v1", "configmaps", "", true),
    PODS("/api/v1", "pods", "", true),
    LEASES("/apis/coordination.k8s.io/v1", "leases", ".coordination.k8s.io", true),
    EVENTS("/api/v1", "events", "", true),
    DEPLOYMENTS("/apis/apps/v1", "deployments", ".apps", true),
    NODES("/api/v1", "nodes", "", false),
    NAMESPACES("/api/v1", "namespaces", "", false),
    WIDGETS("/apis/diff.watchfan.io/v1", "widgets", ".diff.watchfan.io", true),
    GADGETS("/apis/diff.watchfan.io/v1", "gadgets", ".diff.watchfan.io", false);

    private static final List<String> COLORS = List.of("red", "blue", "", "a=b,c\\d", "<&>");

    private final String group;
    private final String plural;
    private final String suffix;
    private final boolean namespaced;

    Subject(String group, String plural, String suffix, boolean namespaced) {
        this.group = group;
        this.plural = plural;
        this.suffix = suffix;
        this.namespaced = namespaced;
    }

    String group() {
        return group;
    }

    String plural() {
        return plural;
    }

    /** As flags and definitions name it. */
    String fullName() {
        return plural + suffix;
    }

    boolean namespaced() {
        return namespaced;
    }

    /** Whether it is there by a definition only. */
    boolean custom() {
        return this == WIDGETS || this == GADGETS;
    }

    /** Where all objects are. */
    String everywhere() {
        return group + "/" + plural;
    }

    /** Where the objects of a namespace are, or all if there are no namespaces. */
    String in(String namespace) {
        return namespaced ? group + "/namespaces/" + namespace + "/" + plural : everywhere();
    }

    /** A new object, with this metadata. */
    String object(String metadata, Random random) {
        String rest = switch (this) {
            case CONFIG_MAPS -> ",\"data\":{\"k\":" + text(random) + "}";
            case PODS ->
                ",\"spec\":{" + (random.nextBoolean() ? "\"nodeName\":\"node-" + random.nextInt(2) + "\"," : "")
                        + "\"restartPolicy\":\"" + (random.nextBoolean() ? "Never" : "Always")
                        + "\",\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"args\":[" + text(random)
                        + "]}]}";
            case LEASES -> ",\"spec\":{\"holderIdentity\":\"h\",\"leaseDurationSeconds\":10}";
            case EVENTS ->
                ",\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"NAMESPACE\",\"name\":\"p"
                        + random.nextInt(3) + "\"},\"reason\":\"" + (random.nextBoolean() ? "Up" : "Down")
                        + "\",\"type\":\"Normal\",\"source\":{\"component\":\"c\"}";
            case DEPLOYMENTS ->
                ",\"spec\":{\"replicas\":" + random.nextInt(3)
                        + ",\"selector\":{\"matchLabels\":{\"x\":\"y\"}},\"template\":{\"metadata\":{\"labels\":"
                        + "{\"x\":\"y\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}";
            case NODES -> ",\"spec\":{\"unschedulable\":" + random.nextBoolean() + "}";
            case NAMESPACES -> "";
            case WIDGETS, GADGETS -> "," + spec(random);
        };
        String head = custom()
                ? "\"apiVersion\":\"diff.watchfan.io/v1\",\"kind\":\"" + (this == WIDGETS ? "Widget" : "Gadget") + "\","
                : "";
        return "{" + head + "\"metadata\":" + metadata + rest + "}";
    }

    /** A merge patch of what is this resource's own. */
    String patch(Random random) {
        return switch (this) {
            case CONFIG_MAPS -> "{\"data\":{\"k\":" + text(random) + "}}";
            case PODS ->
                "{\"status\":{\"phase\":\""
                        + List.of("Pending", "Running", "Failed").get(random.nextInt(3))
                        + "\",\"podIP\":\"10.1.0.1\",\"podIPs\":[{\"ip\":\"10.1.0.1\"}]}}";
            case LEASES -> "{\"spec\":{\"holderIdentity\":" + text(random) + "}}";
            case EVENTS ->
                "{\"message\":" + text(random) + ",\"type\":\"" + (random.nextBoolean() ? "Normal" : "Warning") + "\"}";
            case DEPLOYMENTS -> "{\"spec\":{\"replicas\":" + random.nextInt(5) + "}}";
            case NODES -> "{\"spec\":{\"unschedulable\":" + random.nextBoolean() + "}}";
            case NAMESPACES -> "{\"metadata\":{\"annotations\":{\"n\":" + text(random) + "}}}";
            case WIDGETS, GADGETS -> "{" + spec(random) + "}";
        };
    }

    /** What follows an object's path for {@link #patch}. */
    String patched() {
        return this == PODS ? "/status" : "";
    }

    private static String spec(Random random) {
        return "\"spec\":{\"color\":" + Json.quote(COLORS.get(random.nextInt(COLORS.size()))) + ",\"count\":"
                + random.nextInt(3) + ",\"on\":" + random.nextBoolean() + "}";
    }

    private static String text(Random random) {
        return List.of("\"<a href='?x&y'>\"", "\"\\u00e4\\u4e16\\ud83d\\ude00 \\u2028 \\\\ \\\" \\t\"", "\"\"", "\"v\"")
                .get(random.nextInt(4))
                .replaceFirst("\"$", random.nextInt(1000) + "\"");
    }

    /** The fields to select by, and values of each. */
    Map<String, List<String>> fields() {
        return switch (this) {
            case PODS ->
                Map.of(
                        "spec.nodeName", List.of("node-0", "node-1", ""),
                        "spec.host", List.of("node-0"),
                        "spec.restartPolicy", List.of("Never", "Always"),
                        "spec.hostNetwork", List.of("false", "true"),
                        "status.phase", List.of("Pending", "Running", "Failed", ""),
                        "status.podIP", List.of("10.1.0.1", ""),
                        "status.podIPs", List.of("10.1.0.1", ""),
                        "status.nominatedNodeName", List.of(""));
            case EVENTS ->
                Map.of(
                        "reason", List.of("Up", "Down"),
                        "type", List.of("Normal", "Warning"),
                        "source", List.of("c", ""),
                        "reportingComponent", List.of("", "c"),
                        "involvedObject.kind", List.of("Pod", "Node"),
                        "involvedObject.name", List.of("p0", "p1"));
            case NODES -> Map.of("spec.unschedulable", List.of("true", "false"));
            case NAMESPACES -> Map.of("status.phase", List.of("Active", "Terminating"));
            case WIDGETS, GADGETS ->
                Map.of(
                        "spec.color", COLORS,
                        "spec.count", List.of("0", "1", "01", ""),
                        "spec.on", List.of("true", "false"));
            default -> Map.of();
        };
    }
}
