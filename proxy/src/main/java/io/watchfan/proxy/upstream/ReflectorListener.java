package io.watchfan.proxy.upstream;

import io.watchfan.fanout.log.FeedWriter;
import java.util.List;

/** What a feed hears of its {@link Reflector}, on the reflector's thread. */
public interface ReflectorListener {
    /**
     * The feed has a state for the first time, or a new one after a list. {@link #onPublished()} follows.
     *
     * @param outcome how the state was taken in
     * @param cause why it was listed, in a few fixed words
     * @param begunNanos when the list was asked for, in {@link System#nanoTime()} terms: the state holds every write that was
     *     finished by then; 0 for a state of the past
     */
    void onListed(FeedWriter.Repair outcome, String cause, long begunNanos);

    /** A new position has been published. */
    void onPublished();

    /** A list's form has been seen. */
    void onListHead(ListHead head);

    /** A list has been answered, and its answer carries these Warning headers. */
    void onWarnings(List<String> warnings);

    /** A bookmark's form has been seen: these bytes, which are the listener's now. */
    void onBookmark(byte[] object);

    /** An upstream watch is open, or is not any more. */
    void onWatching(boolean open);

    /** So many events have been written. */
    void onEvents(int count);

    /** An attempt has failed; the next follows. */
    void onTrouble(Throwable cause);

    /** The resource is gone, or may not be read any more. Nothing follows. */
    void onEnded(Throwable cause);
}
