package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;

/** Cuts the bytes of an upstream watch into events, whatever the chunks they come in. Confined to its feed's thread. */
interface FrameDecoder {
    /** Far above what an API server can store; what is longer is no event. */
    int MAX_EVENT_BYTES = 64 << 20;

    /** Where events go. The bytes are the decoder's and valid during the call only. */
    interface Handler {
        /** One event without what framed it; false stops the decoding, and what remains is dropped. */
        boolean onEvent(byte[] bytes, int offset, int length);
    }

    /**
     * Takes the next bytes and hands on every event that is whole.
     *
     * @return false when the handler wants no more, or an event is too long to be one
     */
    boolean feed(Buffer bytes);
}
