package io.watchfan.proxy.request;

import java.time.Duration;

/**
 * Go's {@code time.ParseDuration}: an optional sign, then numbers with a unit each ({@code 7m12s}, {@code 1.5h}), or 0.
 * Sums may reach 2^63 ns, which is {@link Long#MIN_VALUE} read as unsigned; beyond it is an error.
 */
final class GoDuration {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long LIMIT = Long.MIN_VALUE;

    private final String text;
    private int at;

    private GoDuration(String text) {
        this.text = text;
    }

    /** The duration, which may be negative; at most 2^63 - 1 nanoseconds. */
    static Duration parse(String text) throws GoParseException {
        return new GoDuration(text).parse();
    }

    private Duration parse() throws GoParseException {
        boolean negative = text.startsWith("-");
        at = negative || text.startsWith("+") ? 1 : 0;
        if (text.substring(at).equals("0")) {
            return Duration.ZERO;
        }
        if (at == text.length()) {
            throw invalid();
        }
        long nanos = 0;
        while (at < text.length()) {
            nanos = withinLimit(nanos + part());
        }
        if (nanos == LIMIT && !negative) {
            throw invalid();
        }
        return Duration.ofNanos(negative ? -nanos : nanos);
    }

    /** One number and its unit, in nanoseconds. */
    private long part() throws GoParseException {
        int begin = at;
        long whole = digits();
        int digits = at - begin;
        long fraction = 0;
        double scale = 1;
        if (at < text.length() && text.charAt(at) == '.') {
            int first = ++at;
            while (atDigit()) {
                at++;
            }
            digits += at - first;
            int used = first;
            // Digits that the fraction cannot hold do not count.
            for (; used < at && Long.compareUnsigned(fraction, Long.MAX_VALUE / 10) <= 0; used++) {
                long next = fraction * 10 + (text.charAt(used) - '0');
                if (isBeyondLimit(next)) {
                    break;
                }
                fraction = next;
                scale *= 10;
            }
        }
        if (digits == 0) {
            throw invalid();
        }
        long unit = unit();
        if (Long.compareUnsigned(whole, Long.divideUnsigned(LIMIT, unit)) > 0) {
            throw invalid();
        }
        double fractionAsDouble = fraction == LIMIT ? 0x1p63 : fraction;
        return withinLimit(whole * unit + (long) (fractionAsDouble * (unit / scale)));
    }

    private long digits() throws GoParseException {
        long value = 0;
        for (; atDigit(); at++) {
            if (Long.compareUnsigned(value, Long.divideUnsigned(LIMIT, 10)) > 0) {
                throw invalid();
            }
            value = withinLimit(value * 10 + (text.charAt(at) - '0'));
        }
        return value;
    }

    private long unit() throws GoParseException {
        int begin = at;
        while (at < text.length() && text.charAt(at) != '.' && !atDigit()) {
            at++;
        }
        if (at == begin) {
            throw new GoParseException("time: missing unit in duration " + quote(text));
        }
        String unit = text.substring(begin, at);
        return switch (unit) {
            case "ns" -> 1;
            case "us", "\u00b5s", "\u03bcs" -> 1_000;
            case "ms" -> 1_000_000;
            case "s" -> NANOS_PER_SECOND;
            case "m" -> 60 * NANOS_PER_SECOND;
            case "h" -> 3600 * NANOS_PER_SECOND;
            default -> throw new GoParseException("time: unknown unit " + quote(unit) + " in duration " + quote(text));
        };
    }

    private boolean atDigit() {
        return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9';
    }

    private long withinLimit(long unsigned) throws GoParseException {
        if (isBeyondLimit(unsigned)) {
            throw invalid();
        }
        return unsigned;
    }

    private static boolean isBeyondLimit(long unsigned) {
        return Long.compareUnsigned(unsigned, LIMIT) > 0;
    }

    private GoParseException invalid() {
        return new GoParseException("time: invalid duration " + quote(text));
    }

    /** The time package quotes in its own way: what is not printable ASCII as hexadecimal bytes. */
    private static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (byte b : GoText.utf8(text)) {
            if (b < ' ') {
                GoText.appendHexByte(out, b);
            } else if (b == '"' || b == '\\') {
                out.append('\\').append((char) b);
            } else {
                out.append((char) b);
            }
        }
        return out.append('"').toString();
    }
}
