package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/** Cuts a watch in protobuf into messages, each of which comes behind its length in four bytes (W-106). */
final class LengthFrameDecoder implements FrameDecoder {
    private static final int LENGTH_BYTES = 4;
    private static final int INITIAL_BYTES = 64 << 10;

    private final Handler handler;
    private byte[] pending = new byte[INITIAL_BYTES];
    private int end;

    LengthFrameDecoder(Handler handler) {
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
        while (end - start >= LENGTH_BYTES) {
            int frame = frameLength(start);
            if (frame < 0 || frame > MAX_EVENT_BYTES - LENGTH_BYTES) {
                return false;
            }
            if (end - start - LENGTH_BYTES < frame) {
                break;
            }
            if (!handler.onEvent(pending, start + LENGTH_BYTES, frame)) {
                return false;
            }
            start += LENGTH_BYTES + frame;
        }
        System.arraycopy(pending, start, pending, 0, end - start);
        end -= start;
        if (end == 0 && pending.length > 16 * INITIAL_BYTES) {
            pending = new byte[INITIAL_BYTES];
        }
        return true;
    }

    private int frameLength(int at) {
        return pending[at] << 24
                | (pending[at + 1] & 0xff) << 16
                | (pending[at + 2] & 0xff) << 8
                | pending[at + 3] & 0xff;
    }
}
