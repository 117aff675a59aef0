package io.watchfan.proxy.wire;

import java.nio.charset.StandardCharsets;

/**
 * Walks over the fields of a message, without copying anything. A message within another is read by the same reader:
 *
 * <pre>{@code
 * int outer = reader.enter();      // at a field of type LENGTH
 * while (reader.hasNext()) {
 *     int field = reader.next();
 *     ...                          // read the field's value, or skip it
 * }
 * reader.leave(outer);
 * }</pre>
 *
 * <p>Never reads outside of the message it is in, whatever the bytes say. Not safe for several threads.
 */
public final class WireReader {
    /** The type of numbers and booleans. */
    public static final int VARINT = 0;
    /** The type of texts, bytes and messages. */
    public static final int LENGTH = 2;

    private static final int FIXED64 = 1;
    private static final int FIXED32 = 5;

    private byte[] bytes;
    private int position;
    private int end;
    private int type;

    /** Begins to read the message that {@code length} bytes from {@code offset} on are. */
    public void open(byte[] message, int offset, int length) {
        bytes = message;
        position = offset;
        end = offset + length;
    }

    /** Where it is. */
    public int position() {
        return position;
    }

    /** Whether the message that it is in has more fields. */
    public boolean hasNext() {
        return position < end;
    }

    /** Goes to the next field's value; the field's number. */
    public int next() throws WireFormatException {
        long tag = varint();
        long number = tag >>> 3;
        type = (int) tag & 7;
        if (number == 0 || number >= 1 << 29) {
            throw new WireFormatException("a field that cannot be: " + number);
        }
        return (int) number;
    }

    /** Whether the field it is at is a text, bytes or a message. */
    public boolean isLength() {
        return type == LENGTH;
    }

    /** Whether the field it is at is a number or a boolean. */
    public boolean isVarint() {
        return type == VARINT;
    }

    /** Reads a number. */
    public long varint() throws WireFormatException {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (position >= end) {
                throw new WireFormatException("a message ends within a number");
            }
            byte next = bytes[position++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new WireFormatException("a number of more than ten bytes");
    }

    /** Reads the length of the value it is at, and goes to the value's first byte. The value lies within the message. */
    public int length() throws WireFormatException {
        long length = varint();
        if (length < 0 || length > end - position) {
            throw new WireFormatException("a value of " + length + " bytes where " + (end - position) + " are left");
        }
        return (int) length;
    }

    /** Reads a text. */
    public String text() throws WireFormatException {
        int length = length();
        String text = new String(bytes, position, length, StandardCharsets.UTF_8);
        position += length;
        return text;
    }

    /** Enters the message that the field it is at holds; what {@link #leave} is to be given afterwards. */
    public int enter() throws WireFormatException {
        int length = length();
        int outer = end;
        end = position + length;
        return outer;
    }

    /** Leaves the message that was entered, all of which has been read. */
    public void leave(int outer) {
        assert position == end : "not read to its end";
        end = outer;
    }

    /** Leaves the message that was entered, whatever of it has been read. */
    public void leaveUnread(int outer) {
        position = end;
        end = outer;
    }

    /** Goes past the value it is at. */
    public void skip() throws WireFormatException {
        switch (type) {
            case VARINT -> varint();
            case LENGTH -> {
                int length = length();
                position += length;
            }
            case FIXED64 -> skip(8);
            case FIXED32 -> skip(4);
            default -> throw new WireFormatException("a field of type " + type);
        }
    }

    /** Goes past so many bytes, as of a value whose {@link #length} has been read. */
    public void skip(int count) throws WireFormatException {
        if (count > end - position) {
            throw new WireFormatException("a message ends within a value");
        }
        position += count;
    }
}
