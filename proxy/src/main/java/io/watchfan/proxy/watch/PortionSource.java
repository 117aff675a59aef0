package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;

/** A body that is made portion by portion. */
interface PortionSource {
    /** The next portion; not to be called once all has been given. */
    Buffer next();

    /** Whether all has been given. */
    boolean isDone();
}
