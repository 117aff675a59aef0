package io.watchfan.proxy.logging;

import io.watchfan.proxy.config.UsageException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the environment says of logs. To be checked before anything logs: what logback.xml cannot use, it would take for
 * something else, or log nothing at all.
 */
public final class LogSettings {
    private static final String LEVEL = "WATCHFAN_LOG_LEVEL";
    private static final String FORMAT = "WATCHFAN_LOG_FORMAT";

    private LogSettings() {}

    /**
     * Has logback.xml find the settings; an empty one is the default.
     *
     * @param environment of the process
     * @throws UsageException if one cannot be used
     */
    public static void use(Map<String, String> environment) {
        String level = setting(environment, LEVEL, List.of("info", "trace", "debug", "warn", "error"));
        String format = setting(environment, FORMAT, List.of("text", "json"));
        // Logback looks here before it looks at the environment.
        System.setProperty(LEVEL, level);
        System.setProperty(FORMAT, format);
    }

    /** The setting in lower case; the first of {@code values} when there is none. */
    private static String setting(Map<String, String> environment, String name, List<String> values) {
        String text = environment.getOrDefault(name, "");
        String value = text.isEmpty() ? values.get(0) : text.toLowerCase(Locale.ROOT);
        if (!values.contains(value)) {
            throw new UsageException(name + ": '" + text + "' is none of " + String.join(", ", values));
        }
        return value;
    }
}
