package io.watchfan.proxy.watch;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.proxy.representation.Representation;
import io.watchfan.proxy.upstream.ListHead;

/**
 * All that the bytes of a list depend on: equal plans give equal lists.
 *
 * @param representation how its objects are written; equal to itself alone, and one feed's
 * @param form how the API server writes lists of the resource
 * @param resourceVersion its version
 * @param candidates the objects that its own are among
 * @param scope which of them those are
 * @param limit how many it has at most; 0 for all
 * @param isWide whether its token, if it has one, names a namespace
 * @param isCounted whether it tells how many objects follow it
 */
record ListPlan(
        Representation representation,
        ListHead form,
        long resourceVersion,
        SnapshotRange candidates,
        WatchScope scope,
        long limit,
        boolean isWide,
        boolean isCounted) {
    /** Whether {@code candidate} is one of its objects, or would be on another page. */
    boolean has(StoredObject candidate) {
        return scope.matches(candidate.namespace(), candidate.name(), candidate.labels(), candidate.fieldValues());
    }
}
