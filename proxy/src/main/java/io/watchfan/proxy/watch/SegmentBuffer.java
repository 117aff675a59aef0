package io.watchfan.proxy.watch;

import java.io.ByteArrayOutputStream;

/**
 * What the bytes of a segment are gathered in: of all that is written only what lies behind a place, and no more than can be of
 * use, so that a part of a large object costs no more than that part. Used again and again; its array can be looked at.
 * Confined to its event loop.
 */
final class SegmentBuffer extends ByteArrayOutputStream {
    private final int mostBytes;
    private int toSkip;
    private int room;
    private long written;

    /**
     * @param mostBytes what is written behind so many bytes is not kept, see {@link #keepAll}
     */
    SegmentBuffer(int mostBytes) {
        super(mostBytes);
        this.mostBytes = mostBytes;
    }

    /** Empty again; the next {@code skipped} bytes are not kept. */
    void begin(int skipped) {
        reset();
        toSkip = skipped;
        room = mostBytes;
        written = -skipped;
    }

    /** From now on all that is written is kept. */
    void keepAll() {
        room = Integer.MAX_VALUE;
    }

    /** The bytes that are kept, up to {@link #size}; not to be changed, and others after a write. */
    byte[] array() {
        return buf;
    }

    /** How many bytes have been written behind those that are skipped, kept or not; negative while there are such to come. */
    long written() {
        return written;
    }

    @Override
    public synchronized void write(int oneByte) {
        written++;
        if (toSkip > 0) {
            toSkip--;
        } else if (room > 0) {
            room--;
            super.write(oneByte);
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        written += length;
        int skip = Math.min(toSkip, length);
        toSkip -= skip;
        int kept = Math.min(length - skip, room);
        room -= kept;
        super.write(bytes, offset + skip, kept);
    }
}
