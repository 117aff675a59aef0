package io.watchfan.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchfan.loadtest.process.CommandLine;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationConverterTest {
    private final DurationConverter converter = new DurationConverter();

    @Test
    void shouldReadDurationsAsPeopleWriteThem() {
        assertThat(converter.convert("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(converter.convert("30s")).isEqualTo(Duration.ofSeconds(30));
        assertThat(converter.convert("2m")).isEqualTo(Duration.ofMinutes(2));
        assertThat(converter.convert("1h30m")).isEqualTo(Duration.ofMinutes(90));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "s", "5x", "-5s", "5s ", "1.5s"})
    void shouldRefuseAnythingElse(String text) {
        assertThatThrownBy(() -> converter.convert(text)).isInstanceOf(TypeConversionException.class);
    }

    @Test
    void shouldSplitCommandsAtBlanksOutsideQuotes() {
        assertThat(CommandLine.split(" java -cp 'a b' \"c\"d  '' ")).containsExactly("java", "-cp", "a b", "cd", "");
        assertThatThrownBy(() -> CommandLine.split("a 'b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> CommandLine.split("  ")).isInstanceOf(IllegalArgumentException.class);
    }
}
