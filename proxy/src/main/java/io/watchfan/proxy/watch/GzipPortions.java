package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.stream.Gzip;
import io.watchfan.proxy.stream.SharedBytes;
import java.util.zip.CRC32;

/** One body that is there, as one gzip member (W-125). */
final class GzipPortions implements PortionSource {
    private static final int PORTION_BYTES = 64 << 10;

    private final Gzip gzip;
    private final byte[] body;
    private final CRC32 crc = new CRC32();
    private int next;

    /**
     * @param gzip the loop's
     * @param body not empty, and not changed any more
     */
    GzipPortions(Gzip gzip, byte[] body) {
        this.gzip = gzip;
        this.body = body;
    }

    @Override
    public Buffer next() {
        int from = next;
        int count = Math.min(PORTION_BYTES, body.length - from);
        next += count;
        crc.update(body, from, count);
        byte[] segment = gzip.segment(body, from, count);
        byte[] before = from == 0 ? Gzip.header() : new byte[0];
        return isDone()
                ? SharedBytes.of(before, segment, Gzip.trailer(crc.getValue(), body.length))
                : SharedBytes.of(before, segment);
    }

    @Override
    public boolean isDone() {
        return next == body.length;
    }

    @Override
    public void close() {}
}
