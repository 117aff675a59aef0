package io.watchfan.proxy.testing;

import java.io.ByteArrayOutputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decodes gzip members, one after another, byte by byte as they come. Like Go's decoder it holds back what comes with a
 * member's last block until the next member begins, so a live stream must not have anything in it.
 */
public final class GzipMembers {
    private static final int[] HEADER = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff};

    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final byte[] out = new byte[64 << 10];
    private final byte[] tail = new byte[4];
    private final byte[] trailer = new byte[8];
    private int header;
    private int trailing = -1;
    private int members;

    /** What is in some members that are whole. */
    public static byte[] decode(byte[] bytes) {
        GzipMembers members = new GzipMembers();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte next : bytes) {
            all.writeBytes(members.feed(next & 0xff));
        }
        if (!members.isBetween()) {
            throw new AssertionError("it ends within a member");
        }
        return all.toByteArray();
    }

    /** How many members have come whole. */
    public int members() {
        return members;
    }

    /** Whether none has been begun that is not whole. */
    public boolean isBetween() {
        return header == 0 && trailing < 0;
    }

    /** Takes the next byte; what can be read with it. */
    public byte[] feed(int next) {
        if (trailing >= 0) {
            trailer[trailing++] = (byte) next;
            if (trailing == trailer.length) {
                end();
            }
            return new byte[0];
        }
        if (header < HEADER.length) {
            if (next != HEADER[header]) {
                throw new AssertionError("no member: " + next + " at " + header);
            }
            header++;
            return new byte[0];
        }
        return inflate((byte) next);
    }

    private byte[] inflate(byte next) {
        System.arraycopy(tail, 1, tail, 0, 3);
        tail[3] = next;
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        inflater.setInput(new byte[] {next});
        try {
            for (int n = inflater.inflate(out); n > 0; n = inflater.inflate(out)) {
                crc.update(out, 0, n);
                all.write(out, 0, n);
            }
        } catch (DataFormatException e) {
            throw new AssertionError("no deflate", e);
        }
        if (inflater.finished()) {
            // The end of a flush, and then a last block with nothing in it.
            if ((tail[0] & 0xff) != 0xff || (tail[1] & 0xff) != 0xff || tail[2] != 3 || tail[3] != 0) {
                throw new AssertionError("the last block is not an empty one that follows a flush");
            }
            trailing = 0;
        }
        return all.toByteArray();
    }

    private void end() {
        if (number(0) != crc.getValue() || number(4) != inflater.getBytesWritten()) {
            throw new AssertionError("CRC or length of member " + members);
        }
        members++;
        inflater.reset();
        crc.reset();
        header = 0;
        trailing = -1;
    }

    private long number(int at) {
        long number = 0;
        for (int i = 3; i >= 0; i--) {
            number = number << 8 | trailer[at + i] & 0xff;
        }
        return number;
    }
}
