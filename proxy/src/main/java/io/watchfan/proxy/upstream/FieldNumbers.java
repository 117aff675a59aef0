package io.watchfan.proxy.upstream;

import io.watchfan.fanout.selector.SelectableFields;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where in messages of a kind the values of its selectable fields stand: a tree by the numbers of the fields, which never
 * change within a kind, and are equal in all its versions. Immutable, once built.
 */
final class FieldNumbers {
    /** Marks a field whose number stands for a boolean. */
    private static final int FLAG = -1;

    /** By group and kind, then by path; the numbers of the fields to follow. */
    private static final Map<String, Map<String, int[]>> TABLE = Map.ofEntries(
            Map.entry(
                    "/Pod",
                    Map.of(
                            "spec.nodeName", at(2, 10),
                            "spec.restartPolicy", at(2, 3),
                            "spec.schedulerName", at(2, 19),
                            "spec.serviceAccountName", at(2, 8),
                            "spec.hostNetwork", at(2, 11, FLAG),
                            "status.phase", at(3, 1),
                            "status.podIPs.[0].ip", at(3, 12, 1),
                            "status.nominatedNodeName", at(3, 11))),
            Map.entry("/Node", Map.of("spec.unschedulable", at(2, 4, FLAG))),
            Map.entry("/ReplicationController", Map.of("status.replicas", at(3, 1))),
            Map.entry(
                    "/Event",
                    reference(
                            "involvedObject",
                            2,
                            Map.of(
                                    "reason", at(3),
                                    "source.component", at(5, 1),
                                    "type", at(9),
                                    "reportingComponent", at(14)))),
            Map.entry(
                    "events.k8s.io/Event",
                    reference("regarding", 8, Map.of("reason", at(7), "reportingController", at(4), "type", at(11)))),
            Map.entry("/Namespace", Map.of("status.phase", at(3, 1))),
            Map.entry("/Secret", Map.of("type", at(3))),
            Map.entry("/Service", Map.of("spec.clusterIP", at(2, 3), "spec.type", at(2, 4))),
            Map.entry("batch/Job", Map.of("status.succeeded", at(3, 5))),
            Map.entry("certificates.k8s.io/CertificateSigningRequest", Map.of("spec.signerName", at(2, 7))),
            Map.entry("certificates.k8s.io/ClusterTrustBundle", Map.of("spec.signerName", at(2, 1))),
            Map.entry(
                    "certificates.k8s.io/PodCertificateRequest",
                    Map.of("spec.signerName", at(2, 1), "spec.podName", at(2, 2), "spec.nodeName", at(2, 6))),
            Map.entry(
                    "resource.k8s.io/ResourceSlice",
                    Map.of("spec.driver", at(2, 1), "spec.pool.name", at(2, 2, 1), "spec.nodeName", at(2, 3))));

    private final Map<Integer, FieldNumbers> next = new HashMap<>();
    private int path = -1;
    private boolean flag;
    private boolean firstOnly;

    private FieldNumbers() {}

    private static int[] at(int... numbers) {
        return numbers;
    }

    /** The fields of a core/v1 ObjectReference, beside {@code others}. */
    private static Map<String, int[]> reference(String name, int number, Map<String, int[]> others) {
        Map<String, int[]> all = new HashMap<>(others);
        String[] parts = {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"};
        for (int i = 0; i < parts.length; i++) {
            all.put(name + "." + parts[i], at(number, i + 1));
        }
        return Map.copyOf(all);
    }

    /** Where the values of these fields stand in messages of this kind; null when that is not known of all of them. */
    static FieldNumbers of(String group, String kind, SelectableFields fields) {
        Map<String, int[]> known = TABLE.getOrDefault(group + "/" + kind, Map.of());
        FieldNumbers root = new FieldNumbers();
        List<List<String>> paths = fields.paths();
        for (int i = 0; i < paths.size(); i++) {
            int[] numbers = known.get(String.join(".", paths.get(i)));
            if (numbers == null) {
                return null;
            }
            root.add(numbers, i, paths.get(i).contains(SelectableFields.FIRST_ELEMENT));
        }
        return root;
    }

    private void add(int[] numbers, int index, boolean inFirstElement) {
        FieldNumbers at = this;
        for (int i = 0; i < numbers.length; i++) {
            if (numbers[i] == FLAG) {
                at.flag = true;
            } else {
                at.firstOnly |= inFirstElement && i == numbers.length - 1;
                at = at.next.computeIfAbsent(numbers[i], n -> new FieldNumbers());
            }
        }
        at.path = index;
    }

    /** What is to be read of the field of this number; null for nothing. */
    FieldNumbers next(int number) {
        return next.get(number);
    }

    /** Whether it is a value, and no message with values in it. */
    boolean isLeaf() {
        return path >= 0;
    }

    /** Which of the paths leads to this value. */
    int path() {
        return path;
    }

    /** Whether only the first message counts of several at this number. */
    boolean isFirstOnly() {
        return firstOnly;
    }

    /** Whether one of the values in this message has been found before. */
    boolean isFound(String[] values) {
        for (FieldNumbers leaf : next.values()) {
            if (values[leaf.path] != null) {
                return true;
            }
        }
        return false;
    }

    /** A number as JSON would write it. */
    String text(long value) {
        return flag ? Boolean.toString(value != 0) : Long.toString(value);
    }
}
