package io.watchfan.loadtest.swarm;

import io.watchfan.loadtest.contract.EventType;
import java.util.Arrays;

/** A line that tells a change, as it was read once. Confined to its event loop. */
final class KnownLine {
    private final byte[] bytes;
    private final EventType type;
    private final long resourceVersion;
    private final long objectKey;
    private final boolean planned;
    private final long plannedNanos;
    private KnownLine next;
    private boolean forgotten;

    KnownLine(EventHead head, byte[] line, int from, int to) {
        bytes = Arrays.copyOfRange(line, from, to);
        type = head.type().change();
        resourceVersion = head.resourceVersion();
        objectKey = head.objectKey();
        planned = head.isPlanned();
        plannedNanos = head.plannedNanos();
    }

    /** Whether these bytes are this line. */
    boolean is(byte[] line, int from, int to) {
        return Arrays.equals(bytes, 0, bytes.length, line, from, to);
    }

    /** The line, without its newline; not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    /** What came behind it when it was last looked; null when that is not known. */
    KnownLine next() {
        return next;
    }

    /** Has no effect once it is forgotten. */
    void setNext(KnownLine line) {
        if (!forgotten) {
            next = line;
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
