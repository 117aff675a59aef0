package io.watchfan.proxy.request;

import java.util.Arrays;

/** Go's rules for text: percent-decoding, UTF-8 with its errors kept, and the two ways of quoting. */
final class GoText {
    private static final char[] HEX = "0123456789abcdef".toCharArray();
    private static final char[] UPPER_HEX = "0123456789ABCDEF".toCharArray();
    /** What is added to a byte that is not UTF-8, to keep it in a string. */
    private static final int ESCAPED_BYTE = 0xDC00;

    private GoText() {}

    /**
     * Percent-decodes {@code raw}, one char per byte as it came (chars from U+0100 stand for their UTF-8).
     *
     * @param plusIsSpace true in a query, false in a path
     * @return null when a percent sign is not followed by two hexadecimal digits
     */
    static String unescape(String raw, boolean plusIsSpace) {
        if (isPlain(raw, plusIsSpace)) {
            return raw;
        }
        byte[] bytes = new byte[raw.length() * 3];
        int length = 0;
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                int high = i + 2 < raw.length() ? Character.digit(raw.charAt(i + 1), 16) : -1;
                int low = high < 0 ? -1 : Character.digit(raw.charAt(i + 2), 16);
                if (low < 0 || raw.charAt(i + 1) > 'f' || raw.charAt(i + 2) > 'f') {
                    return null;
                }
                bytes[length++] = (byte) (high << 4 | low);
                i += 2;
            } else if (c < 0x100) {
                bytes[length++] = (byte) (c == '+' && plusIsSpace ? ' ' : c);
            } else {
                int codePoint = raw.codePointAt(i);
                byte[] encoded = utf8(raw.substring(i, i + Character.charCount(codePoint)));
                System.arraycopy(encoded, 0, bytes, length, encoded.length);
                length += encoded.length;
                i += Character.charCount(codePoint) - 1;
            }
        }
        return decodeUtf8(bytes, length);
    }

    private static boolean isPlain(String raw, boolean plusIsSpace) {
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c >= 0x80 || c == '%' || (c == '+' && plusIsSpace)) {
                return false;
            }
        }
        return true;
    }

    /** The text of these bytes; each byte that is no part of valid UTF-8 is kept as a lone surrogate. */
    static String decodeUtf8(byte[] bytes, int length) {
        StringBuilder text = new StringBuilder(length);
        int at = 0;
        while (at < length) {
            int size = sequenceLength(bytes, at, length);
            int lead = bytes[at] & 0xff;
            if (size == 0) {
                text.append((char) (ESCAPED_BYTE + lead));
                at++;
            } else if (size == 1) {
                text.append((char) lead);
                at++;
            } else {
                int codePoint = lead & (0x7f >> size);
                for (int i = 1; i < size; i++) {
                    codePoint = codePoint << 6 | (bytes[at + i] & 0x3f);
                }
                text.appendCodePoint(codePoint);
                at += size;
            }
        }
        return text.toString();
    }

    /** Length of the valid sequence that begins here, 0 when none does. */
    private static int sequenceLength(byte[] bytes, int at, int length) {
        int lead = bytes[at] & 0xff;
        if (lead < 0x80) {
            return 1;
        }
        int size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
        if (size == 0 || at + size > length) {
            return 0;
        }
        // The second byte tells overlong forms, surrogates and what is beyond U+10FFFF.
        int second = bytes[at + 1] & 0xff;
        int least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        int most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (second < least || second > most) {
            return 0;
        }
        for (int i = 2; i < size; i++) {
            if ((bytes[at + i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return size;
    }

    /** The bytes of a text from {@link #decodeUtf8}: its inverse. */
    static byte[] utf8(String text) {
        byte[] bytes = new byte[text.length() * 3];
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            int c = text.codePointAt(i);
            if (c < 0x80) {
                bytes[length++] = (byte) c;
            } else if (isEscapedByte(c)) {
                bytes[length++] = (byte) (c - ESCAPED_BYTE);
            } else if (c < 0x800) {
                bytes[length++] = (byte) (0xc0 | c >> 6);
                bytes[length++] = (byte) (0x80 | (c & 0x3f));
            } else if (c < 0x10000) {
                bytes[length++] = (byte) (0xe0 | c >> 12);
                bytes[length++] = (byte) (0x80 | (c >> 6 & 0x3f));
                bytes[length++] = (byte) (0x80 | (c & 0x3f));
            } else {
                bytes[length++] = (byte) (0xf0 | c >> 18);
                bytes[length++] = (byte) (0x80 | (c >> 12 & 0x3f));
                bytes[length++] = (byte) (0x80 | (c >> 6 & 0x3f));
                bytes[length++] = (byte) (0x80 | (c & 0x3f));
                i++;
            }
        }
        return Arrays.copyOf(bytes, length);
    }

    private static boolean isEscapedByte(int codePoint) {
        return codePoint >= ESCAPED_BYTE + 0x80 && codePoint <= ESCAPED_BYTE + 0xff;
    }

    /** True when the text came from bytes that were not all UTF-8. */
    static boolean hasEscapedByte(String text) {
        return text.codePoints().anyMatch(GoText::isEscapedByte);
    }

    /** Percent-encodes what may not stand in a path segment as it is. */
    static String escapeSegment(String segment) {
        StringBuilder out = new StringBuilder(segment.length());
        for (byte b : utf8(segment)) {
            int c = b & 0xff;
            if (isAsciiAlphanumeric(c) || (c < 0x80 && "-_.~$&+=:@".indexOf(c) >= 0)) {
                out.append((char) c);
            } else {
                out.append('%').append(UPPER_HEX[c >> 4]).append(UPPER_HEX[c & 15]);
            }
        }
        return out.toString();
    }

    static boolean isAsciiAlphanumeric(int c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    /** {@code strconv.Quote}, which is also {@code %q} of fmt. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        text.codePoints().forEach(c -> appendQuoted(out, c));
        return out.append('"').toString();
    }

    private static void appendQuoted(StringBuilder out, int c) {
        switch (c) {
            case '"', '\\' -> out.append('\\').append((char) c);
            case 7 -> out.append("\\a");
            case '\b' -> out.append("\\b");
            case '\f' -> out.append("\\f");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            case 11 -> out.append("\\v");
            default -> {
                if (isEscapedByte(c)) {
                    appendHexByte(out, c - ESCAPED_BYTE);
                } else if (isPrintable(c)) {
                    out.appendCodePoint(c);
                } else if (c < 0x80) {
                    appendHexByte(out, c);
                } else {
                    out.append(c < 0x10000 ? "\\u" : "\\U");
                    for (int shift = c < 0x10000 ? 12 : 28; shift >= 0; shift -= 4) {
                        out.append(HEX[c >> shift & 15]);
                    }
                }
            }
        }
    }

    static void appendHexByte(StringBuilder out, int b) {
        out.append("\\x").append(HEX[b >> 4 & 15]).append(HEX[b & 15]);
    }

    /** Letters, marks, numbers, punctuation, symbols and the ASCII space, as far as this JDK's Unicode knows them. */
    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }

    /** The string as JSON, escaped as Go's encoder does, HTML characters included. */
    static String jsonQuote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2);
        appendJson(out, text);
        return out.toString();
    }

    static void appendJson(StringBuilder out, String text) {
        out.append('"');
        text.codePoints().forEach(c -> appendJson(out, c));
        out.append('"');
    }

    private static void appendJson(StringBuilder out, int c) {
        switch (c) {
            case '"', '\\' -> out.append('\\').append((char) c);
            case '\b' -> out.append("\\b");
            case '\f' -> out.append("\\f");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            case '<', '>', '&', 0x2028, 0x2029 -> appendUnicodeEscape(out, c);
            default -> {
                if (c < ' ') {
                    appendUnicodeEscape(out, c);
                } else if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
                    appendUnicodeEscape(out, 0xfffd);
                } else {
                    out.appendCodePoint(c);
                }
            }
        }
    }

    private static void appendUnicodeEscape(StringBuilder out, int c) {
        out.append("\\u").append(HEX[c >> 12]).append(HEX[c >> 8 & 15]);
        out.append(HEX[c >> 4 & 15]).append(HEX[c & 15]);
    }
}
