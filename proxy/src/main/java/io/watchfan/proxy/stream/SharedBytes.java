package io.watchfan.proxy.stream;

import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/** Bytes that are written to many clients, as they are: a buffer around them, and no copy. */
public final class SharedBytes {
    private SharedBytes() {}

    /** A buffer of {@code parts}, one after another; they may not be changed any more. */
    public static Buffer of(byte[]... parts) {
        return BufferInternal.buffer(Unpooled.wrappedBuffer(parts));
    }
}
