package io.watchfan.fanout.group;

import io.watchfan.fanout.selector.WatchScope;
import java.util.ArrayList;
import java.util.List;

/**
 * All watchers of one scope on one event loop that are in step: what one of them is to get, all are. The group decides, once
 * for all of them; it neither encodes nor writes.
 *
 * <p>Confined to its event loop.
 *
 * @param <W> what the caller keeps for a watcher
 */
public final class FilterGroup<W> {
    private final FilterGroups<W> owner;
    private final WatchScope scope;
    private final ArrayList<W> watchers = new ArrayList<>();
    private final ArrayList<Line> pending = new ArrayList<>();

    /** The last look-up that found this group, so that it is found once. */
    private long found;

    FilterGroup(FilterGroups<W> owner, WatchScope scope) {
        this.owner = owner;
        this.scope = scope;
    }

    /** What its watchers see. */
    public WatchScope scope() {
        return scope;
    }

    /** The watchers in step. Owned by the group; changed through {@link FilterGroups} and by its event loop only. */
    public List<W> watchers() {
        return watchers;
    }

    /** The lines of the range at hand, in order. Owned by the group; the caller takes them and calls {@link #clear}. */
    public List<Line> pending() {
        return pending;
    }

    /** Forgets the lines of the range at hand. */
    public void clear() {
        pending.clear();
    }

    /** Closes the group if nobody is in it any more. */
    public void closeIfEmpty() {
        owner.closeIfEmpty(this);
    }

    void add(Line line) {
        pending.add(line);
    }

    /** Whether this is the first time that the look-up of this number finds this group. */
    boolean foundBy(long lookUp) {
        if (found == lookUp) {
            return false;
        }
        found = lookUp;
        return true;
    }
}
