package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * Cuts the bytes of an upstream watch into events, whatever the chunks they come in: keeps what has come of an event until it
 * is whole. Confined to its feed's thread.
 */
abstract class FrameDecoder {
    /** Far above what an API server can store; what is longer is no event. */
    static final int MAX_EVENT_BYTES = 64 << 20;

    private static final int INITIAL_BYTES = 64 << 10;

    /** Where events go. The bytes are the decoder's and valid during the call only. */
    interface Handler {
        /** One event without what framed it; false stops the decoding, and what remains is dropped. */
        boolean onEvent(byte[] bytes, int offset, int length);
    }

    private byte[] pending = new byte[INITIAL_BYTES];
    private int end;

    /**
     * Hands on every event that is whole.
     *
     * @param bytes what has come and is not done with, from 0
     * @param to where that ends
     * @return where what is left begins; -1 when the handler wants no more, or an event is too long to be one
     */
    abstract int cut(byte[] bytes, int to);

    /**
     * Takes the next bytes and hands on every event that is whole.
     *
     * @return false when the handler wants no more, or an event is too long to be one
     */
    final boolean feed(Buffer bytes) {
        int length = bytes.length();
        if (pending.length - end < length) {
            if ((long) end + length > MAX_EVENT_BYTES) {
                return false;
            }
            pending = Arrays.copyOf(pending, Math.min(MAX_EVENT_BYTES, Math.max(end + length, 2 * pending.length)));
        }
        bytes.getBytes(0, length, pending, end);
        end += length;
        int start = cut(pending, end);
        if (start < 0) {
            return false;
        }
        System.arraycopy(pending, start, pending, 0, end - start);
        end -= start;
        if (end == 0 && pending.length > 16 * INITIAL_BYTES) {
            pending = new byte[INITIAL_BYTES];
        }
        return true;
    }
}
