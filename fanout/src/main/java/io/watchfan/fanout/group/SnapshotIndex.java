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
     * The objects that may match {@code term} and whose keys are greater than {@code after}, in key order; a superset of those
     * of the scope. Finding the first of them takes O(log n), but for the first time that a state is asked by a term's axis.
     *
     * @param term the term of the scope; null for all objects
     * @param after where to begin; null for the beginning
     */
    public Iterator<StoredObject> objects(StoreSnapshot snapshot, IndexTerm term, ObjectKey after) {
        if (term == null) {
            return after == null ? snapshot.iterator() : snapshot.iteratorAfter(after);
        }
        if (term.axis().kind() == IndexTerm.Kind.NAMESPACE) {
            // These stand together.
            return after == null ? snapshot.iteratorOf(term.value()) : snapshot.iteratorOf(term.value(), after);
        }
        if (indexed != snapshot) {
            byAxis.clear();
            indexed = snapshot;
        }
        List<StoredObject> found =
                byAxis.computeIfAbsent(term.axis(), this::build).getOrDefault(term.value(), List.of());
        return found.subList(after == null ? 0 : placeAfter(found, after), found.size())
                .iterator();
    }

    private static int placeAfter(List<StoredObject> sorted, ObjectKey after) {
        int low = 0;
        int high = sorted.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted.get(middle).key().compareTo(after) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
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

    /** Lets go of everything. */
    public void clear() {
        indexed = null;
        byAxis.clear();
    }
}
