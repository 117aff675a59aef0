package io.watchfan.loadtest.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the environment says of logs. The proxies that are started inherit it, so that what they would refuse is refused
 * before.
 */
public final class LogSettings {
    private static final String LEVEL = "WATCHFAN_LOG_LEVEL";
    private static final String FORMAT = "WATCHFAN_LOG_FORMAT";

    private LogSettings() {}

    /**
     * Has logback.xml find the level. The format is for proxies alone.
     *
     * @param environment of the process
     * @throws IllegalArgumentException with a line for the user if a setting is none
     */
    public static void use(Map<String, String> environment) {
        String level = setting(environment, LEVEL, List.of("info", "trace", "debug", "warn", "error"));
        setting(environment, FORMAT, List.of("text", "json"));
        if (!level.isEmpty()) {
            // Logback looks here before it looks at the environment.
            System.setProperty(LEVEL, level);
        }
    }

    private static String setting(Map<String, String> environment, String name, List<String> values) {
        String text = environment.getOrDefault(name, "");
        String value = text.toLowerCase(Locale.ROOT);
        if (!value.isEmpty() && !values.contains(value)) {
            throw new IllegalArgumentException(name + ": '" + text + "' is none of " + String.join(", ", values));
        }
        return value;
    }
}
