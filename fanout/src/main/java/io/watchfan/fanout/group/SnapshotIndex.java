package io.watchfan.fanout.group;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.store.StoreSnapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Finds the objects of a snapshot that may be in a scope, without looking at all the others. What many watches that begin at
 * the same state ask for is found in one pass for all of them. Confined to one event loop.
 */
public final class SnapshotIndex {
    private StoreSnapshot indexed;
    private final Map<IndexTerm.Axis, Map<String, List<StoredObject>>> byAxis = new HashMap<>();

    /**
     * The objects that may match {@code term}, in key order; a superset of those of the scope.
     *
     * @param term the term of the scope; null for all objects
     */
    public Iterator<StoredObject> objects(StoreSnapshot snapshot, IndexTerm term) {
        if (term == null) {
            return snapshot.iterator();
        }
        if (term.axis().kind() == IndexTerm.Kind.NAMESPACE) {
            // These stand together.
            return snapshot.iteratorOf(term.value());
        }
        if (indexed != snapshot) {
            byAxis.clear();
            indexed = snapshot;
        }
        return byAxis.computeIfAbsent(term.axis(), this::build)
                .getOrDefault(term.value(), List.of())
                .iterator();
    }

    private Map<String, List<StoredObject>> build(IndexTerm.Axis axis) {
        Map<String, List<StoredObject>> found = new HashMap<>();
        for (Iterator<StoredObject> all = indexed.iterator(); all.hasNext(); ) {
            StoredObject object = all.next();
            String value = axis.valueOf(object);
            if (value != null) {
                found.computeIfAbsent(value, v -> new ArrayList<>(4)).add(object);
            }
        }
        return found;
    }

    /** The object of this key alone, or nothing. */
    public static Iterator<StoredObject> only(StoreSnapshot snapshot, ObjectKey key) {
        StoredObject object = snapshot.get(key);
        return object == null
                ? List.<StoredObject>of().iterator()
                : List.of(object).iterator();
    }

    /** Lets go of everything. */
    public void clear() {
        indexed = null;
        byAxis.clear();
    }
}
