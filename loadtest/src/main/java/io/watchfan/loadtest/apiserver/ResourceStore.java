package io.watchfan.loadtest.apiserver;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The objects of one resource and the most recent changes of them. Confined to the server's event loop.
 *
 * <p>The history is bounded in changes. A watch can start at {@link #oldestWatchable()} or later; a state can be had
 * for the same versions, by undoing changes.
 */
final class ResourceStore {
    private static final int CHANGES_WITH_LINES = 256;

    private final ResourceType type;
    private final int maxHistory;
    private final TreeMap<String, StoredObject> objects = new TreeMap<>();
    private final Change[] history;
    /** Sequence of the next change; those from {@code first} on are retained. */
    private long next;

    private long first;
    private long oldestWatchable;
    private List<StoredObject> snapshot;

    ResourceStore(ResourceType type, int maxHistory) {
        this.type = type;
        this.maxHistory = maxHistory;
        this.history = new Change[maxHistory];
    }

    ResourceType type() {
        return type;
    }

    StoredObject get(String key) {
        return objects.get(key);
    }

    int size() {
        return objects.size();
    }

    /** Puts an object that was there from the start: no change, no history. */
    void load(StoredObject object) {
        objects.put(object.key(), object);
        oldestWatchable = Math.max(oldestWatchable, object.resourceVersion());
        snapshot = null;
    }

    /** Creates or replaces an object, at its own version. */
    Change put(StoredObject object) {
        return record(new Change(object.resourceVersion(), objects.put(object.key(), object), object));
    }

    /** Deletes an object that is there. */
    Change delete(String key, long version) {
        return record(new Change(version, objects.remove(key), null));
    }

    private Change record(Change change) {
        snapshot = null;
        if (next - first == maxHistory) {
            oldestWatchable = at(first).version;
            first++;
        }
        history[(int) (next++ % maxHistory)] = change;
        if (next - CHANGES_WITH_LINES > first) {
            at(next - CHANGES_WITH_LINES - 1).forgetLines();
        }
        return change;
    }

    /** The sequence that the next change will have. */
    long nextSequence() {
        return next;
    }

    /** Whether the change of a sequence has been evicted. */
    boolean isEvicted(long sequence) {
        return sequence < first;
    }

    /** The change of a retained sequence. */
    Change at(long sequence) {
        return history[(int) (sequence % maxHistory)];
    }

    /** The oldest version that a watch can start from. */
    long oldestWatchable() {
        return oldestWatchable;
    }

    /** Forgets all history, as a compaction does. */
    void expireHistory(long currentVersion) {
        first = next;
        Arrays.fill(history, null);
        oldestWatchable = currentVersion;
    }

    /** The sequence of the first retained change above a version that is watchable. */
    long firstAfter(long version) {
        long low = first;
        long high = next;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (at(middle).version > version) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** All objects now, in key order. Immutable and shared. */
    List<StoredObject> snapshot() {
        if (snapshot == null) {
            snapshot = List.copyOf(objects.values());
        }
        return snapshot;
    }

    /** All objects as they were at a version; null when that is no longer known. */
    List<StoredObject> snapshotAt(long version) {
        if (version < oldestWatchable) {
            return null;
        }
        Map<String, StoredObject> undone = new HashMap<>();
        for (long sequence = next - 1; sequence >= first && at(sequence).version > version; sequence--) {
            undone.put(at(sequence).key(), at(sequence).before);
        }
        if (undone.isEmpty()) {
            return snapshot();
        }
        TreeMap<String, StoredObject> state = new TreeMap<>(objects);
        undone.forEach((key, before) -> {
            if (before == null) {
                state.remove(key);
            } else {
                state.put(key, before);
            }
        });
        return List.copyOf(state.values());
    }
}
