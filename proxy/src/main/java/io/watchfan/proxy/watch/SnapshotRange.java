package io.watchfan.proxy.watch;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.store.StoreSnapshot;
import java.util.Iterator;

/**
 * The objects of a snapshot that lie in one namespace, or in all; in key order, and from behind a key on.
 *
 * @param snapshot the snapshot
 * @param namespace the only namespace; null for all
 * @param after the key that they follow; null for all
 */
record SnapshotRange(StoreSnapshot snapshot, String namespace, ObjectKey after) {
    /** How many there are. */
    int size() {
        if (namespace == null) {
            return after == null ? snapshot.size() : snapshot.countAfter(after, false);
        }
        ObjectKey from = from();
        // '0' follows '/', so this is the first key beyond those of the namespace.
        ObjectKey beyond = new ObjectKey("", namespace + '0');
        return Math.max(0, snapshot.countAfter(from, false) - snapshot.countAfter(beyond, true));
    }

    /** The key that all of them follow; null when there is none. */
    private ObjectKey from() {
        if (namespace == null) {
            return after;
        }
        ObjectKey start = ObjectKey.startOf(namespace);
        return after == null || after.compareTo(start) < 0 ? start : after;
    }

    Iterator<StoredObject> iterator() {
        if (namespace != null) {
            return after == null ? snapshot.iteratorOf(namespace) : snapshot.iteratorOf(namespace, after);
        }
        return after == null ? snapshot.iterator() : snapshot.iteratorAfter(after);
    }
}
