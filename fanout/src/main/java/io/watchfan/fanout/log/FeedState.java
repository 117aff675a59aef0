package io.watchfan.fanout.log;

import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.store.StoreSnapshot;

/**
 * What a feed publishes: one reference to one immutable value. A reader takes it once and works with what it holds; a watch
 * that takes its initial state, its end bookmark and its cursor from one state can neither miss nor repeat anything.
 *
 * @param epoch grows when the feed starts over with a state that does not follow from the last one; readers of the old
 *     epoch's log then find it closed
 * @param log the events of this epoch
 * @param position the newest position
 * @param gaps the repaired gaps that the window still spans, oldest first
 */
public record FeedState(long epoch, EventLog log, Position position, Gaps gaps) {

    /** The window as of this state; what has been let go since is counted as let go. */
    public LogWindow window() {
        return log.window(position);
    }

    /**
     * Where a watch that holds {@code resourceVersion} starts.
     *
     * @param resourceVersion the version the client holds, &gt;= 0; it may lie ahead of the position
     * @return a cursor before the first event that the client does not know of, or null when the window does not reach back
     *     that far or the version lies within a repaired gap. Events at the cursor with {@code knownAt} of
     *     {@code resourceVersion} or less are known to the client and are not for it
     */
    public EventCursor startAt(long resourceVersion) {
        if (gaps.strictlyInside(resourceVersion)) {
            return null;
        }
        long sequence = log.firstUnknownTo(resourceVersion, position.sequence());
        return sequence < 0 ? null : new EventCursor(log, sequence);
    }

    /** A cursor behind everything that this state holds. */
    public EventCursor startAtEnd() {
        return new EventCursor(log, position.sequence() + 1);
    }

    /**
     * The objects as they were at {@code resourceVersion}, or null when the window does not tell: older than its oldest
     * version, within a repaired gap, or newer than the position. Takes O(k log n) for the k events since, of which there
     * are at most those since the next checkpoint.
     */
    public StoreSnapshot objectsAt(long resourceVersion) {
        if (resourceVersion > position.resourceVersion() || gaps.strictlyInside(resourceVersion)) {
            return null;
        }
        long first = log.firstUnknownTo(resourceVersion, position.sequence());
        if (first < 0) {
            return null;
        }
        Checkpoint from = log.checkpointAtOrAfter(first - 1);
        if (from == null || from.sequence() > position.sequence()) {
            from = new Checkpoint(position.sequence(), position.objects());
        }
        StoreSnapshot objects = from.objects();
        for (long s = from.sequence(); s >= first; s--) {
            WatchEvent event = log.eventAt(s);
            if (event == null) {
                return null;
            }
            objects = undo(objects, event);
        }
        return objects;
    }

    private static StoreSnapshot undo(StoreSnapshot objects, WatchEvent event) {
        if (event.part() == WatchEvent.Part.LEAVING) {
            return objects;
        }
        return event.previous() == null ? objects.without(event.object().key()) : objects.with(event.previous());
    }
}
