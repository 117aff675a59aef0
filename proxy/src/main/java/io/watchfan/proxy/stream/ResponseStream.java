package io.watchfan.proxy.stream;

import io.vertx.core.Future;

/**
 * One client's stream, as a dispatcher sees it. Confined to the event loop of its connection.
 *
 * <p>A stream is writable, or it is still sending the rest of the last unit it has begun; a stream that is not writable is
 * handed nothing. No stream holds more than that rest.
 */
public interface ResponseStream {
    /** How frames for this stream are to be built. */
    Framing framing();

    /** Whether it takes units now: it is open and has nothing left to send. */
    boolean isWritable();

    /**
     * Sends units of {@code frame} from {@code fromUnit} on, as many as it can; at least one is taken, if not sent at once.
     * Call only when writable.
     *
     * @return the first unit that was not taken; the number of units when all were
     */
    int write(Frame frame, int fromUnit);

    /** {@code action} is run whenever the stream, not having been writable, has become so. */
    void onDrain(Runnable action);

    /**
     * Ends it cleanly, once what it has begun is sent.
     *
     * @return succeeds when the end is out, as far as the operating system is concerned
     */
    Future<Void> end();

    /** Cuts it. */
    void abort();

    /** How many bytes the client has taken so far, as far as it can be told; only ever grows. */
    long taken();
}
