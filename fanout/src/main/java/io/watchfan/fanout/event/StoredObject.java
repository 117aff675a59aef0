package io.watchfan.fanout.event;

import io.watchfan.fanout.selector.Labels;
import java.util.Objects;

/**
 * One object at one version: the bytes as they came from the API server, and the attributes that selectors judge,
 * extracted once by the producer. Immutable; the byte and value arrays are handed over by the producer and must not be
 * changed afterwards by anyone.
 */
public final class StoredObject {
    private static final String[] NO_FIELDS = {};

    private final ObjectKey key;
    private final String uid;
    private final long resourceVersion;
    private final Labels labels;
    private final String[] fieldValues;
    private final byte[] json;
    private final int versionOffset;
    private final int versionLength;

    /**
     * @param key namespace and name
     * @param uid the object's uid; empty when it carries none
     * @param resourceVersion the object's own version, &gt; 0
     * @param labels its labels
     * @param fieldValues the values of the kind's selectable fields, by index; null for a kind with none of its own
     * @param json the complete object, kind and apiVersion included, as compact JSON; owned by this object from now on
     * @param versionOffset where in {@code json} the digits of metadata.resourceVersion begin
     * @param versionLength how many digits they are
     */
    public StoredObject(
            ObjectKey key,
            String uid,
            long resourceVersion,
            Labels labels,
            String[] fieldValues,
            byte[] json,
            int versionOffset,
            int versionLength) {
        this.key = Objects.requireNonNull(key, "key");
        this.uid = Objects.requireNonNull(uid, "uid");
        this.resourceVersion = resourceVersion;
        this.labels = Objects.requireNonNull(labels, "labels");
        this.fieldValues = fieldValues == null ? NO_FIELDS : fieldValues;
        this.json = json;
        this.versionOffset = Objects.checkFromIndexSize(versionOffset, versionLength, json.length);
        this.versionLength = versionLength;
    }

    /** Namespace and name. */
    public ObjectKey key() {
        return key;
    }

    /** The namespace; empty for cluster-scoped objects. */
    public String namespace() {
        return key.namespace();
    }

    /** The name. */
    public String name() {
        return key.name();
    }

    /** The uid; empty when the object carries none. */
    public String uid() {
        return uid;
    }

    /** The object's own metadata.resourceVersion. */
    public long resourceVersion() {
        return resourceVersion;
    }

    /** The object's labels. */
    public Labels labels() {
        return labels;
    }

    /** The values of the kind's selectable fields by index, shared and not to be changed. */
    public String[] fieldValues() {
        return fieldValues;
    }

    /** The complete object as compact JSON, shared and not to be changed. */
    public byte[] json() {
        return json;
    }

    /** Where in {@link #json} the digits of metadata.resourceVersion begin. */
    public int versionOffset() {
        return versionOffset;
    }

    /** How many digits metadata.resourceVersion has. */
    public int versionLength() {
        return versionLength;
    }

    @Override
    public String toString() {
        return key + "@" + resourceVersion;
    }
}
