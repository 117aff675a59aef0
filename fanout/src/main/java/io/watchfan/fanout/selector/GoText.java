package io.watchfan.fanout.selector;

import java.util.Comparator;

/** What the API server's language does with text that shows in its answers: quoting, and order and length in bytes. */
final class GoText {
    /** Order of the UTF-8 forms, byte by byte. It differs from that of Java strings beyond the basic plane. */
    static final Comparator<String> BYTE_ORDER = GoText::compareBytes;

    private GoText() {}

    /** Length of the UTF-8 form, in bytes. */
    static int byteLength(String text) {
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // The two halves of a pair make four bytes together.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }

    /** The text between double quotes, with escapes for what cannot be printed. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            if (c == '"' || c == '\\') {
                out.append('\\').append((char) c);
            } else if (isPrintable(c)) {
                out.appendCodePoint(c);
            } else {
                out.append(escape(c));
            }
        }
        return out.append('"').toString();
    }

    private static String escape(int c) {
        return switch (c) {
            case 0x07 -> "\\a";
            case '\b' -> "\\b";
            case '\f' -> "\\f";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            case 0x0b -> "\\v";
            default -> {
                if (c < ' ' || c == 0x7f) {
                    yield String.format("\\x%02x", c);
                }
                boolean half = Character.getType(c) == Character.SURROGATE;
                yield half ? "\\ufffd" : String.format(c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
            }
        };
    }

    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.SPACE_SEPARATOR -> c == ' ';
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    private static int compareBytes(String a, String b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            char c = a.charAt(i);
            char d = b.charAt(i);
            if (c != d) {
                return Integer.compare(rank(c), rank(d));
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    /** Halves of pairs stand for code points above all others. */
    private static int rank(char c) {
        return Character.isSurrogate(c) ? c + 0x10000 : c;
    }
}
