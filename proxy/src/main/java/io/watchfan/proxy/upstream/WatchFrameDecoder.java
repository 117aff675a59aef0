package io.watchfan.proxy.upstream;

/** Cuts a watch in JSON into lines, one document each (W-090). Blank lines are passed over. */
final class WatchFrameDecoder extends FrameDecoder {
    private final Handler handler;
    private int scanned;

    WatchFrameDecoder(Handler handler) {
        this.handler = handler;
    }

    @Override
    int cut(byte[] bytes, int to) {
        int start = 0;
        for (int i = scanned; i < to; i++) {
            if (bytes[i] == '\n') {
                if (!isBlank(bytes, start, i) && !handler.onEvent(bytes, start, i - start)) {
                    return -1;
                }
                start = i + 1;
            }
        }
        scanned = to - start;
        return start;
    }

    private static boolean isBlank(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != ' ' && bytes[i] != '\r' && bytes[i] != '\t') {
                return false;
            }
        }
        return true;
    }
}
