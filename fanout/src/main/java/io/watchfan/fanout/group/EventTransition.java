package io.watchfan.fanout.group;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.selector.WatchScope;

/** What a change is to a scope, by whether the object matched it before and matches it now (W-130 to W-134). */
public final class EventTransition {
    private EventTransition() {}

    /** The line that {@code scope} gets of {@code event}, or null when the change is nothing to it. */
    public static Line of(WatchEvent event, WatchScope scope) {
        return of(event, scope, 0);
    }

    /**
     * The line that a watcher of {@code scope} gets of {@code event}.
     *
     * @param floor the least version that may be shown: the highest that this watcher has been shown
     * @return the line, or null when the change is nothing to it
     */
    public static Line of(WatchEvent event, WatchScope scope, long floor) {
        StoredObject object = event.object();
        StoredObject previous = event.previous();
        boolean deleted = event.type() == EventType.DELETED;
        boolean now = !deleted && matches(scope, object);
        boolean before = previous != null && matches(scope, previous);
        if (!now && !before) {
            return null;
        }
        boolean leaves = before && !now;
        if (event.part() == WatchEvent.Part.LEAVING && !leaves || event.part() == WatchEvent.Part.STAYING && leaves) {
            return null;
        }
        long shown = Math.max(event.resourceVersion(), floor);
        if (leaves) {
            return new Line(EventType.DELETED, deleted ? object : previous, shown, event.sequence());
        }
        return new Line(before ? EventType.MODIFIED : EventType.ADDED, object, shown, event.sequence());
    }

    private static boolean matches(WatchScope scope, StoredObject object) {
        return scope.matches(object.namespace(), object.name(), object.labels(), object.fieldValues());
    }
}
