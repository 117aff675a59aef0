package io.watchfan.fanout.event;

/**
 * The only place where the string form of a resourceVersion meets its {@code long} form. A resourceVersion is an unsigned
 * decimal; within this project it is a non-negative {@code long}, and 0 means none.
 */
public final class ResourceVersions {
    /** No version: that of an object or collection which carries none. */
    public static final long NONE = 0;

    private ResourceVersions() {}

    /**
     * The version that {@code text} says, or -1 when it is not a decimal that fits a non-negative {@code long}. An empty or
     * null text is -1 as well.
     */
    public static long parse(String text) {
        if (text == null || text.isEmpty() || text.length() > 19) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
            if (value < 0) {
                return -1;
            }
        }
        return value;
    }
}
