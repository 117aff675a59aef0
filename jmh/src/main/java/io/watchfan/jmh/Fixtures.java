package io.watchfan.jmh;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectableFields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Pods as a cluster has them: small and large ones, with 1 to 50 labels. The same number gives the same pod. */
public final class Fixtures {
    /** The selectable fields of pods. */
    public static final SelectableFields POD_FIELDS = SelectableFields.forBuiltIn("", "v1", "Pod");

    /** How many namespaces the pods are spread over. */
    public static final int NAMESPACES = 100;

    private static final int NODE = POD_FIELDS.indexOf("spec.nodeName");

    private Fixtures() {}

    /** What the JSON of a pod holds. */
    public enum Size {
        /** One container and hardly any status: about 1 KiB without labels. */
        SMALL,
        /** Five containers with environments, full status and managed fields: about 12 KiB without labels. */
        LARGE
    }

    /** So many pods in key order, the first at version {@code firstVersion}. */
    public static List<StoredObject> pods(int count, Size size, int labels, long firstVersion) {
        List<StoredObject> pods = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            pods.add(pod(i, size, labels, firstVersion + i));
        }
        pods.sort((a, b) -> a.key().compareTo(b.key()));
        return pods;
    }

    /**
     * One pod. It is on node {@code node-NUMBER}, has the label {@code app=app-NUMBER}, and is in namespace
     * {@code ns-NUMBER} modulo {@link #NAMESPACES}.
     *
     * @param labels how many labels it has; 1 or more
     */
    public static StoredObject pod(int number, Size size, int labels, long version) {
        return pod(new ObjectKey("ns-" + number % NAMESPACES, "pod-" + number), number, size, labels, version);
    }

    /** The pod of this number under another key. */
    public static StoredObject pod(ObjectKey key, int number, Size size, int labels, long version) {
        Labels all = labels(number, labels);
        String digits = Long.toString(version);
        StringBuilder json = new StringBuilder(2000);
        json.append("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"")
                .append(key.name())
                .append("\",\"namespace\":\"")
                .append(key.namespace())
                .append("\",\"uid\":\"")
                .append(uid(number))
                .append("\",\"resourceVersion\":\"");
        int versionOffset = json.length();
        json.append(digits).append("\",\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":{");
        for (int i = 0; i < all.size(); i++) {
            json.append(i == 0 ? "\"" : ",\"")
                    .append(all.key(i))
                    .append("\":\"")
                    .append(all.value(i))
                    .append('"');
        }
        json.append('}');
        if (size == Size.LARGE) {
            appendManagedFields(json);
        }
        int metadataOffset = json.indexOf("{", 1);
        int metadataLength = json.length() + 1 - metadataOffset;
        json.append("},\"spec\":{\"nodeName\":\"node-").append(number).append("\",\"containers\":[");
        for (int i = 0; i < (size == Size.LARGE ? 5 : 1); i++) {
            json.append(i == 0 ? "" : ",");
            appendContainer(json, i, size == Size.LARGE ? 12 : 1);
        }
        json.append("],\"restartPolicy\":\"Always\",\"schedulerName\":\"default-scheduler\",")
                .append(
                        "\"serviceAccountName\":\"default\",\"tolerations\":[{\"key\":\"node.kubernetes.io/not-ready\",")
                .append("\"operator\":\"Exists\",\"effect\":\"NoExecute\",\"tolerationSeconds\":300}]},")
                .append(
                        "\"status\":{\"phase\":\"Running\",\"podIP\":\"10.0.0.1\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}]}}");
        String[] fields = POD_FIELDS.finish(new String[POD_FIELDS.paths().size()]);
        fields[NODE] = "node-" + number;
        return new StoredObject(
                key,
                uid(number),
                version,
                all,
                fields,
                json.toString().getBytes(StandardCharsets.UTF_8),
                versionOffset,
                digits.length(),
                metadataOffset,
                metadataLength);
    }

    /** The line of a watch that says that {@code pod} was modified. */
    public static byte[] modifiedLine(StoredObject pod) {
        String object = new String(pod.bytes(), StandardCharsets.UTF_8);
        return ("{\"type\":\"MODIFIED\",\"object\":" + object + "}\n").getBytes(StandardCharsets.UTF_8);
    }

    private static Labels labels(int number, int count) {
        TreeMap<String, String> labels = new TreeMap<>();
        labels.put("app", "app-" + number);
        for (int i = 1; i < count; i++) {
            labels.put("example.com/label-" + i, "value-" + i);
        }
        return Labels.copyOf(labels);
    }

    private static String uid(int number) {
        return String.format("%08x-4c6e-4a0b-9d3e-2f1a5b7c8d90", number);
    }

    private static void appendContainer(StringBuilder json, int number, int variables) {
        json.append("{\"name\":\"container-")
                .append(number)
                .append("\",\"image\":\"registry.example.com/team/app:1.2.3\"");
        json.append(",\"env\":[");
        for (int i = 0; i < variables; i++) {
            json.append(i == 0 ? "" : ",")
                    .append("{\"name\":\"VARIABLE_")
                    .append(i)
                    .append("\",\"value\":\"some value of a usual length\"}");
        }
        json.append("],\"resources\":{\"limits\":{\"cpu\":\"1\",\"memory\":\"1Gi\"},\"requests\":{\"cpu\":\"100m\"}},")
                .append("\"volumeMounts\":[{\"name\":\"token\",\"readOnly\":true,")
                .append("\"mountPath\":\"/var/run/secrets/kubernetes.io/serviceaccount\"}],")
                .append("\"imagePullPolicy\":\"IfNotPresent\"}");
    }

    private static void appendManagedFields(StringBuilder json) {
        json.append(",\"managedFields\":[");
        for (int manager = 0; manager < 3; manager++) {
            json.append(manager == 0 ? "" : ",")
                    .append("{\"manager\":\"manager-")
                    .append(manager)
                    .append(
                            "\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{");
            for (int i = 0; i < 60; i++) {
                json.append(i == 0 ? "" : ",")
                        .append("\"f:some-field-")
                        .append(i)
                        .append("\":{\"f:nested\":{}}");
            }
            json.append("}}");
        }
        json.append(']');
    }
}
