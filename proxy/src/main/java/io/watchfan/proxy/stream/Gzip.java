package io.watchfan.proxy.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.Deflater;

/**
 * Compresses at the fastest level, as the API server does, in segments that know nothing of each other: a gzip member is
 * {@link #header}, any segments, and the {@link #trailer} of all their bytes. So a segment that has been made for one client is
 * right for whoever is to get the same bytes at the same place.
 *
 * <p>One per event loop, and confined to it; memory outside of the heap is held until it is closed.
 */
public final class Gzip implements AutoCloseable {
    /** As Go's writer begins: no name, no time, the fastest level, an unknown system. */
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 4, (byte) 0xff};
    /** A last block with nothing in it. */
    private static final byte[] LAST_BLOCK = {3, 0};
    /** With less room than that for a flush's marker it may be written twice. */
    private static final int LEAST_ROOM = 64;

    private static final int MOST_KEPT = 256 << 10;

    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    private byte[] out = new byte[32 << 10];

    /** What a member begins with; shared, and not to be changed. */
    public static byte[] header() {
        return HEADER;
    }

    /**
     * What a member ends with.
     *
     * @param crc the CRC-32 of all that is in it
     * @param length how many bytes those are
     */
    public static byte[] trailer(long crc, long length) {
        return ByteBuffer.allocate(LAST_BLOCK.length + 8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(LAST_BLOCK)
                .putInt((int) crc)
                .putInt((int) length)
                .array();
    }

    /** Some bytes, compressed: whole blocks that end at a byte. Nothing for nothing. */
    public byte[] segment(byte[] bytes, int offset, int count) {
        if (count == 0) {
            return new byte[0];
        }
        deflater.reset();
        deflater.setInput(bytes, offset, count);
        int length = 0;
        while (true) {
            if (out.length - length < LEAST_ROOM) {
                out = Arrays.copyOf(out, 2 * out.length);
            }
            int room = out.length - length;
            int written = deflater.deflate(out, length, room, Deflater.SYNC_FLUSH);
            length += written;
            if (written < room) {
                break;
            }
        }
        byte[] segment = Arrays.copyOf(out, length);
        if (out.length > MOST_KEPT) {
            out = new byte[MOST_KEPT];
        }
        return segment;
    }

    @Override
    public void close() {
        deflater.end();
    }
}
