package io.watchfan.fanout.log;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.store.StoreSnapshot;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Ring of the most recent events of one resource: the watch cache window. One thread, the feed's writer, appends; any number
 * read through {@link EventCursor}.
 *
 * <p>Invariants. Slots hold immutable events that carry their own sequence. The writer stores a slot, and only then publishes
 * a {@link Position} that covers it (a volatile write, by {@link FeedWriter}); a reader that has acquired a position sees, at
 * every sequence up to it, that event, or a newer one, or nothing. A newer one, or nothing, means that the event has been let
 * go: the reader was lapped. The ring grows by putting a larger array in place before it publishes a position that needs it,
 * so a reader that acquired the position sees the larger array, too; one that still holds the smaller array finds there what
 * it held, which the sequences prove.
 *
 * <p>Letting go. Before a slot is cleared, {@code floor} is raised to cover the event's {@code knownAt} with release. A reader
 * looks for its start first and reads {@code floor} afterwards with acquire: if the floor still is not above its version, no
 * event that it does not know had been let go when it looked; if one is let go later, its cursor finds it gone.
 *
 * <p>Progress: append and every read are wait-free, but for the search of {@link #firstUnknownTo}, which starts again when the
 * writer lets go of what it looked at, and gives up when that was needed. The writer never waits for readers.
 */
public final class EventLog {
    private static final int FIRST_CAPACITY = 1024;
    private static final int CHECKPOINT_EVERY = 1024;

    // ---- immutable after construction
    private final LogLimits limits;

    // ---- published to readers
    private volatile AtomicReferenceArray<WatchEvent> slots;
    private volatile long oldest = 1;
    private volatile long floor;
    private volatile boolean closed;
    private volatile long publishedBytes;
    private volatile Checkpoint[] publishedCheckpoints = {};

    // ---- the writer's own
    private long first = 1;
    private long latest;
    private long bytes;
    private final ArrayDeque<Checkpoint> checkpoints = new ArrayDeque<>();
    private final LongRing appendedAt;

    /**
     * @param limits the bounds of the window
     * @param floor the version of the state that the log starts from: a watch may start at it, and not below
     */
    EventLog(LogLimits limits, long floor) {
        this.limits = limits;
        this.floor = floor;
        // A power of two that holds the window, or from which it grows.
        int fewest = Math.min(FIRST_CAPACITY, limits.maxEvents());
        this.slots = new AtomicReferenceArray<>(Integer.highestOneBit(Math.max(1, fewest - 1)) << 1);
        this.appendedAt = new LongRing();
    }

    // ---- writer

    /** Appends one event; readers see it once a position that covers it is published. */
    WatchEvent append(
            EventType type,
            WatchEvent.Part part,
            long resourceVersion,
            long knownAt,
            StoredObject object,
            StoredObject previous,
            long nowNanos) {
        WatchEvent event = new WatchEvent(latest + 1, type, part, resourceVersion, knownAt, object, previous);
        if (latest - first + 1 >= limits.maxEvents()) {
            letGoOfOldest();
        }
        makeRoom();
        latest++;
        slots.setRelease((int) latest & (slots.length() - 1), event);
        bytes += event.bytes();
        appendedAt.add(nowNanos);
        while (bytes > limits.maxBytes() && first < latest) {
            letGoOfOldest();
        }
        letGoOfAged(nowNanos);
        return event;
    }

    /** Keeps {@code objects}, the state after the newest event, when enough events have passed since the last one kept. */
    void checkpoint(StoreSnapshot objects) {
        Checkpoint last = checkpoints.peekLast();
        if (latest - (last == null ? 0 : last.sequence()) >= CHECKPOINT_EVERY) {
            checkpoints.addLast(new Checkpoint(latest, objects));
            publishCheckpoints();
        }
    }

    /** Lets go of events that are too old, beyond what is kept whatever its age. */
    void letGoOfAged(long nowNanos) {
        while (latest - first + 1 > LogLimits.AGELESS_EVENTS
                && bytes > limits.maxBytes() / 4
                && nowNanos - appendedAt.first() > limits.maxAgeNanos()) {
            letGoOfOldest();
        }
        publishedBytes = bytes;
    }

    /** Nothing in this log is true any more. */
    void close() {
        closed = true;
    }

    long latest() {
        return latest;
    }

    private void makeRoom() {
        AtomicReferenceArray<WatchEvent> old = slots;
        if (latest - first + 1 < old.length()) {
            return;
        }
        AtomicReferenceArray<WatchEvent> larger = new AtomicReferenceArray<>(2 * old.length());
        for (long s = first; s <= latest; s++) {
            larger.setPlain((int) s & (larger.length() - 1), old.getPlain((int) s & (old.length() - 1)));
        }
        slots = larger;
    }

    private void letGoOfOldest() {
        AtomicReferenceArray<WatchEvent> ring = slots;
        int slot = (int) first & (ring.length() - 1);
        WatchEvent event = ring.getPlain(slot);
        floor = Math.max(floor, event.knownAt());
        first++;
        oldest = first;
        ring.setRelease(slot, null);
        bytes -= event.bytes();
        appendedAt.removeFirst();
        if (!checkpoints.isEmpty() && checkpoints.peekFirst().sequence() < first) {
            checkpoints.removeFirst();
            publishCheckpoints();
        }
    }

    private void publishCheckpoints() {
        publishedCheckpoints = checkpoints.toArray(new Checkpoint[0]);
    }

    // ---- any thread

    /** The event of this sequence, or null when it has been let go. The caller must have acquired a position that covers it. */
    WatchEvent eventAt(long sequence) {
        AtomicReferenceArray<WatchEvent> ring = slots;
        WatchEvent event = ring.getAcquire((int) sequence & (ring.length() - 1));
        return event != null && event.sequence() == sequence ? event : null;
    }

    /** A cursor whose next event is that of {@code sequence}, 1 or more. */
    public EventCursor cursorAt(long sequence) {
        return new EventCursor(this, sequence);
    }

    /** The sequence of the oldest event still kept; one beyond the newest when there is none. */
    public long oldest() {
        return oldest;
    }

    /** Whether a new epoch has begun elsewhere. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * The sequence of the earliest event up to {@code through} that a holder of {@code version} does not know of, one beyond
     * {@code through} when there is none, or -1 when such an event may have been let go.
     */
    long firstUnknownTo(long version, long through) {
        while (version >= floor) {
            long low = oldest;
            long high = through + 1;
            boolean lost = false;
            // Known events come first, but for repaired gaps, whose events are bounded by the first that is not known:
            // within
            // a gap no version is served, so "not known" never turns into "known" again from left to right.
            while (low < high) {
                long middle = (low + high) >>> 1;
                WatchEvent event = eventAt(middle);
                if (event == null) {
                    lost = true;
                    break;
                }
                if (event.knownAt() > version) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            if (!lost) {
                return version >= floor ? low : -1;
            }
        }
        return -1;
    }

    /** The earliest checkpoint at or after {@code sequence}, or null. */
    Checkpoint checkpointAtOrAfter(long sequence) {
        for (Checkpoint checkpoint : publishedCheckpoints) {
            if (checkpoint.sequence() >= sequence) {
                return checkpoint;
            }
        }
        return null;
    }

    /** The window as seen from {@code position}. */
    LogWindow window(Position position) {
        long first = oldest;
        return new LogWindow(
                floor, position.resourceVersion(), Math.max(0, position.sequence() - first + 1), publishedBytes);
    }

    /** The least version that a watch may start from. */
    public long floor() {
        return floor;
    }

    /** A growing ring of the times at which the events still kept were appended; the writer's own. */
    private static final class LongRing {
        private long[] values = new long[64];
        private int head;
        private int size;

        void add(long value) {
            if (size == values.length) {
                long[] larger = new long[2 * size];
                for (int i = 0; i < size; i++) {
                    larger[i] = values[(head + i) & (values.length - 1)];
                }
                values = larger;
                head = 0;
            }
            values[(head + size++) & (values.length - 1)] = value;
        }

        long first() {
            return values[head];
        }

        void removeFirst() {
            head = (head + 1) & (values.length - 1);
            size--;
        }
    }
}
