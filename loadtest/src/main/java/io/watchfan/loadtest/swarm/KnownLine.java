package io.watchfan.loadtest.swarm;

import io.watchfan.loadtest.contract.EventType;
import java.util.Arrays;

/** A line that tells a change, as it was read once. Confined to its event loop. */
final class KnownLine {
    private static final byte[] NOTHING = {};

    private final byte[] bytes;
    private final EventType type;
    private final long resourceVersion;
    private final long objectKey;
    private final boolean planned;
    private final long plannedNanos;
    private KnownLine next;
    private boolean forgotten;

    private KnownLine(EventHead head, byte[] bytes) {
        this.bytes = bytes;
        type = head.type().change();
        resourceVersion = head.resourceVersion();
        objectKey = head.objectKey();
        planned = head.isPlanned();
        plannedNanos = head.plannedNanos();
    }

    /** The line that {@code head} has read from these bytes, which are copied. */
    static KnownLine of(EventHead head, byte[] line, int from, int to) {
        return new KnownLine(head, Arrays.copyOfRange(line, from, to));
    }

    /** The line that {@code head} has read, without its bytes: nobody comes to expect it. */
    static KnownLine forgotten(EventHead head) {
        KnownLine line = new KnownLine(head, NOTHING);
        line.forget();
        return line;
    }

    /** Whether these bytes are this line. */
    boolean is(byte[] line, int from, int to) {
        return Arrays.equals(bytes, 0, bytes.length, line, from, to);
    }

    /** The line, without its newline; not to be changed. Of no use when it was forgotten from the beginning. */
    byte[] bytes() {
        return bytes;
    }

    /** What came behind it when it was last looked; null when that is not known. */
    KnownLine next() {
        return next;
    }

    /** Has no effect once this is forgotten; and what is forgotten is expected by nobody. */
    void setNext(KnownLine line) {
        if (!forgotten) {
            next = line.forgotten ? null : line;
        }
    }

    /** No longer one of the last. A watcher that stands at it must not keep all that came since. */
    void forget() {
        forgotten = true;
        next = null;
    }

    EventType type() {
        return type;
    }

    long resourceVersion() {
        return resourceVersion;
    }

    /** See {@link EventHead#objectKey}. */
    long objectKey() {
        return objectKey;
    }

    /** Whether the object says when the change was due. */
    boolean isPlanned() {
        return planned;
    }

    /** When the change was due, if {@link #isPlanned}. */
    long plannedNanos() {
        return plannedNanos;
    }
}
