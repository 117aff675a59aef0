package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;

/** A body that is made portion by portion, for one client. */
interface PortionSource extends AutoCloseable {
    /** The next portion, which may be empty; not to be called once all has been given. */
    Buffer next();

    /** Whether all has been given. */
    boolean isDone();

    /** Lets go of what it is made from: all has been sent, or the client is gone. May be called again. */
    @Override
    void close();
}
