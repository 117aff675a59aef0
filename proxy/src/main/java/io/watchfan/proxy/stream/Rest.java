package io.watchfan.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * What a stream still has to send of a unit that it has begun. A copy of at most one unit, or, of a larger line, references to
 * the shared bytes and an offset: either way a stuck client holds no frame.
 */
final class Rest {
    private final byte[][] pieces;
    private int piece;
    private int offset;

    private Rest(byte[][] pieces) {
        this.pieces = pieces;
    }

    static Rest copyOf(ByteBuf from, int offset, int length) {
        byte[] copy = new byte[length];
        from.getBytes(offset, copy);
        return new Rest(new byte[][] {copy});
    }

    static Rest of(byte[][] pieces, int skip) {
        Rest rest = new Rest(pieces);
        rest.skip(skip);
        return rest;
    }

    private void skip(int count) {
        int left = count;
        while (piece < pieces.length && left >= pieces[piece].length - offset) {
            left -= pieces[piece].length - offset;
            piece++;
            offset = 0;
        }
        offset += left;
    }

    /** The next bytes, at most {@code most}, in a buffer of the caller's; null when there are none. */
    ByteBuf next(ByteBufAllocator allocator, int most) {
        if (piece == pieces.length) {
            return null;
        }
        ByteBuf buffer = allocator.directBuffer(Math.min(most, remaining()));
        while (piece < pieces.length && buffer.readableBytes() < most) {
            int length = Math.min(most - buffer.readableBytes(), pieces[piece].length - offset);
            buffer.writeBytes(pieces[piece], offset, length);
            skip(length);
        }
        return buffer;
    }

    /** Whether {@link #next} has given all of it. */
    boolean isTaken() {
        return piece == pieces.length;
    }

    private int remaining() {
        int remaining = -offset;
        for (int i = piece; i < pieces.length; i++) {
            remaining += pieces[i].length;
        }
        return remaining;
    }
}
