package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * Cuts the bytes of an upstream watch into lines, one JSON document each (W-090), whatever the chunks they come in. Blank
 * lines are passed over. Confined to its feed's thread.
 */
final class WatchFrameDecoder {
    /** Where lines go. The bytes are the decoder's and valid during the call only. */
    interface LineHandler {
        /** One line without its line feed; false stops the decoding, and what remains is dropped. */
        boolean onLine(byte[] bytes, int offset, int length);
    }

    /** Far above what an API server can store; a longer line is no event. */
    static final int MAX_LINE_BYTES = 64 << 20;

    private static final int INITIAL_BYTES = 64 << 10;

    private final LineHandler handler;
    private byte[] pending = new byte[INITIAL_BYTES];
    private int end;
    private int scanned;

    WatchFrameDecoder(LineHandler handler) {
        this.handler = handler;
    }

    /**
     * Takes the next bytes and hands on every line that is whole.
     *
     * @return false when the handler wants no more, or a line is too long to be one
     */
    boolean feed(Buffer bytes) {
        int length = bytes.length();
        if (pending.length - end < length) {
            if ((long) end + length > MAX_LINE_BYTES) {
                return false;
            }
            pending = Arrays.copyOf(pending, Math.min(MAX_LINE_BYTES, Math.max(end + length, 2 * pending.length)));
        }
        bytes.getBytes(0, length, pending, end);
        end += length;
        int start = 0;
        for (int i = scanned; i < end; i++) {
            if (pending[i] == '\n') {
                if (!isBlank(start, i) && !handler.onLine(pending, start, i - start)) {
                    return false;
                }
                start = i + 1;
            }
        }
        System.arraycopy(pending, start, pending, 0, end - start);
        end -= start;
        scanned = end;
        if (end == 0 && pending.length > 16 * INITIAL_BYTES) {
            pending = new byte[INITIAL_BYTES];
        }
        return true;
    }

    private boolean isBlank(int from, int to) {
        for (int i = from; i < to; i++) {
            if (pending[i] != ' ' && pending[i] != '\r' && pending[i] != '\t') {
                return false;
            }
        }
        return true;
    }
}
