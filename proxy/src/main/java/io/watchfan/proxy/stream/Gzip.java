package io.watchfan.proxy.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Compresses at the fastest level, as the API server does, in segments that know nothing of each other: a gzip member is
 * {@link #header}, any segments, and the {@link #trailer} of all their bytes. So a segment that has been made for one client is
 * right for whoever is to get the same bytes at the same place.
 *
 * <p>Each segment ends with a flush. Go's decoder holds the bytes of a last block back until it knows whether another member
 * follows, so the last block has none: what is in a member can be read before the next one comes.
 *
 * <p>One per event loop, and confined to it; memory outside of the heap is held until it is closed.
 */
public final class Gzip implements AutoCloseable {
    /** What is larger goes into a {@link #member} as it is: to compress it would keep the loop for milliseconds. */
    static final int MOST_COMPRESSED_BYTES = 256 << 10;

    /** As Go's writer begins: no name, no time, the fastest level, an unknown system. */
    private static final byte[] HEADER = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 4, (byte) 0xff};
    /** A last block with nothing in it. */
    private static final byte[] LAST_BLOCK = {3, 0};

    private static final int TRAILER_BYTES = LAST_BLOCK.length + 8;
    /** What comes before the bytes of a block that is stored: that it is, and twice its length. */
    private static final int STORED_HEAD_BYTES = 5;

    private static final int MOST_STORED_BYTES = 0xffff;
    /** With less room than that for a flush's marker it may be written twice. */
    private static final int LEAST_ROOM = 64;

    private static final int MOST_KEPT = 256 << 10;

    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    private final CRC32 crc = new CRC32();
    private byte[] out = new byte[32 << 10];
    private int members;

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
        return ByteBuffer.allocate(TRAILER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(LAST_BLOCK)
                .putInt((int) crc)
                .putInt((int) length)
                .array();
    }

    /** How many members have been made whole. */
    public int members() {
        return members;
    }

    /** Some bytes, compressed: whole blocks that end at a byte. Nothing for nothing. */
    public byte[] segment(byte[] bytes, int offset, int count) {
        if (count == 0) {
            return new byte[0];
        }
        shrink();
        int length = deflate(0, bytes, offset, count);
        return Arrays.copyOf(out, length);
    }

    /**
     * Makes a member of the first {@code count} bytes, at least one.
     *
     * @return how long it is; it is what {@link #lastMember} begins with
     */
    int member(byte[] bytes, int count) {
        members++;
        shrink();
        System.arraycopy(HEADER, 0, out, 0, HEADER.length);
        int length = count > MOST_COMPRESSED_BYTES
                ? store(HEADER.length, bytes, count)
                : deflate(HEADER.length, bytes, 0, count);
        crc.reset();
        crc.update(bytes, 0, count);
        return append(trailer(crc.getValue(), count), 0, TRAILER_BYTES, length);
    }

    /** What {@link #member} has made, until it makes another. */
    byte[] lastMember() {
        return out;
    }

    /** Puts the compressed bytes into {@link #out} from {@code at} on; where they end. */
    private int deflate(int at, byte[] bytes, int offset, int count) {
        deflater.reset();
        deflater.setInput(bytes, offset, count);
        int end = at;
        while (true) {
            if (out.length - end < LEAST_ROOM) {
                out = Arrays.copyOf(out, 2 * out.length);
            }
            int room = out.length - end;
            int written = deflater.deflate(out, end, room, Deflater.SYNC_FLUSH);
            end += written;
            if (written < room) {
                return end;
            }
        }
    }

    /** Puts the bytes into {@link #out} as they are, in blocks, the last of which is an empty one: a flush. */
    private int store(int at, byte[] bytes, int count) {
        int end = at;
        for (int from = 0; from < count; from += MOST_STORED_BYTES) {
            int length = Math.min(MOST_STORED_BYTES, count - from);
            end = append(storedHead(length), 0, STORED_HEAD_BYTES, end);
            end = append(bytes, from, length, end);
        }
        return append(storedHead(0), 0, STORED_HEAD_BYTES, end);
    }

    private static byte[] storedHead(int length) {
        return ByteBuffer.allocate(STORED_HEAD_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 0)
                .putShort((short) length)
                .putShort((short) ~length)
                .array();
    }

    private int append(byte[] bytes, int from, int count, int at) {
        if (out.length - at < count) {
            out = Arrays.copyOf(out, Math.max(at + count, 2 * out.length));
        }
        System.arraycopy(bytes, from, out, at, count);
        return at + count;
    }

    private void shrink() {
        if (out.length > MOST_KEPT) {
            out = new byte[MOST_KEPT];
        }
    }

    @Override
    public void close() {
        deflater.end();
    }
}
