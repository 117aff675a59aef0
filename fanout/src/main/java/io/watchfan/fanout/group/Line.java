package io.watchfan.fanout.group;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;

/**
 * What a scope gets of a change: a type, the bytes of an object, and the version to show in them. Variants (ADDED for one
 * scope, MODIFIED for another, DELETED with the previous object for a third) are described, never stored.
 *
 * @param type ADDED, MODIFIED or DELETED
 * @param source the object whose bytes are shown
 * @param resourceVersion the version to show as metadata.resourceVersion; where it differs from the source's own, its digits
 *     are put in the place of those at {@link StoredObject#versionOffset}
 * @param sequence the sequence of the event in the log; 0 for initial events
 */
public record Line(EventType type, StoredObject source, long resourceVersion, long sequence) {

    /** The object as part of an initial state, at its own version. */
    public static Line initial(StoredObject object) {
        return new Line(EventType.ADDED, object, object.resourceVersion(), 0);
    }

    /** Whether other digits than the source's own are to be shown. */
    public boolean isSpliced() {
        return resourceVersion != source.resourceVersion();
    }
}
