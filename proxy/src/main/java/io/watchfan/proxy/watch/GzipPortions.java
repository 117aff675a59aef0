package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Another source's portions as one gzip member at the fastest level, as the API server compresses (W-125). */
final class GzipPortions implements PortionSource {
    private static final int PORTION_BYTES = 32 << 10;

    private final PortionSource source;
    private final ByteArrayOutputStream compressed = new ByteArrayOutputStream(64 << 10);
    private final Gzip gzip;
    private boolean done;

    /** A stream whose level can be chosen. */
    private static final class Gzip extends GZIPOutputStream {
        Gzip(ByteArrayOutputStream out) throws IOException {
            super(out, 32 << 10);
            def.setLevel(Deflater.BEST_SPEED);
        }

        void release() {
            def.end();
        }
    }

    /**
     * @param begun what has been taken from {@code source} already
     * @param source the rest
     */
    GzipPortions(Buffer begun, PortionSource source) {
        this.source = source;
        try {
            this.gzip = new Gzip(compressed);
            gzip.write(begun.getBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Buffer next() {
        try {
            while (!source.isDone() && compressed.size() < PORTION_BYTES) {
                gzip.write(source.next().getBytes());
            }
            if (source.isDone()) {
                gzip.finish();
                gzip.release();
                done = true;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Buffer portion = Buffer.buffer(compressed.toByteArray());
        compressed.reset();
        return portion;
    }

    @Override
    public boolean isDone() {
        return done;
    }
}
