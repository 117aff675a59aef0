package io.watchfan.proxy.watch;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.store.StoreSnapshot;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * The objects of a snapshot that lie in one namespace, or in all; in key order, and from behind a key on.
 *
 * @param snapshot the snapshot
 * @param namespace the only namespace; null for all
 * @param after the key that they follow; null for all
 */
record SnapshotRange(StoreSnapshot snapshot, String namespace, ObjectKey after) {
    static SnapshotRange of(StoreSnapshot snapshot, String namespace) {
        return new SnapshotRange(snapshot, namespace, null);
    }

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
        ObjectKey from = from();
        Iterator<StoredObject> all = from == null ? snapshot.iterator() : snapshot.iteratorAfter(from);
        return namespace == null ? all : new Within(all, namespace);
    }

    private static final class Within implements Iterator<StoredObject> {
        private final Iterator<StoredObject> all;
        private final String namespace;
        private StoredObject next;

        Within(Iterator<StoredObject> all, String namespace) {
            this.all = all;
            this.namespace = namespace;
            advance();
        }

        private void advance() {
            next = all.hasNext() ? all.next() : null;
            if (next != null && !next.namespace().equals(namespace)) {
                next = null;
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public StoredObject next() {
            if (next == null) {
                throw new NoSuchElementException();
            }
            StoredObject current = next;
            advance();
            return current;
        }
    }
}
