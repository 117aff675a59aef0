package io.watchfan.fanout.store;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import java.util.List;

/**
 * The current objects of one resource. Written by the log's writer only; whoever else wants to read takes a
 * {@link StoreSnapshot}, and gets one only as part of a published position.
 */
public final class ObjectStore {
    private StoreSnapshot current = StoreSnapshot.EMPTY;
    private long bytes;

    /** Stores {@code object}; returns what stood at its key before, or null. */
    public StoredObject put(StoredObject object) {
        StoredObject before = current.get(object.key());
        current = current.with(object);
        bytes += object.bytes().length - (before == null ? 0 : before.bytes().length);
        return before;
    }

    /** Removes the object of this key and returns it; null when there is none. */
    public StoredObject remove(ObjectKey key) {
        StoredObject before = current.get(key);
        if (before != null) {
            current = current.without(key);
            bytes -= before.bytes().length;
        }
        return before;
    }

    /** Puts these objects, sorted by key, in the place of all that is stored. */
    public void replaceAll(List<StoredObject> sorted) {
        current = StoreSnapshot.ofSorted(sorted);
        bytes = sorted.stream().mapToLong(object -> object.bytes().length).sum();
    }

    /** The object of this key, or null. */
    public StoredObject get(ObjectKey key) {
        return current.get(key);
    }

    /** The objects as they are now. */
    public StoreSnapshot snapshot() {
        return current;
    }

    /** The serialized size of all objects, in bytes. */
    public long bytes() {
        return bytes;
    }
}
