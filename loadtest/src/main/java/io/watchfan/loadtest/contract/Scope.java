package io.watchfan.loadtest.contract;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Who sees what: a namespace, one label requirement, one node and one name, each optional. Immutable.
 *
 * @param namespace the namespace; empty for all
 * @param labelKey the label that must have {@code labelValue}; empty for any
 * @param labelValue the wanted value
 * @param nodeName the wanted {@code spec.nodeName}; empty for any
 * @param name the wanted {@code metadata.name}; empty for any
 */
public record Scope(String namespace, String labelKey, String labelValue, String nodeName, String name) {
    /** All objects of the resource. */
    public static final Scope EVERYTHING = new Scope("", "", "", "", "");

    public Scope {
        Objects.requireNonNull(namespace);
        Objects.requireNonNull(labelKey);
        Objects.requireNonNull(labelValue);
        Objects.requireNonNull(nodeName);
        Objects.requireNonNull(name);
    }

    public static Scope ofNamespace(String namespace) {
        return new Scope(namespace, "", "", "", "");
    }

    public static Scope ofLabel(String key, String value) {
        return new Scope("", key, value, "", "");
    }

    public static Scope ofNode(String nodeName) {
        return new Scope("", "", "", nodeName, "");
    }

    /** The objects of a name, in one namespace or, if that is empty, in all. */
    public static Scope ofName(String namespace, String name) {
        return new Scope(namespace, "", "", "", name);
    }

    /** The objects of a namespace with a label. */
    public static Scope ofLabelIn(String namespace, String key, String value) {
        return new Scope(namespace, key, value, "", "");
    }

    /** Whether the scope contains the object. */
    public boolean matches(ObjectFacts object) {
        return (namespace.isEmpty() || namespace.equals(object.namespace()))
                && (labelKey.isEmpty() || labelValue.equals(object.labels().get(labelKey)))
                && (nodeName.isEmpty() || nodeName.equals(object.nodeName()))
                && (name.isEmpty() || name.equals(object.name()));
    }

    /**
     * The path of a collection narrowed to the scope's namespace.
     *
     * @param collection path over all namespaces, such as {@code /api/v1/pods}
     */
    public String pathOf(String collection) {
        if (namespace.isEmpty()) {
            return collection;
        }
        int slash = collection.lastIndexOf('/');
        return collection.substring(0, slash) + "/namespaces/" + namespace + collection.substring(slash);
    }

    /** The selectors as query parameters, each preceded by an ampersand; empty when there are none. */
    public String query() {
        String query = "";
        if (!labelKey.isEmpty()) {
            query += "&labelSelector=" + URLEncoder.encode(labelKey + "=" + labelValue, StandardCharsets.UTF_8);
        }
        String fields = nodeName.isEmpty() ? "" : "spec.nodeName=" + nodeName;
        if (!name.isEmpty()) {
            fields += (fields.isEmpty() ? "" : ",") + "metadata.name=" + name;
        }
        if (!fields.isEmpty()) {
            query += "&fieldSelector=" + URLEncoder.encode(fields, StandardCharsets.UTF_8);
        }
        return query;
    }

    @Override
    public String toString() {
        if (equals(EVERYTHING)) {
            return "everything";
        }
        String text = namespace.isEmpty() ? "" : " namespace=" + namespace;
        text += labelKey.isEmpty() ? "" : " label " + labelKey + "=" + labelValue;
        text += nodeName.isEmpty() ? "" : " node=" + nodeName;
        text += name.isEmpty() ? "" : " name=" + name;
        return text.strip();
    }
}
