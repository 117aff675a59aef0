package io.watchfan.loadtest.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write them: {@code 500ms}, {@code 30s}, {@code 2m}, {@code 1h30m}. */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern PART = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
    private static final Pattern WHOLE = Pattern.compile("(" + PART.pattern() + ")+");

    @Override
    public Duration convert(String text) {
        if (!WHOLE.matcher(text).matches()) {
            throw new TypeConversionException("'" + text + "' is not a duration such as 500ms, 30s, 2m or 1h30m");
        }
        Duration sum = Duration.ZERO;
        Matcher parts = PART.matcher(text);
        while (parts.find()) {
            long amount = Long.parseLong(parts.group(1));
            sum = sum.plus(
                    switch (parts.group(2)) {
                        case "ms" -> Duration.ofMillis(amount);
                        case "s" -> Duration.ofSeconds(amount);
                        case "m" -> Duration.ofMinutes(amount);
                        default -> Duration.ofHours(amount);
                    });
        }
        return sum;
    }
}
