package io.watchfan.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.watchfan.fanout.group.Line;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Frames lines: copies them, and what wraps them, once into one pooled direct buffer, which every stream in step is written
 * from. A frame belongs to whoever had it built, who releases it. Confined to one event loop.
 */
public final class FrameBuilder {
    /** Units hold whole lines up to so many bytes, or one larger line: the most that a stuck client has a copy of. */
    public static final int UNIT_BYTES = 32 << 10;

    private static final int MOST_AROUND_A_LINE = 20;
    /** What part of it compressed lines take, mostly; where they take more, the buffer grows. */
    private static final int COMPRESSED_TO = 4;

    /** What a binary line comes behind on a stream: its length. */
    private static final int LENGTH_BYTES = 4;

    private static final byte[] NOTHING = {};
    private static final byte[] CHUNK_END = {'\r', '\n'};

    private final Gzip gzip;
    /** The lines of a unit, before they are compressed. */
    private final ByteSink plain = new ByteSink();

    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final List<byte[][]> unit = new ArrayList<>();

    private FrameFormat format;
    private Frame frame;
    private Frame spare;
    private ByteBuf buffer;
    private int unitBytes;
    private long unitSequence;
    private long unitVersion;
    private long framedBytes;

    /**
     * @param gzip the loop's
     */
    public FrameBuilder(Gzip gzip) {
        this.gzip = gzip;
    }

    /** How many bytes have been framed so far: the work, however many get them. */
    public long framedBytes() {
        return framedBytes;
    }

    /** The frame of {@code lines} for streams of this format. */
    public Frame frame(FrameFormat of, List<Line> lines) {
        int bytes = 0;
        for (Line line : lines) {
            bytes += of.lines().mostBytes(line) + MOST_AROUND_A_LINE;
        }
        begin(of, bytes);
        try {
            for (Line line : lines) {
                add(line);
            }
            return end();
        } catch (RuntimeException | Error e) {
            abandon();
            throw e;
        }
    }

    /** Nothing of a frame that could not be built may get into the next one, which is for others. */
    private void abandon() {
        unit.clear();
        unitBytes = 0;
        unitSequence = 0;
        unitVersion = 0;
        buffer = null;
        frame.release();
        frame = null;
    }

    /**
     * The frame of one line that is no event of the log: a bookmark, an error.
     *
     * @param line the complete line
     * @param version the version it shows; 0 for none
     */
    public Frame frame(FrameFormat of, byte[] line, long version) {
        begin(of, line.length + MOST_AROUND_A_LINE);
        add(line, version);
        return end();
    }

    /** Begins a frame; lines are added, and it is ended. */
    void begin(FrameFormat of, int expectedBytes) {
        assert buffer == null : "a frame is being built already";
        format = of;
        buffer = allocator.directBuffer(
                Math.max(256, of.isCompressed() ? expectedBytes / COMPRESSED_TO : expectedBytes));
        frame = spare == null ? new Frame(this) : spare;
        spare = null;
        frame.open(buffer);
    }

    private boolean fitsUnit(int length) {
        return unitBytes + length <= UNIT_BYTES;
    }

    void add(Line line) {
        add(format.lines().pieces(line), line.sequence(), line.resourceVersion());
    }

    void add(byte[] line, long version) {
        add(new byte[][] {line}, 0, version);
    }

    private void add(byte[][] pieces, long sequence, long version) {
        int length = lengthOf(pieces);
        if (!unit.isEmpty() && !fitsUnit(length)) {
            closeUnit();
        }
        unit.add(pieces);
        unitBytes += length;
        unitSequence = sequence;
        unitVersion = Math.max(unitVersion, version);
    }

    private void closeUnit() {
        byte[][] large = format.isCompressed() ? writeCompressed() : writePlain();
        frame.addUnit(buffer.writerIndex(), unitSequence, unitVersion, unit.size(), large);
        unit.clear();
        unitBytes = 0;
    }

    /** Writes the lines of the unit as one member, in one chunk; its pieces, if it is a large one. */
    private byte[][] writeCompressed() {
        plain.reset();
        for (byte[][] pieces : unit) {
            if (format.lines().isBinary()) {
                plain.writeBytes(length(lengthOf(pieces)));
            }
            for (byte[] piece : pieces) {
                plain.writeBytes(piece);
            }
        }
        int length = gzip.member(plain.array(), plain.size());
        byte[] head = format.framing() == Framing.CHUNKED ? chunkHead(length) : NOTHING;
        byte[] tail = tail();
        buffer.writeBytes(head).writeBytes(gzip.lastMember(), 0, length).writeBytes(tail);
        return length > UNIT_BYTES ? new byte[][] {head, Arrays.copyOf(gzip.lastMember(), length), tail} : null;
    }

    private byte[] tail() {
        return format.framing() == Framing.CHUNKED ? CHUNK_END : NOTHING;
    }

    private static int lengthOf(byte[][] pieces) {
        int length = 0;
        for (byte[] piece : pieces) {
            length += piece.length;
        }
        return length;
    }

    private static byte[] length(int length) {
        return ByteBuffer.allocate(LENGTH_BYTES).putInt(length).array();
    }

    /** Writes the lines of the unit, each by itself; the pieces of a large one. */
    private byte[][] writePlain() {
        byte[] tail = tail();
        byte[][] large = null;
        for (byte[][] pieces : unit) {
            int length = lengthOf(pieces);
            byte[] head = head(length);
            buffer.writeBytes(head);
            for (byte[] piece : pieces) {
                buffer.writeBytes(piece);
            }
            buffer.writeBytes(tail);
            if (length > UNIT_BYTES) {
                large = new byte[pieces.length + 2][];
                large[0] = head;
                System.arraycopy(pieces, 0, large, 1, pieces.length);
                large[pieces.length + 1] = tail;
            }
        }
        return large;
    }

    private byte[] head(int length) {
        boolean binary = format.lines().isBinary();
        return switch (format.framing()) {
            case CHUNKED -> chunkHead(length, binary);
            case WEBSOCKET -> webSocketHead(length, binary);
            case PLAIN -> binary ? length(length) : NOTHING;
        };
    }

    private static byte[] chunkHead(int length) {
        return (Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] chunkHead(int length, boolean binary) {
        byte[] size = chunkHead(binary ? length + LENGTH_BYTES : length);
        return binary
                ? ByteBuffer.allocate(size.length + LENGTH_BYTES)
                        .put(size)
                        .putInt(length)
                        .array()
                : size;
    }

    /** A final frame, of text or binary, without a mask (RFC 6455, 5.2). */
    private static byte[] webSocketHead(int length, boolean binary) {
        ByteBuffer head = ByteBuffer.allocate(length < 126 ? 2 : length < 1 << 16 ? 4 : 10);
        head.put((byte) (binary ? 0x82 : 0x81));
        if (length < 126) {
            head.put((byte) length);
        } else if (length < 1 << 16) {
            head.put((byte) 126).putShort((short) length);
        } else {
            head.put((byte) 127).putLong(length);
        }
        return head.array();
    }

    Frame end() {
        if (!unit.isEmpty()) {
            closeUnit();
        }
        unitVersion = 0;
        framedBytes += buffer.readableBytes();
        buffer = null;
        Frame ended = frame;
        frame = null;
        return ended;
    }

    void reuse(Frame released) {
        spare = released;
    }
}
