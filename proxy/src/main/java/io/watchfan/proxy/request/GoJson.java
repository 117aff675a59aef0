package io.watchfan.proxy.request;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Tells whether bytes are JSON, and if not, in the words of Go's {@code encoding/json}. Works in one pass without
 * recursion; what it accepts a plain reader may then read without checks.
 */
final class GoJson {
    private static final int MAX_DEPTH = 10_000;

    private enum Next {
        VALUE,
        VALUE_OR_END,
        KEY,
        KEY_OR_END,
        AFTER_VALUE
    }

    private final byte[] data;
    private final Deque<Character> open = new ArrayDeque<>();
    private int at;

    private GoJson(byte[] data) {
        this.data = data;
    }

    /** Returns if {@code data} is one JSON value with nothing but space around it. */
    static void check(byte[] data) throws GoParseException {
        new GoJson(data).check();
    }

    private void check() throws GoParseException {
        Next next = Next.VALUE;
        while (true) {
            skipSpace();
            if (next == Next.AFTER_VALUE && open.isEmpty()) {
                if (at == data.length) {
                    return;
                }
                throw unexpected("after top-level value");
            }
            int c = peekWithinText();
            next = switch (next) {
                case VALUE_OR_END -> c == ']' ? close() : value(c);
                case VALUE -> value(c);
                case KEY_OR_END -> c == '}' ? close() : key(c);
                case KEY -> key(c);
                case AFTER_VALUE -> open.peek() == '{' ? afterMember(c) : afterElement(c);
            };
        }
    }

    private Next value(int c) throws GoParseException {
        switch (c) {
            case '{' -> {
                open('{');
                return Next.KEY_OR_END;
            }
            case '[' -> {
                open('[');
                return Next.VALUE_OR_END;
            }
            case '"' -> string();
            case 't' -> literal("true");
            case 'f' -> literal("false");
            case 'n' -> literal("null");
            default -> number(c);
        }
        return Next.AFTER_VALUE;
    }

    private void open(char bracket) throws GoParseException {
        if (open.size() == MAX_DEPTH) {
            throw unexpected("exceeded max depth");
        }
        open.push(bracket);
        at++;
    }

    private Next close() {
        open.pop();
        at++;
        return Next.AFTER_VALUE;
    }

    private Next key(int c) throws GoParseException {
        if (c != '"') {
            throw unexpected("looking for beginning of object key string");
        }
        string();
        skipSpace();
        if (peekWithinText() != ':') {
            throw unexpected("after object key");
        }
        at++;
        return Next.VALUE;
    }

    private Next afterMember(int c) throws GoParseException {
        if (c == '}') {
            return close();
        }
        if (c != ',') {
            throw unexpected("after object key:value pair");
        }
        at++;
        return Next.KEY;
    }

    private Next afterElement(int c) throws GoParseException {
        if (c == ']') {
            return close();
        }
        if (c != ',') {
            throw unexpected("after array element");
        }
        at++;
        return Next.VALUE;
    }

    private void string() throws GoParseException {
        at++;
        while (peekWithinText() != '"') {
            if (peek() < ' ') {
                throw unexpected("in string literal");
            }
            if (peek() == '\\') {
                at++;
                escape();
            } else {
                at++;
            }
        }
        at++;
    }

    private void escape() throws GoParseException {
        if (peek() == 'u') {
            at++;
            for (int i = 0; i < 4; i++, at++) {
                if (Character.digit(peek(), 16) < 0) {
                    throw unexpected("in \\u hexadecimal character escape");
                }
            }
        } else if ("bfnrt\\/\"".indexOf(peek()) >= 0) {
            at++;
        } else {
            throw unexpected("in string escape code");
        }
    }

    private void literal(String word) throws GoParseException {
        at++;
        for (int i = 1; i < word.length(); i++, at++) {
            if (peek() != word.charAt(i)) {
                throw unexpected("in literal " + word + " (expecting '" + word.charAt(i) + "')");
            }
        }
    }

    private void number(int first) throws GoParseException {
        if (first == '-') {
            at++;
            if (!isDigit(peek())) {
                throw unexpected("in numeric literal");
            }
        } else if (!isDigit(first)) {
            throw unexpected("looking for beginning of value");
        }
        if (peek() == '0') {
            at++;
        } else {
            skipDigits();
        }
        if (peek() == '.') {
            at++;
            requireDigit("after decimal point in numeric literal");
            skipDigits();
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            requireDigit("in exponent of numeric literal");
            skipDigits();
        }
    }

    private void requireDigit(String context) throws GoParseException {
        if (!isDigit(peek())) {
            throw unexpected(context);
        }
    }

    private void skipDigits() {
        while (isDigit(peek())) {
            at++;
        }
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    private void skipSpace() {
        while (at < data.length && isSpace(data[at])) {
            at++;
        }
    }

    static boolean isSpace(int c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\n';
    }

    /** The byte here, where the text may not end. */
    private int peekWithinText() throws GoParseException {
        if (at == data.length) {
            throw new GoParseException("unexpected end of JSON input");
        }
        return peek();
    }

    /** The byte here; at the end a space, which is what Go then tries. */
    private int peek() {
        return at == data.length ? ' ' : data[at] & 0xff;
    }

    private GoParseException unexpected(String context) {
        return new GoParseException("invalid character " + quote(peek()) + " " + context);
    }

    private static String quote(int c) {
        if (c == '\'') {
            return "'\\''";
        }
        if (c == '"') {
            return "'\"'";
        }
        String quoted = GoText.quote(String.valueOf((char) c));
        return "'" + quoted.substring(1, quoted.length() - 1) + "'";
    }
}
