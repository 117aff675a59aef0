package io.watchfan.proxy.upstream;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ResourceVersions;
import io.watchfan.fanout.event.StoredObject;

/**
 * One event of an upstream watch.
 *
 * @param type its type
 * @param object the object of an ADDED, MODIFIED or DELETED event, else null
 * @param raw the bytes of a BOOKMARK's or ERROR's object, else null
 * @param resourceVersion the object's version; for a BOOKMARK its own; 0 for an ERROR
 * @param endsInitialEvents whether it is the BOOKMARK that ends the initial events (W-102)
 * @param code the code of an ERROR's Status, 0 when it says none
 * @param reason the reason of an ERROR's Status; empty when it says none
 * @param message the message of an ERROR's Status; empty when it says none
 */
public record DecodedEvent(
        EventType type,
        StoredObject object,
        byte[] raw,
        long resourceVersion,
        boolean endsInitialEvents,
        int code,
        String reason,
        String message) {

    /** The annotation of the BOOKMARK that ends the initial events; its value is "true" (W-102). */
    public static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

    /** An ADDED, MODIFIED or DELETED event. */
    static DecodedEvent change(EventType type, StoredObject object) {
        return new DecodedEvent(type, object, null, object.resourceVersion(), false, 0, "", "");
    }

    /** @param version as it stands in the object; one that is no version is taken for 0 */
    static DecodedEvent bookmark(byte[] raw, String version, boolean endsInitialEvents) {
        long parsed = Math.max(0, ResourceVersions.parse(version));
        return new DecodedEvent(EventType.BOOKMARK, null, raw, parsed, endsInitialEvents, 0, "", "");
    }

    /** An ERROR event of this Status. */
    static DecodedEvent error(byte[] raw, int code, String reason, String message) {
        return new DecodedEvent(EventType.ERROR, null, raw, 0, false, code, reason, message);
    }
}
