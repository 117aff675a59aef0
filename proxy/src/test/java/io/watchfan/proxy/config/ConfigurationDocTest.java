package io.watchfan.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** docs/CONFIGURATION.md says what the code does: every flag, no other, and its default. */
final class ConfigurationDocTest {
    private static final Pattern FLAG = Pattern.compile("`(--[a-z-]+)");

    private final String text = read();

    private static String read() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/CONFIGURATION.md"))) {
            folder = folder.getParent();
        }
        try {
            return Files.readString(folder.resolve("docs/CONFIGURATION.md"));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldNameEveryFlagAndNoOther() {
        Set<String> documented = new TreeSet<>();
        Matcher flag = FLAG.matcher(text);
        while (flag.find()) {
            documented.add(flag.group(1));
        }
        Set<String> built = new TreeSet<>();
        for (OptionSpec option :
                new CommandLine(new ProxyOptions()).getCommandSpec().options()) {
            built.add(option.longestName());
        }

        assertThat(documented).isEqualTo(built);
    }

    @Test
    void shouldHaveTheDefaultInTheHelpOfEveryFlagThatTakesAValueAndHasOne() {
        for (OptionSpec option :
                new CommandLine(new ProxyOptions()).getCommandSpec().options()) {
            if (option.defaultValue() != null && option.type() != boolean.class) {
                assertThat(String.join(" ", option.description()))
                        .as(option.longestName())
                        .containsPattern("default \\(?" + Pattern.quote(option.defaultValue()) + "\\)");
            }
        }
    }

    @Test
    void shouldShowTheDefaultOfEveryFlagThatHasOne() {
        for (OptionSpec option :
                new CommandLine(new ProxyOptions()).getCommandSpec().options()) {
            if (option.defaultValue() != null) {
                String row = text.lines()
                        .filter(line -> line.startsWith("| `" + option.longestName()))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no row for " + option.longestName()));
                assertThat(row).contains("| `" + option.defaultValue() + "` |");
            }
        }
    }
}
