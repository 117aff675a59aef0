package io.watchfan.fanout.event;

import io.watchfan.fanout.selector.Labels;
import java.util.Objects;

/**
 * One object at one version: the bytes as they came from the API server, whatever they are encoded in, and the attributes
 * that selectors judge, extracted once by the producer. Immutable; the byte and value arrays are handed over by the producer
 * and must not be changed afterwards by anyone.
 */
public final class StoredObject {
    private static final String[] NO_FIELDS = {};

    private final ObjectKey key;
    private final String uid;
    private final long resourceVersion;
    private final Labels labels;
    private final String[] fieldValues;
    private final byte[] bytes;
    private final int versionOffset;
    private final int versionLength;
    private final int metadataOffset;
    private final int metadataLength;

    /**
     * @param key namespace and name
     * @param uid the object's uid; empty when it carries none
     * @param resourceVersion the object's own version, &gt; 0
     * @param labels its labels
     * @param fieldValues the values of the kind's selectable fields, by index; null for a kind with none of its own
     * @param bytes the complete object: compact JSON, kind and apiVersion included, or a protobuf message, without; owned by
     *     this object from now on
     * @param versionOffset where in {@code bytes} the digits of metadata.resourceVersion begin
     * @param versionLength how many digits they are
     * @param metadataOffset where in {@code bytes} the value of the field {@code metadata} begins
     * @param metadataLength how long that value is; the digits lie within
     */
    public StoredObject(
            ObjectKey key,
            String uid,
            long resourceVersion,
            Labels labels,
            String[] fieldValues,
            byte[] bytes,
            int versionOffset,
            int versionLength,
            int metadataOffset,
            int metadataLength) {
        this.key = Objects.requireNonNull(key, "key");
        this.uid = Objects.requireNonNull(uid, "uid");
        this.resourceVersion = resourceVersion;
        this.labels = Objects.requireNonNull(labels, "labels");
        this.fieldValues = fieldValues == null ? NO_FIELDS : fieldValues;
        this.bytes = bytes;
        this.metadataOffset = Objects.checkFromIndexSize(metadataOffset, metadataLength, bytes.length);
        this.metadataLength = metadataLength;
        this.versionOffset = metadataOffset
                + Objects.checkFromIndexSize(versionOffset - metadataOffset, versionLength, metadataLength);
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

    /** The complete object as it came, shared and not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where in {@link #bytes} the value of the field {@code metadata} begins. */
    public int metadataOffset() {
        return metadataOffset;
    }

    /** How long the value of the field {@code metadata} is. */
    public int metadataLength() {
        return metadataLength;
    }

    /** Where in {@link #bytes} the digits of metadata.resourceVersion begin. */
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
