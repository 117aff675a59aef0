package io.watchfan.fanout.selector;

import java.util.Objects;

/**
 * Who sees what: the objects of one resource that a request covers, in canonical form. Equal scopes see the same
 * objects, and their watchers share a filter group. A namespace in the path and the same one in a field selector are
 * equal (W-136), as are all the scopes that contradict themselves in name or namespace (W-165).
 *
 * <p>Immutable and safe for all threads. The fields belong to one kind: scopes of different resources must not meet.
 *
 * @param namespace the only namespace; null for all, never empty
 * @param name the only name; null for all. Empty in {@link #NOTHING} alone, as no object's name is
 * @param labels conditions on labels
 * @param fields conditions on fields other than those that name and namespace here already say
 */
public record WatchScope(String namespace, String name, LabelSelector labels, FieldSelector fields) {
    /** Every object of a resource. */
    public static final WatchScope ALL = new WatchScope(null, null, LabelSelector.EVERYTHING, FieldSelector.EVERYTHING);
    /** No object at all: what a scope that contradicts itself comes to. */
    public static final WatchScope NOTHING =
            new WatchScope(null, "", LabelSelector.EVERYTHING, FieldSelector.EVERYTHING);

    /**
     * For parts that are canonical already; {@link #of} makes them so.
     *
     * @throws IllegalArgumentException when they are not
     */
    public WatchScope {
        Objects.requireNonNull(labels);
        if ("".equals(namespace) || !fields.equals(fields.given(namespace, name))) {
            throw new IllegalArgumentException("not canonical: " + namespace + ", " + name + ", " + fields);
        }
        if (fields.exactName() != null || emptyToNull(fields.exactNamespace()) != null) {
            throw new IllegalArgumentException("name or namespace left among the fields: " + fields);
        }
    }

    /**
     * The scope of a request: exact terms on name and namespace are lifted out of the field selector.
     *
     * @param namespaceFromPath the namespace in the request's path; null or empty when there is none
     */
    public static WatchScope of(String namespaceFromPath, LabelSelector labels, FieldSelector fields) {
        String fromPath = emptyToNull(namespaceFromPath);
        String namespace = fromPath == null ? emptyToNull(fields.exactNamespace()) : fromPath;
        String name = fields.exactName();
        FieldSelector others = fields.given(namespace, name);
        if (others == null || "".equals(name)) {
            return NOTHING;
        }
        return new WatchScope(namespace, name, labels, others);
    }

    /**
     * Whether an object is in the scope (W-135). Allocates nothing.
     *
     * @param namespace the object's namespace; null or empty when it has none
     * @param name the object's name
     * @param fieldValues the object's values of the kind's selectable fields; only read
     */
    public boolean matches(String namespace, String name, Labels labels, String[] fieldValues) {
        return (this.namespace == null || this.namespace.equals(namespace))
                && (this.name == null || this.name.equals(name))
                && this.fields.matches(namespace, name, fieldValues)
                && this.labels.matches(labels);
    }

    /** Whether no object can be in the scope, because it contradicts itself in name or namespace. */
    public boolean isNothing() {
        return equals(NOTHING);
    }

    /** One line for logs, equal for equal scopes; what clients wrote stands between quotes and is escaped. */
    @Override
    public String toString() {
        if (equals(ALL)) {
            return "all";
        }
        if (isNothing()) {
            return "nothing";
        }
        StringBuilder out = new StringBuilder();
        append(out, "namespace", namespace);
        append(out, "name", name);
        append(out, "labels", emptyToNull(labels.toString()));
        append(out, "fields", emptyToNull(fields.toString()));
        return out.toString();
    }

    private static void append(StringBuilder out, String key, String value) {
        if (value != null) {
            out.append(out.isEmpty() ? "" : " ").append(key).append('=').append(GoText.quote(value));
        }
    }

    private static String emptyToNull(String text) {
        return text == null || text.isEmpty() ? null : text;
    }
}
