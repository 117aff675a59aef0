package io.watchfan.proxy.stream;

import java.io.ByteArrayOutputStream;

/** What bytes are gathered in, again and again; its array can be looked at. Confined to its event loop. */
public final class ByteSink extends ByteArrayOutputStream {
    private static final int USUAL_BYTES = 128 << 10;
    private static final int MOST_KEPT_BYTES = 1 << 20;

    /** An empty one. */
    public ByteSink() {
        super(USUAL_BYTES);
    }

    /** Its bytes, up to {@link #size}; not to be changed, and others after a write. */
    public byte[] array() {
        return buf;
    }

    /** Empty again; what a large object has taken is given back. */
    @Override
    public synchronized void reset() {
        super.reset();
        if (buf.length > MOST_KEPT_BYTES) {
            buf = new byte[USUAL_BYTES];
        }
    }
}
