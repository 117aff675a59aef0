package io.watchfan.k8s;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Messages as texts in which one field may be left out, whatever the lengths around it are. */
final class ProtobufText {
    /** In a WatchEvent: object, raw, and in that the message, metadata, resourceVersion. */
    private static final int[] VERSION = {2, 1, 2, 1, 6};

    private final byte[] bytes;
    private int at;

    private ProtobufText(byte[] bytes) {
        this.bytes = bytes;
    }

    /** An event with N as the version of its object. */
    static String withoutVersion(byte[] event) {
        return new ProtobufText(event).text(VERSION);
    }

    /** A list with N as the token of its next page; {@code metadata} is the field of its ListMeta. */
    static String withoutToken(byte[] list, int metadata) {
        return new ProtobufText(list).text(new int[] {2, metadata, 3});
    }

    static boolean contains(byte[] bytes, String text) {
        return new String(bytes, StandardCharsets.ISO_8859_1).contains(text);
    }

    private String text(int[] path) {
        StringBuilder text = new StringBuilder();
        if (bytes.length >= 4 && bytes[0] == 'k' && bytes[3] == 0) {
            text.append("k8s ");
            at = 4;
        }
        while (at < bytes.length) {
            int from = at;
            long tag = varint();
            int field = (int) (tag >>> 3);
            if ((tag & 7) == 0) {
                varint();
            } else {
                int length = (int) varint();
                byte[] value = Arrays.copyOfRange(bytes, at, at + length);
                at += length;
                if (path.length > 0 && field == path[0]) {
                    text.append(field)
                            .append('{')
                            .append(
                                    path.length == 1
                                            ? "N"
                                            : new ProtobufText(value).text(Arrays.copyOfRange(path, 1, path.length)))
                            .append('}');
                    continue;
                }
            }
            text.append(HexFormat.of().formatHex(bytes, from, at)).append(' ');
        }
        return text.toString();
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = bytes[at++];
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }
}
