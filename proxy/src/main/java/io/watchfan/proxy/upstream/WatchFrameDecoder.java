package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * Cuts the bytes of an upstream watch into lines, one JSON document each (W-090), whatever the chunks they come in. Blank
 * lines are passed over. Confined to its feed's thread.
 */
final class WatchFrameDecoder implements FrameDecoder {
    private static final int INITIAL_BYTES = 64 << 10;

    private final Handler handler;
    private byte[] pending = new byte[INITIAL_BYTES];
    private int end;
    private int scanned;

    WatchFrameDecoder(Handler handler) {
        this.handler = handler;
    }

    @Override
    public boolean feed(Buffer bytes) {
        int length = bytes.length();
        if (pending.length - end < length) {
            if ((long) end + length > MAX_EVENT_BYTES) {
                return false;
            }
            pending = Arrays.copyOf(pending, Math.min(MAX_EVENT_BYTES, Math.max(end + length, 2 * pending.length)));
        }
        bytes.getBytes(0, length, pending, end);
        end += length;
        int start = 0;
        for (int i = scanned; i < end; i++) {
            if (pending[i] == '\n') {
                if (!isBlank(start, i) && !handler.onEvent(pending, start, i - start)) {
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
