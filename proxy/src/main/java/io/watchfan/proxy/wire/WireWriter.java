package io.watchfan.proxy.wire;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a small message field by field. Fields are written where they are called for, empty ones as well, as the API server
 * writes those that are not optional. Not safe for several threads.
 */
public final class WireWriter {
    private byte[] bytes = new byte[128];
    private int length;

    /** How many bytes {@code value}, which is not negative, takes as a number or a length. */
    public static int sizeOf(long value) {
        int size = 1;
        for (long rest = value >>> 7; rest != 0; rest >>>= 7) {
            size++;
        }
        return size;
    }

    /** How many bytes a field takes whose number is below 16 and whose value has {@code valueLength} bytes. */
    public static long sizeOfField(long valueLength) {
        return 1 + sizeOf(valueLength) + valueLength;
    }

    /** Appends a text. */
    public WireWriter text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Appends a message, or bytes. */
    public WireWriter bytes(int field, byte[] value) {
        return begin(field, value.length).raw(value);
    }

    /** Appends a message. */
    public WireWriter message(int field, WireWriter value) {
        begin(field, value.length);
        return raw(value.bytes, 0, value.length);
    }

    /** Appends the beginning of a field whose value of {@code valueLength} bytes follows. */
    public WireWriter begin(int field, long valueLength) {
        return varint((long) field << 3 | WireReader.LENGTH).varint(valueLength);
    }

    /** Appends a number. */
    public WireWriter number(int field, long value) {
        return varint((long) field << 3 | WireReader.VARINT).varint(value);
    }

    /** Appends these bytes as they are. */
    public WireWriter raw(byte[] value) {
        return raw(value, 0, value.length);
    }

    /** Appends some of these bytes as they are. */
    public WireWriter raw(byte[] from, int offset, int count) {
        ensure(count);
        System.arraycopy(from, offset, bytes, length, count);
        length += count;
        return this;
    }

    private WireWriter varint(long value) {
        ensure(10);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[length++] = (byte) (rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        return this;
    }

    private void ensure(int count) {
        if (bytes.length - length < count) {
            bytes = Arrays.copyOf(bytes, Math.max(length + count, 2 * bytes.length));
        }
    }

    /** How many bytes it has written. */
    public int length() {
        return length;
    }

    /** What it has written. The array is the caller's. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }
}
