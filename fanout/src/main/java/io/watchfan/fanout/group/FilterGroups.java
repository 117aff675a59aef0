package io.watchfan.fanout.group;

import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.fanout.selector.WatchScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The filter groups of one feed on one event loop: opened by the first watcher of a scope, closed after the last. Bounded by
 * the watchers there are. Confined to its event loop.
 *
 * @param <W> what the caller keeps for a watcher
 */
public final class FilterGroups<W> {
    private final Map<WatchScope, FilterGroup<W>> groups = new HashMap<>();
    private final ScopeIndex<FilterGroup<W>> index = new ScopeIndex<>();
    private final ArrayList<FilterGroup<W>> candidates = new ArrayList<>();

    /** Numbers the look-ups; sequences would not do, since a new epoch counts them from 1 again. */
    private long lookUps;

    /** Puts a watcher in step with the others of its scope. */
    public FilterGroup<W> join(WatchScope scope, W watcher) {
        FilterGroup<W> group = groups.get(scope);
        if (group == null) {
            group = new FilterGroup<>(this, scope);
            groups.put(scope, group);
            index.add(scope, group);
        }
        group.watchers().add(watcher);
        return group;
    }

    /** Closes {@code group} if nobody is in it any more. */
    public void closeIfEmpty(FilterGroup<W> group) {
        if (group.watchers().isEmpty() && groups.remove(group.scope(), group)) {
            index.remove(group.scope(), group);
        }
    }

    /**
     * Decides what each group gets of a batch: the lines are left in {@link FilterGroup#pending}. An event costs what the
     * groups that it concerns cost, not what all groups cost.
     *
     * @param batch events in log order
     * @param touched receives the groups that got at least one line, each once; owned by the caller
     */
    public void dispatch(EventBatch batch, List<FilterGroup<W>> touched) {
        for (int i = 0; i < batch.size(); i++) {
            WatchEvent event = batch.get(i);
            candidates.clear();
            index.find(event, candidates);
            lookUps++;
            for (int c = 0; c < candidates.size(); c++) {
                FilterGroup<W> group = candidates.get(c);
                if (!group.foundBy(lookUps)) {
                    continue;
                }
                Line line = EventTransition.of(event, group.scope());
                if (line != null) {
                    if (group.pending().isEmpty()) {
                        touched.add(group);
                    }
                    group.add(line);
                }
            }
        }
    }

    /** All groups, in no order; a view. */
    public Iterable<FilterGroup<W>> all() {
        return groups.values();
    }

    /** How many groups there are. */
    public int size() {
        return groups.size();
    }
}
