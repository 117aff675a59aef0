package io.watchfan.proxy.upstream;

/** Cuts a watch in protobuf into messages, each of which comes behind its length in four bytes (W-106). */
final class LengthFrameDecoder extends FrameDecoder {
    private static final int LENGTH_BYTES = 4;

    private final Handler handler;

    LengthFrameDecoder(Handler handler) {
        this.handler = handler;
    }

    @Override
    int cut(byte[] bytes, int to) {
        int start = 0;
        while (to - start >= LENGTH_BYTES) {
            int frame = lengthAt(bytes, start);
            if (frame < 0 || frame > MAX_EVENT_BYTES - LENGTH_BYTES) {
                return -1;
            }
            if (to - start - LENGTH_BYTES < frame) {
                break;
            }
            if (!handler.onEvent(bytes, start + LENGTH_BYTES, frame)) {
                return -1;
            }
            start += LENGTH_BYTES + frame;
        }
        return start;
    }

    private static int lengthAt(byte[] bytes, int at) {
        return bytes[at] << 24 | (bytes[at + 1] & 0xff) << 16 | (bytes[at + 2] & 0xff) << 8 | bytes[at + 3] & 0xff;
    }
}
