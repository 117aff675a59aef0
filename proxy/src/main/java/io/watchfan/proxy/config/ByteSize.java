package io.watchfan.proxy.config;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes in bytes: {@code 4096}, {@code 64MiB} (or {@code 64Mi}), {@code 500k}. */
final class ByteSize {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,18})(|k|M|G|KiB|Ki|MiB|Mi|GiB|Gi)");
    private static final Map<String, Long> UNITS = Map.of(
            "", 1L, "k", 1000L, "M", 1000_000L, "G", 1000_000_000L, "Ki", 1L << 10, "Mi", 1L << 20, "Gi", 1L << 30);

    private ByteSize() {}

    /**
     * Reads a size.
     *
     * @throws IllegalArgumentException with a message that says what is wrong
     */
    static long parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a size, as in 4096, 512KiB, 64MiB or 1G");
        }
        try {
            return Math.multiplyExact(Long.parseLong(form.group(1)), UNITS.get(unit(form.group(2))));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is too large", e);
        }
    }

    private static String unit(String suffix) {
        return suffix.endsWith("iB") ? suffix.substring(0, 2) : suffix;
    }
}
