package io.watchfan.loadtest.apiserver;

import java.util.Map;

/**
 * One object at one version. Immutable; the bytes are shared with everyone they are sent to and never changed.
 *
 * @param key storage key: {@code namespace/name}, or {@code name}
 * @param namespace its namespace; empty for cluster-scoped objects
 * @param name its name
 * @param labels its labels; never changed
 * @param fields the values of its selectable fields; never changed
 * @param resourceVersion the object's own version
 * @param json the object with kind and apiVersion, compact
 */
@SuppressWarnings("ArrayRecordComponent") // never compared with another
public record StoredObject(
        String key,
        String namespace,
        String name,
        Map<String, String> labels,
        Map<String, String> fields,
        long resourceVersion,
        byte[] json) {

    /** The value of a selectable field; empty when it is unset. */
    public String field(String path) {
        return fields.getOrDefault(path, "");
    }
}
