package io.watchfan.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.group.Line;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Frames lines: copies them, and what wraps them, once into one pooled direct buffer, which every stream in step is written
 * from. A frame belongs to whoever had it built, who releases it. Confined to one event loop.
 */
public final class FrameBuilder {
    /** Units hold whole lines up to so many bytes, or one larger line: the most that a stuck client has a copy of. */
    public static final int UNIT_BYTES = 32 << 10;

    /** The type before, the end behind, and a version that is longer than the object's own. */
    private static final int MOST_AROUND_AN_OBJECT = 64;

    private static final int MOST_AROUND_A_LINE = 16;

    private static final byte[] LINE_END = {'}', '\n'};
    private static final byte[] NOTHING = {};
    private static final byte[] CHUNK_END = {'\r', '\n'};
    private static final Map<EventType, byte[]> HEADS = new EnumMap<>(EventType.class);

    static {
        for (EventType type : EventType.values()) {
            HEADS.put(type, ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.US_ASCII));
        }
    }

    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final List<byte[][]> unit = new ArrayList<>();

    private Framing framing;
    private Frame frame;
    private Frame spare;
    private ByteBuf buffer;
    private int unitBytes;
    private long unitSequence;
    private long unitVersion;

    /** What {@code line} takes in a frame at most, in bytes, without what wraps it. */
    public static int sizeOf(Line line) {
        return line.source().bytes().length + MOST_AROUND_AN_OBJECT;
    }

    /** The frame of {@code lines} for streams of this framing. */
    public Frame frame(Framing of, List<Line> lines) {
        int bytes = 0;
        for (Line line : lines) {
            bytes += sizeOf(line) + MOST_AROUND_A_LINE;
        }
        begin(of, bytes);
        for (Line line : lines) {
            add(line);
        }
        return end();
    }

    /**
     * The frame of one line that is no event of the log: a bookmark, an error.
     *
     * @param line the complete line with its line feed
     * @param version the version it shows; 0 for none
     */
    public Frame frame(Framing of, byte[] line, long version) {
        begin(of, line.length + MOST_AROUND_A_LINE);
        add(line, version);
        return end();
    }

    /** Begins a frame; lines are added, and it is ended. */
    void begin(Framing of, int expectedBytes) {
        assert buffer == null : "a frame is being built already";
        framing = of;
        buffer = allocator.directBuffer(Math.max(256, expectedBytes));
        frame = spare == null ? new Frame(this) : spare;
        spare = null;
        frame.open(buffer);
    }

    private boolean fitsUnit(int length) {
        return unitBytes + length <= UNIT_BYTES;
    }

    void add(Line line) {
        byte[] json = line.source().bytes();
        byte[][] pieces;
        if (line.isSpliced()) {
            int at = line.source().versionOffset();
            int after = at + line.source().versionLength();
            pieces = new byte[][] {
                HEADS.get(line.type()),
                slice(json, 0, at),
                Long.toString(line.resourceVersion()).getBytes(StandardCharsets.US_ASCII),
                slice(json, after, json.length),
                LINE_END
            };
        } else {
            pieces = new byte[][] {HEADS.get(line.type()), json, LINE_END};
        }
        add(pieces, line.sequence(), line.resourceVersion());
    }

    private static byte[] slice(byte[] bytes, int from, int to) {
        return Arrays.copyOfRange(bytes, from, to);
    }

    void add(byte[] line, long version) {
        add(new byte[][] {line}, 0, version);
    }

    private void add(byte[][] pieces, long sequence, long version) {
        int length = 0;
        for (byte[] piece : pieces) {
            length += piece.length;
        }
        if (!unit.isEmpty() && !fitsUnit(length)) {
            closeUnit();
        }
        unit.add(pieces);
        unitBytes += length;
        unitSequence = sequence;
        unitVersion = Math.max(unitVersion, version);
    }

    private void closeUnit() {
        byte[] tail = framing == Framing.CHUNKED ? CHUNK_END : NOTHING;
        byte[][] large = null;
        for (byte[][] pieces : unit) {
            int length = 0;
            for (byte[] piece : pieces) {
                length += piece.length;
            }
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
        frame.addUnit(buffer.writerIndex(), unitSequence, unitVersion, unit.size(), large);
        unit.clear();
        unitBytes = 0;
    }

    private byte[] head(int length) {
        return switch (framing) {
            case CHUNKED -> (Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            case WEBSOCKET -> webSocketHead(length);
            case PLAIN -> NOTHING;
        };
    }

    /** A final text frame without a mask (RFC 6455, 5.2). */
    private static byte[] webSocketHead(int length) {
        final byte finalText = (byte) 0x81;
        if (length < 126) {
            return new byte[] {finalText, (byte) length};
        }
        if (length < 1 << 16) {
            return new byte[] {finalText, 126, (byte) (length >>> 8), (byte) length};
        }
        return new byte[] {
            finalText,
            127,
            0,
            0,
            0,
            0,
            (byte) (length >>> 24),
            (byte) (length >>> 16),
            (byte) (length >>> 8),
            (byte) length
        };
    }

    Frame end() {
        if (!unit.isEmpty()) {
            closeUnit();
        }
        unitVersion = 0;
        buffer = null;
        Frame ended = frame;
        frame = null;
        return ended;
    }

    void reuse(Frame released) {
        spare = released;
    }
}
