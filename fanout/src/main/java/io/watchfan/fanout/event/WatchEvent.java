package io.watchfan.fanout.event;

import java.util.Objects;

/**
 * One change, as the log keeps it. Immutable.
 *
 * <p>Two versions belong to a change. {@link #resourceVersion} is the one shown to clients. {@link #knownAt} is the version
 * whose holders know of the change: whoever holds it or a later one need not be told. They differ only for what a gap repair
 * had to infer (a deletion that was missed has no known version of its own: it is shown at the last version before the gap
 * and known at the version of the list that told of it).
 */
public final class WatchEvent {
    private final long sequence;
    private final EventType type;
    private final Part part;
    private final long resourceVersion;
    private final long knownAt;
    private final StoredObject object;
    private final StoredObject previous;

    /** Which scopes an event is told to; the parts other than {@link #WHOLE} come from gap repair only. */
    public enum Part {
        /** Every scope that the object enters, stays in or leaves. */
        WHOLE,
        /** Only the scopes that the object leaves: it left them at an unknown version within the gap. */
        LEAVING,
        /** All but the scopes that the object leaves: they were told by a {@link #LEAVING} event before. */
        STAYING
    }

    /**
     * @param sequence position in the log, dense and increasing from 1
     * @param type ADDED, MODIFIED or DELETED, as an unselective watch sees the change
     * @param part which scopes are told
     * @param resourceVersion the version shown, &gt; 0
     * @param knownAt the version at which the change is known, &gt;= {@code resourceVersion}
     * @param object the object after the change; for DELETED the last state, which may carry the deletion's version
     * @param previous the object before the change; null when there was none
     */
    public WatchEvent(
            long sequence,
            EventType type,
            Part part,
            long resourceVersion,
            long knownAt,
            StoredObject object,
            StoredObject previous) {
        assert knownAt >= resourceVersion : knownAt + " < " + resourceVersion;
        this.sequence = sequence;
        this.type = Objects.requireNonNull(type, "type");
        this.part = Objects.requireNonNull(part, "part");
        this.resourceVersion = resourceVersion;
        this.knownAt = knownAt;
        this.object = Objects.requireNonNull(object, "object");
        this.previous = previous;
    }

    /** Position in the log. Never shown to a client. */
    public long sequence() {
        return sequence;
    }

    /** The change as an unselective watch sees it. */
    public EventType type() {
        return type;
    }

    /** Which scopes are told. */
    public Part part() {
        return part;
    }

    /** The version shown to clients. */
    public long resourceVersion() {
        return resourceVersion;
    }

    /** Whoever holds this version or a later one knows of the change. */
    public long knownAt() {
        return knownAt;
    }

    /** The object after the change; for DELETED its last state. */
    public StoredObject object() {
        return object;
    }

    /** The object before the change, or null. */
    public StoredObject previous() {
        return previous;
    }

    /** What the event weighs in the log's byte bound: the serialized object. */
    public int bytes() {
        return object.bytes().length;
    }

    @Override
    public String toString() {
        return sequence + ":" + type + " " + object.key() + "@" + resourceVersion;
    }
}
