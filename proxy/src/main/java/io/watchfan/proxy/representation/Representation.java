package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.stream.LineFormat;
import io.watchfan.proxy.upstream.ListHead;
import io.watchfan.proxy.upstream.UpstreamStatusException;

/**
 * How a client has the objects of one feed written. There is one instance for all clients of a feed that want the same, so that
 * watches can be told apart by it. Immutable, safe for all threads.
 */
public interface Representation extends LineFormat {
    /** The content type of lists and of single objects (W-081). */
    String contentType();

    /** The content type of watches (W-081). */
    String watchContentType();

    /** The ERROR event that carries this, complete as a line; objects may be represented otherwise, a Status never (W-105). */
    byte[] error(StatusBody status);

    /** The API server's own refusal as an ERROR event, complete as a line. */
    byte[] error(UpstreamStatusException refusal);

    /** The answer to a read of one object, in pieces. */
    byte[][] object(StoredObject object);

    /** What must be known of its objects before a list is written. */
    ListSurvey listSurvey();

    /** How many bytes an object is as an item of a list, with all that belongs to it; 0 where that does not matter. */
    long itemBytes(StoredObject object);

    /**
     * A list.
     *
     * @param form how the API server writes lists of the resource in this encoding
     * @param resourceVersion the list's version
     * @param continueToken where the next page begins; empty for none
     * @param remaining how many objects follow the page; -1 when it is not told
     * @param contents what there is to know of the objects of the page
     */
    ListForm list(ListHead form, long resourceVersion, String continueToken, long remaining, ListContents contents);
}
