package io.watchfan.fanout.selector;

/** Decimal 64-bit integers as the API server reads them: an optional sign and ASCII digits, in range (W-152). */
final class Int64 {
    private Int64() {}

    static boolean isValid(String text) {
        int start = firstDigit(text);
        if (start == text.length()) {
            return false;
        }
        // Counted down from zero, since the lowest number has no positive counterpart.
        long limit = isNegative(text) ? Long.MIN_VALUE : -Long.MAX_VALUE;
        long negated = 0;
        for (int i = start; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9 || negated < Long.MIN_VALUE / 10) {
                return false;
            }
            negated *= 10;
            if (negated < limit + digit) {
                return false;
            }
            negated -= digit;
        }
        return true;
    }

    /** The number of a text that {@link #isValid} accepts. */
    static long parse(String text) {
        long negated = 0;
        for (int i = firstDigit(text); i < text.length(); i++) {
            negated = negated * 10 - (text.charAt(i) - '0');
        }
        return isNegative(text) ? negated : -negated;
    }

    private static int firstDigit(String text) {
        return !text.isEmpty() && (text.charAt(0) == '-' || text.charAt(0) == '+') ? 1 : 0;
    }

    private static boolean isNegative(String text) {
        return text.charAt(0) == '-';
    }
}
