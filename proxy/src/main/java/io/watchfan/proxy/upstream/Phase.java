package io.watchfan.proxy.upstream;

import io.vertx.core.MultiMap;

/** What becomes of a {@link WatchStream}. Any call but {@link #patienceMillis()} may close the stream: none follows then. */
interface Phase {
    /** The server has opened the stream, with these headers. */
    void onOpened(MultiMap headers);

    /** The server has refused to open the stream. */
    void onRefused(UpstreamStatusException refusal);

    /** The next event. */
    void onEvent(DecodedEvent event) throws MalformedObjectException;

    /** After the last event of a buffer. */
    void onBufferEnd();

    /** What follows cannot be read; all that came before it has been told. */
    void onGarbage(MalformedObjectException what);

    /** How long the stream may say nothing, in milliseconds. */
    long patienceMillis();

    /** It has said nothing for longer. */
    void onSilence();

    /**
     * The server has ended the stream in good order.
     *
     * @param empty it told no event and was short: no progress, whatever is asked again (W-215)
     */
    void onEnd(boolean empty);

    /** There was no connection to be had, or it broke. */
    void onBroken(Throwable cause);
}
