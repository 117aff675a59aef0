package io.watchfan.fanout.log;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.store.ObjectStore;
import io.watchfan.fanout.store.StoreSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

/**
 * The only writer of a feed's log and store, and the place where both are published as one {@link FeedState}.
 *
 * <p>Who writes, who reads: all methods but {@link #state} belong to one thread at a time, the feed's (hand-over from thread
 * to thread must order memory, as an executor does). Any thread may call {@link #state}.
 *
 * <p>What publishes: a volatile write of the state, after the slots of the log are filled and the store has its new root. A
 * reader that sees a position therefore sees every event up to its sequence (or finds it let go), and the root that those
 * events lead to. Changes between two calls of {@link #publish} become visible together.
 *
 * <p>Progress: wait-free for readers; the writer never waits.
 */
public final class FeedWriter {
    private final LogLimits limits;
    private final ObjectStore store = new ObjectStore();

    private volatile FeedState state;
    private volatile long storeBytes;

    // ---- the writer's own
    private EventLog log;
    private long epoch;
    private long resourceVersion;
    private Gaps gaps = Gaps.NONE;

    /** A writer without a state: {@link #state} is null until the first {@link #reset}. */
    public FeedWriter(LogLimits limits) {
        this.limits = limits;
    }

    /** The newest state; null before the first {@link #reset}. Any thread may call this. */
    public FeedState state() {
        return state;
    }

    /** The version up to which everything is known, published or not; 0 before the first {@link #reset}. */
    public long resourceVersion() {
        return resourceVersion;
    }

    /** The object of this key as last written, or null. */
    public StoredObject get(ObjectKey key) {
        return store.get(key);
    }

    /** How many objects are stored. */
    public int size() {
        return store.snapshot().size();
    }

    /** The serialized size of all objects as last published. Any thread may call this. */
    public long storeBytes() {
        return storeBytes;
    }

    /**
     * Begins a new epoch with this state, and publishes it. Readers of the former log find it closed.
     *
     * @param version the version of the state
     * @param sorted the objects, sorted by key, each key once
     */
    public void reset(long version, List<StoredObject> sorted) {
        if (log != null) {
            log.close();
        }
        log = new EventLog(limits, version);
        epoch++;
        resourceVersion = version;
        gaps = Gaps.NONE;
        store.replaceAll(sorted);
        publish();
    }

    /**
     * Writes that {@code object} was created or changed at its own version, which must be above {@link #resourceVersion}.
     * Visible after {@link #publish}.
     */
    public void upsert(StoredObject object, long nowNanos) {
        assert object.resourceVersion() > resourceVersion : object + " does not follow " + resourceVersion;
        StoredObject previous = store.put(object);
        append(
                previous == null ? EventType.ADDED : EventType.MODIFIED,
                WatchEvent.Part.WHOLE,
                object.resourceVersion(),
                object.resourceVersion(),
                object,
                previous,
                nowNanos);
        resourceVersion = object.resourceVersion();
    }

    /**
     * Writes that the object of {@code last}'s key was deleted. Visible after {@link #publish}.
     *
     * @param last the object's last state, as the API server sent it
     * @param version the deletion's version, above {@link #resourceVersion}
     * @return false when no object of this key was known: nothing is written but the progress
     */
    public boolean delete(StoredObject last, long version, long nowNanos) {
        assert version > resourceVersion : last + " deleted at " + version + " does not follow " + resourceVersion;
        StoredObject previous = store.remove(last.key());
        resourceVersion = version;
        if (previous == null) {
            return false;
        }
        append(EventType.DELETED, WatchEvent.Part.WHOLE, version, version, last, previous, nowNanos);
        return true;
    }

    /** Notes that nothing happened up to {@code version}. Visible after {@link #publish}; a lower version is ignored. */
    public void progress(long version) {
        resourceVersion = Math.max(resourceVersion, version);
    }

    /** Lets go of events that are too old; for feeds on which nothing is appended. */
    public void tick(long nowNanos) {
        if (log != null) {
            log.letGoOfAged(nowNanos);
        }
    }

    /** Makes all that was written since the last call visible, at once. */
    public void publish() {
        storeBytes = store.bytes();
        state = new FeedState(epoch, log, new Position(log.latest(), resourceVersion, store.snapshot()), gaps);
    }

    /**
     * Repairs a gap: the upstream watch had expired at {@link #resourceVersion} (L), and a list at {@code version} (R) says
     * what is true now. Writes the difference and publishes it, or begins a new epoch where the difference cannot be told.
     *
     * <p>The true versions of missed deletions, and of leaving a selector, lie somewhere in (L, R]. They are told first, shown
     * at L, the last version handed out: a version beyond it might be past the true one, and a client that moved on with it to
     * another replica would miss the deletion for good. Then come the changed and new objects in the order of their own
     * versions. Whoever holds L is told all of it again; whoever holds a version strictly inside is told that it has expired,
     * since it may know objects that were created and deleted within.
     *
     * <p>An object of other bytes under the version that is known, as after a change of its type's definition, cannot be told
     * as a change: that is a new epoch as well.
     *
     * @param version the list's version; below L means a restored cluster
     * @param sorted the objects, sorted by key, each key once
     * @return how it ended
     */
    public Repair repair(long version, List<StoredObject> sorted, long nowNanos) {
        if (version < resourceVersion) {
            reset(version, sorted);
            return Repair.NEW_EPOCH;
        }
        if (version == resourceVersion) {
            if (sameState(sorted)) {
                return Repair.NO_DIFFERENCE;
            }
            reset(version, sorted);
            return Repair.NEW_EPOCH;
        }
        Difference difference = Difference.between(store.snapshot(), sorted);
        if (difference.isImpossible(resourceVersion, version) || difference.isTooLarge(limits)) {
            reset(version, sorted);
            return Repair.NEW_EPOCH;
        }
        long before = resourceVersion;
        for (StoredObject gone : difference.gone()) {
            store.remove(gone.key());
            append(EventType.DELETED, WatchEvent.Part.WHOLE, before, version, gone, gone, nowNanos);
        }
        for (StoredObject changed : difference.changed()) {
            StoredObject previous = store.get(changed.key());
            if (previous != null && !sameAttributes(previous, changed)) {
                append(EventType.MODIFIED, WatchEvent.Part.LEAVING, before, version, changed, previous, nowNanos);
            }
        }
        for (StoredObject changed : difference.changed()) {
            StoredObject previous = store.put(changed);
            boolean told = previous != null && !sameAttributes(previous, changed);
            append(
                    previous == null ? EventType.ADDED : EventType.MODIFIED,
                    told ? WatchEvent.Part.STAYING : WatchEvent.Part.WHOLE,
                    changed.resourceVersion(),
                    changed.resourceVersion(),
                    changed,
                    previous,
                    nowNanos);
        }
        gaps = gaps.with(before, version, log.floor());
        resourceVersion = version;
        publish();
        return difference.isEmpty() ? Repair.NO_DIFFERENCE : Repair.REPAIRED;
    }

    /** How a repair ended. */
    public enum Repair {
        /** The list held nothing new. */
        NO_DIFFERENCE,
        /** The difference was written. */
        REPAIRED,
        /** The state does not follow from the last one, or the difference is too large to be told. */
        NEW_EPOCH
    }

    private void append(
            EventType type,
            WatchEvent.Part part,
            long version,
            long knownAt,
            StoredObject object,
            StoredObject previous,
            long nowNanos) {
        log.append(type, part, version, knownAt, object, previous, nowNanos);
        if (part != WatchEvent.Part.LEAVING) {
            log.checkpoint(store.snapshot());
        }
    }

    private boolean sameState(List<StoredObject> sorted) {
        return Difference.between(store.snapshot(), sorted).isEmpty();
    }

    private static boolean sameAttributes(StoredObject a, StoredObject b) {
        return a.labels().equals(b.labels()) && Arrays.equals(a.fieldValues(), b.fieldValues());
    }

    /** What a list says against what was known. */
    private record Difference(
            List<StoredObject> gone, List<StoredObject> changed, boolean olderThanKnown, boolean otherBytes) {
        static Difference between(StoreSnapshot known, List<StoredObject> sorted) {
            List<StoredObject> gone = new ArrayList<>();
            List<StoredObject> changed = new ArrayList<>();
            boolean older = false;
            boolean otherBytes = false;
            Iterator<StoredObject> old = known.iterator();
            StoredObject next = old.hasNext() ? old.next() : null;
            for (StoredObject object : sorted) {
                while (next != null && next.key().compareTo(object.key()) < 0) {
                    gone.add(next);
                    next = old.hasNext() ? old.next() : null;
                }
                if (next == null || !next.key().equals(object.key())) {
                    changed.add(object);
                    continue;
                }
                if (!next.uid().equals(object.uid())) {
                    gone.add(next);
                    changed.add(object);
                } else if (next.resourceVersion() != object.resourceVersion()) {
                    older |= object.resourceVersion() < next.resourceVersion();
                    changed.add(object);
                } else {
                    otherBytes |= !Arrays.equals(next.bytes(), object.bytes());
                }
                next = old.hasNext() ? old.next() : null;
            }
            while (next != null) {
                gone.add(next);
                next = old.hasNext() ? old.next() : null;
            }
            changed.sort(Comparator.comparingLong(StoredObject::resourceVersion));
            return new Difference(gone, changed, older, otherBytes);
        }

        boolean isEmpty() {
            return gone.isEmpty() && changed.isEmpty() && !otherBytes;
        }

        /** Whether no history leads from the one state at {@code before} to the other at {@code after}. */
        boolean isImpossible(long before, long after) {
            return olderThanKnown
                    || otherBytes
                    || !changed.isEmpty()
                            && (changed.get(0).resourceVersion() <= before
                                    || changed.get(changed.size() - 1).resourceVersion() > after);
        }

        /** Whether the difference would take more than half of the window. */
        boolean isTooLarge(LogLimits limits) {
            long bytes = 0;
            for (StoredObject object : gone) {
                bytes += object.bytes().length;
            }
            for (StoredObject object : changed) {
                bytes += 2L * object.bytes().length;
            }
            return gone.size() + 2L * changed.size() > limits.maxEvents() / 2 || bytes > limits.maxBytes() / 2;
        }
    }
}
