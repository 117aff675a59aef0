package io.watchfan.proxy.config;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Kubernetes' tools write them: {@code 500ms}, {@code 10s}, {@code 1h30m}. */
final class DurationText {
    private static final Pattern FORM = Pattern.compile("(?:[0-9]{1,9}(?:\\.[0-9]{1,9})?(?:h|ms|m|s))+");
    private static final Pattern PART = Pattern.compile("([0-9.]+)(h|ms|m|s)");
    private static final Map<String, Long> MILLIS = Map.of("h", 3_600_000L, "m", 60_000L, "s", 1000L, "ms", 1L);

    private DurationText() {}

    /**
     * Reads a duration, to the millisecond.
     *
     * @throws IllegalArgumentException with a message that says what is wrong
     */
    static Duration parse(String text) {
        if (!FORM.matcher(text).matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a duration, as in 500ms, 10s, 2m or 1h30m");
        }
        BigDecimal millis = BigDecimal.ZERO;
        Matcher part = PART.matcher(text);
        while (part.find()) {
            millis = millis.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(MILLIS.get(part.group(2)))));
        }
        return Duration.ofMillis(millis.longValue());
    }
}
