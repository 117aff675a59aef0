package io.watchfan.loadtest.swarm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Cuts a stream of bytes, however it is split on the way, into lines. A line that came whole is handed on where it
 * lies; of one that did not, the beginning is kept. Confined to one thread.
 */
final class LineScanner {
    /** Longer lines are an error: no API server sends objects of this size. */
    static final int MAX_LINE_BYTES = 8 << 20;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long NEWLINES = 0x0a0a0a0a0a0a0a0aL;
    private static final long LOW_BITS = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final byte[] NOTHING = {};

    private final LineSink sink;
    private byte[] kept = NOTHING;
    private int keptBytes;

    LineScanner(LineSink sink) {
        this.sink = sink;
    }

    /**
     * Takes the next bytes of the stream; they are not kept by reference.
     *
     * @throws IllegalStateException when a line is too long
     */
    void feed(byte[] bytes, int from, int to) {
        int start = from;
        while (start < to) {
            byte[] expected = keptBytes == 0 ? sink.expectedLine() : null;
            if (expected != null && isNext(expected, bytes, start, to)) {
                sink.onExpectedLine();
                start += expected.length + 1;
                continue;
            }
            int newline = indexOfNewline(bytes, start, to);
            if (newline < 0) {
                keep(bytes, start, to);
                return;
            }
            if (keptBytes == 0) {
                sink.onLine(bytes, start, newline);
            } else {
                keep(bytes, start, newline);
                byte[] line = kept;
                int length = keptBytes;
                reset();
                sink.onLine(line, 0, length);
            }
            start = newline + 1;
        }
    }

    private static boolean isNext(byte[] expected, byte[] bytes, int from, int to) {
        int newline = from + expected.length;
        return newline < to
                && bytes[newline] == '\n'
                && Arrays.equals(expected, 0, expected.length, bytes, from, newline);
    }

    /** How many bytes of an unfinished line there are. */
    int pendingBytes() {
        return keptBytes;
    }

    /** Forgets an unfinished line: a new stream begins. */
    void reset() {
        kept = NOTHING;
        keptBytes = 0;
    }

    private void keep(byte[] bytes, int from, int to) {
        int length = keptBytes + to - from;
        if (length > MAX_LINE_BYTES) {
            throw new IllegalStateException("a line of more than " + MAX_LINE_BYTES + " bytes");
        }
        if (length > kept.length) {
            kept = Arrays.copyOf(kept, Math.max(length, Math.min(2 * kept.length, MAX_LINE_BYTES)));
        }
        System.arraycopy(bytes, from, kept, keptBytes, to - from);
        keptBytes = length;
    }

    /** The first newline, found eight bytes at a time; -1 when there is none. */
    static int indexOfNewline(byte[] bytes, int from, int to) {
        int i = from;
        for (; i + Long.BYTES <= to; i += Long.BYTES) {
            long zeroWhereNewline = (long) LONGS.get(bytes, i) ^ NEWLINES;
            long found = (zeroWhereNewline - LOW_BITS) & ~zeroWhereNewline & HIGH_BITS;
            if (found != 0) {
                return i + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        for (; i < to; i++) {
            if (bytes[i] == '\n') {
                return i;
            }
        }
        return -1;
    }
}
