package io.watchfan.fanout.selector;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * The field labels that one kind supports in field selectors, and where in an object their values stand (W-170 to
 * W-186).
 *
 * <p>Every label has an index. Those from 0 to {@code valueCount() - 1} are read from the object: an object's values
 * are an array of that length, in the order of the indexes, with "" for what is absent. {@code metadata.name} and
 * {@code metadata.namespace} come last and have no value there, since an object's key holds both; most kinds have no
 * other labels, and their objects all share one empty array.
 *
 * <p>A parser fills one array of raw texts, one per entry of {@link #paths()}, and has {@link #finish} make values of
 * them. A raw text is a string as it is, a number or boolean as JSON writes it, and null for what is absent or null.
 *
 * <p>Immutable and safe for all threads.
 */
public final class SelectableFields {
    /** Label of an object's name. */
    public static final String NAME = "metadata.name";
    /** Label of an object's namespace. */
    public static final String NAMESPACE = "metadata.namespace";
    /** The step of a path into the first element of an array. */
    public static final String FIRST_ELEMENT = "[0]";

    private static final String[] NO_VALUES = {};
    private static final String[] OF_OBJECT_REFERENCE = {
        "kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"
    };

    private final List<String> labels;
    private final Map<String, Integer> indexes;
    private final List<List<String>> paths;
    private final List<Field> fields;
    private final UnaryOperator<String> unsupportedMessage;

    /**
     * How one value is found.
     *
     * @param paths indexes of the paths to read, the first that has a text counts; none for what is never set
     * @param whenAbsent the value when no path has a text
     */
    private record Field(List<Integer> paths, String whenAbsent) {}

    private SelectableFields(Builder builder) {
        indexes = Map.copyOf(builder.indexes);
        labels = List.copyOf(builder.labels);
        paths = List.copyOf(builder.paths);
        fields = List.copyOf(builder.fields);
        unsupportedMessage = builder.unsupportedMessage;
    }

    /**
     * The fields of a kind that the API server itself defines (W-170 to W-182, W-184, W-185).
     *
     * @param group API group; empty for the core group
     * @param version API version such as {@code v1}
     * @param kind kind of the objects, such as {@code Pod}; one that is not in the tables has name and namespace only
     */
    public static SelectableFields forBuiltIn(String group, String version, String kind) {
        return switch (group + "/" + kind) {
            case "/Pod" ->
                new Builder()
                        .texts("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName")
                        .flag("spec.hostNetwork")
                        .texts("status.phase")
                        .field("status.podIP", "", "status.podIPs." + FIRST_ELEMENT + ".ip")
                        // Accepted as a label, but the API server never gives it a value.
                        .field("status.podIPs", "")
                        .texts("status.nominatedNodeName")
                        .alias("spec.host", "spec.nodeName")
                        .withKey(NAME, NAMESPACE);
            case "/Node" -> new Builder().flag("spec.unschedulable").withKey(NAME);
            case "/ReplicationController" ->
                new Builder().field("status.replicas", "0", "status.replicas").withKey(NAME, NAMESPACE);
            case "/Event" ->
                new Builder()
                        .reference("involvedObject")
                        .texts("reason", "reportingComponent")
                        .field("source", "", "source.component", "reportingComponent")
                        .texts("type")
                        .withKey(NAME, NAMESPACE);
            case "events.k8s.io/Event" ->
                new Builder()
                        .reference("regarding")
                        .texts("reason", "reportingController", "type")
                        .withKey(NAME, NAMESPACE);
            case "/Namespace" -> new Builder().texts("status.phase").withKey(NAME);
            case "/Secret" -> new Builder().texts("type").withKey(NAME, NAMESPACE);
            case "/Service" ->
                new Builder().texts("spec.clusterIP", "spec.type").withKey(NAME, NAMESPACE);
            case "batch/Job" ->
                new Builder()
                        .field("status.successful", "0", "status.succeeded")
                        .unsupported(label -> "field label " + GoText.quote(label) + " not supported for Job")
                        .withKey(NAME, NAMESPACE);
            case "certificates.k8s.io/CertificateSigningRequest", "certificates.k8s.io/ClusterTrustBundle" ->
                new Builder().texts("spec.signerName").withKey(NAME);
            case "certificates.k8s.io/PodCertificateRequest" ->
                new Builder()
                        .texts("spec.signerName", "spec.podName", "spec.nodeName")
                        .withKey(NAME);
            case "resource.k8s.io/ResourceSlice" ->
                new Builder()
                        .texts("spec.nodeName", "spec.driver", "spec.pool.name")
                        .unsupported(label -> "field label not supported for " + group + "/" + version
                                + ", Kind=ResourceSlice: " + label)
                        .withKey(NAME);
            default ->
                new Builder()
                        .unsupported(label -> GoText.quote(label)
                                + " is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
                        .withKey(NAME, NAMESPACE);
        };
    }

    /**
     * The fields of a custom resource (W-183, W-186).
     *
     * @param namespaced whether its objects live in namespaces; only then is {@code metadata.namespace} a label
     * @param selectablePathsWithoutLeadingDot the {@code jsonPath} of each selectable field of the served version,
     *     such as {@code spec.color}; repeated ones count once
     * @throws IllegalArgumentException when a path has an empty step or one in brackets, or begins in
     *     {@code metadata}, none of which a definition may have
     */
    public static SelectableFields forCustom(boolean namespaced, List<String> selectablePathsWithoutLeadingDot) {
        Builder builder = new Builder();
        for (String path : selectablePathsWithoutLeadingDot) {
            List<String> steps = steps(path);
            if (steps.get(0).equals("metadata") || steps.stream().anyMatch(s -> s.isEmpty() || s.contains("["))) {
                throw new IllegalArgumentException("no path of a selectable field: " + path);
            }
            if (!builder.indexes.containsKey(path)) {
                builder.texts(path);
            }
        }
        return namespaced ? builder.withKey(NAME, NAMESPACE) : builder.withKey(NAME);
    }

    /**
     * Index of a label; -1 when the kind does not support it. A label that stands for another has that one's index
     * (W-171).
     */
    public int indexOf(String label) {
        return indexes.getOrDefault(label, -1);
    }

    /** The label of an index from 0 to {@code size() - 1}. */
    public String label(int index) {
        return labels.get(index);
    }

    /** Number of labels; those that stand for others are not counted. */
    public int size() {
        return labels.size();
    }

    /** Number of labels that are read from the object and have a place in its values; from 0 to {@code size()}. */
    public int valueCount() {
        return fields.size();
    }

    /**
     * What a parser must read of an object: each path is the names of the fields to follow from the top, where
     * {@link #FIRST_ELEMENT} stands for the first element of an array. All paths differ. Immutable.
     */
    public List<List<String>> paths() {
        return paths;
    }

    /**
     * Makes the values of an object of the raw texts found at {@link #paths()}, in their order: falls back to other
     * paths where the first has no text, and puts the default where none has (W-184, W-185).
     *
     * @param rawPathValues one text or null per path; only read
     * @return one text per label, as many as {@link #valueCount()} and never null; a new array, or a shared one when it
     *     is empty
     */
    public String[] finish(String[] rawPathValues) {
        if (rawPathValues.length != paths.size()) {
            throw new IllegalArgumentException(rawPathValues.length + " texts for " + paths.size() + " paths");
        }
        if (fields.isEmpty()) {
            return NO_VALUES;
        }
        String[] values = new String[fields.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(fields.get(i), rawPathValues);
        }
        return values;
    }

    /** The API server's answer to a selector with a label that {@link #indexOf} does not know, word for word (W-164). */
    public String unsupportedMessage(String label) {
        return unsupportedMessage.apply(label);
    }

    @Override
    public String toString() {
        return labels.toString();
    }

    private static String value(Field field, String[] rawPathValues) {
        for (int i = 0; i < field.paths.size(); i++) {
            String raw = rawPathValues[field.paths.get(i)];
            if (raw != null && !raw.isEmpty()) {
                return raw;
            }
        }
        return field.whenAbsent;
    }

    private static List<String> steps(String path) {
        return List.of(path.split("\\.", -1));
    }

    /** Collects fields in the order of their indexes, and ends with the labels of the key. */
    private static final class Builder {
        private final List<String> labels = new ArrayList<>();
        private final Map<String, Integer> indexes = new HashMap<>();
        private final List<List<String>> paths = new ArrayList<>();
        private final List<Field> fields = new ArrayList<>();
        private UnaryOperator<String> unsupportedMessage = label -> "field label not supported: " + label;

        /** Fields whose labels are also their paths. */
        Builder texts(String... names) {
            for (String name : names) {
                field(name, "", name);
            }
            return this;
        }

        Builder flag(String name) {
            return field(name, "false", name);
        }

        Builder reference(String name) {
            for (String part : OF_OBJECT_REFERENCE) {
                texts(name + "." + part);
            }
            return this;
        }

        Builder field(String label, String whenAbsent, String... from) {
            add(label);
            fields.add(new Field(Arrays.stream(from).map(this::pathIndex).toList(), whenAbsent));
            return this;
        }

        Builder alias(String label, String meaning) {
            indexes.put(label, Objects.requireNonNull(indexes.get(meaning)));
            return this;
        }

        Builder unsupported(UnaryOperator<String> message) {
            unsupportedMessage = message;
            return this;
        }

        SelectableFields withKey(String... keyLabels) {
            for (String label : keyLabels) {
                add(label);
            }
            return new SelectableFields(this);
        }

        private void add(String label) {
            indexes.put(label, labels.size());
            labels.add(label);
        }

        private int pathIndex(String path) {
            List<String> steps = steps(path);
            int index = paths.indexOf(steps);
            if (index < 0) {
                index = paths.size();
                paths.add(steps);
            }
            return index;
        }
    }
}
