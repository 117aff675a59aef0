package io.watchfan.proxy.request;

/** Go's readers of integers, with their error texts. */
final class GoNumbers {
    private GoNumbers() {}

    /** {@code strconv.ParseInt(text, 10, 64)}. */
    static long parseInt64(String text) throws GoParseException {
        boolean negative = text.startsWith("-");
        String digits = negative || text.startsWith("+") ? text.substring(1) : text;
        long magnitude = parseDigits("ParseInt", digits, text);
        // As an unsigned number, at most 2^63 of a negative one and 2^63 - 1 of a positive one fit.
        if (magnitude < 0 && !(negative && magnitude == Long.MIN_VALUE)) {
            throw outOfRange("ParseInt", text);
        }
        return negative ? -magnitude : magnitude;
    }

    /** {@code strconv.ParseUint(text, 10, 64)}; the result is unsigned. */
    static long parseUint64(String text) throws GoParseException {
        return parseDigits("ParseUint", text, text);
    }

    private static long parseDigits(String function, String digits, String whole) throws GoParseException {
        if (digits.isEmpty()) {
            throw invalidSyntax(function, whole);
        }
        long value = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                throw invalidSyntax(function, whole);
            }
            // Go stops at the first digit too many, whatever follows it.
            if (Long.compareUnsigned(value, Long.divideUnsigned(-1, 10)) > 0) {
                throw outOfRange(function, whole);
            }
            long next = value * 10 + digit;
            if (Long.compareUnsigned(next, value * 10) < 0) {
                throw outOfRange(function, whole);
            }
            value = next;
        }
        return value;
    }

    private static GoParseException invalidSyntax(String function, String text) {
        return new GoParseException("strconv." + function + ": parsing " + GoText.quote(text) + ": invalid syntax");
    }

    private static GoParseException outOfRange(String function, String text) {
        return new GoParseException("strconv." + function + ": parsing " + GoText.quote(text) + ": value out of range");
    }
}
