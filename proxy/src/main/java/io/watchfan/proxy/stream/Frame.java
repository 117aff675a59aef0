package io.watchfan.proxy.stream;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Some lines, framed once, for all streams of one framing that are to get them: a sequence of units, each of which a stream
 * takes whole, if not at once. Confined to its event loop; valid until its last user has released it there.
 */
public final class Frame {
    private ByteBuf bytes;
    private int units;
    private int users;
    private int[] lines = new int[16];
    private int[] ends = new int[16];
    private long[] sequences = new long[16];
    private long[] versions = new long[16];

    /** For a unit of one line that is larger than a unit may otherwise be: the pieces that it was made of. */
    private byte[][][] pieces = new byte[16][][];

    private final FrameBuilder builder;

    Frame(FrameBuilder builder) {
        this.builder = builder;
    }

    void open(ByteBuf buffer) {
        bytes = buffer;
        units = 0;
        users = 1;
    }

    void addUnit(int end, long sequence, long version, int lineCount, byte[][] large) {
        if (units == ends.length) {
            ends = Arrays.copyOf(ends, 2 * units);
            sequences = Arrays.copyOf(sequences, 2 * units);
            versions = Arrays.copyOf(versions, 2 * units);
            pieces = Arrays.copyOf(pieces, 2 * units);
            lines = Arrays.copyOf(lines, 2 * units);
        }
        ends[units] = end;
        sequences[units] = sequence;
        versions[units] = version;
        pieces[units] = large;
        lines[units] = lineCount + linesOf(units);
        units++;
    }

    /** One user more, who will release it, too. */
    public void retain() {
        users++;
    }

    /** One user less; the last one gives its memory back. */
    public void release() {
        assert users > 0 : "released too often";
        if (--users > 0) {
            return;
        }
        Arrays.fill(pieces, 0, units, null);
        bytes.release();
        bytes = null;
        builder.reuse(this);
    }

    /** How much memory it holds, in bytes. */
    public int capacity() {
        return bytes.capacity();
    }

    ByteBuf bytes() {
        return bytes;
    }

    /** How many units there are. */
    public int units() {
        return units;
    }

    /** How many lines there are in the first {@code unitCount} units. */
    public int linesOf(int unitCount) {
        return unitCount == 0 ? 0 : lines[unitCount - 1];
    }

    /** How many bytes there are in the first {@code unitCount} units. */
    public int bytesOf(int unitCount) {
        return unitCount == 0 ? 0 : ends[unitCount - 1];
    }

    /** How many bytes there are. */
    public int length() {
        return units == 0 ? 0 : ends[units - 1];
    }

    /** The sequence of the last line of {@code unit}; 0 for lines that are no events of the log. */
    public long sequence(int unit) {
        return sequences[unit];
    }

    /** The highest version shown by the end of {@code unit}; 0 when it shows none. */
    public long version(int unit) {
        return versions[unit];
    }

    int start(int unit) {
        return unit == 0 ? 0 : ends[unit - 1];
    }

    int end(int unit) {
        return ends[unit];
    }

    /** The unit that holds the byte at {@code offset}. */
    int unitAt(int offset) {
        int unit = Arrays.binarySearch(ends, 0, units, offset);
        return unit >= 0 ? unit + 1 : -unit - 1;
    }

    /** What is left of {@code unit} from {@code offset} of the frame on, independent of the frame. */
    Rest rest(int unit, int offset) {
        return pieces[unit] == null
                ? Rest.copyOf(bytes, offset, ends[unit] - offset)
                : Rest.of(pieces[unit], offset - start(unit));
    }
}
