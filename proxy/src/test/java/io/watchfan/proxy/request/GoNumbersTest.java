package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GoNumbersTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "+5, 5",
        "007, 7",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, -9223372036854775808"
    })
    void shouldReadIntegers(String text, long value) throws GoParseException {
        assertThat(GoNumbers.parseInt64(text)).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-", "+", "--1", "1.5", "0x10", "1_0", " 1", "1 ", "1s", "abc", "9223372036854775808x", "١"})
    void shouldRefuseWhatIsNoInteger(String text) {
        assertThatThrownBy(() -> GoNumbers.parseInt64(text))
                .hasMessage("strconv.ParseInt: parsing \"" + text + "\": invalid syntax");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9223372036854775808",
                "-9223372036854775809",
                "18446744073709551616",
                // Go stops reading where it overflows.
                "184467440737095516160x",
            })
    void shouldRefuseIntegersOutOfRange(String text) {
        assertThatThrownBy(() -> GoNumbers.parseInt64(text))
                .hasMessage("strconv.ParseInt: parsing \"" + text + "\": value out of range");
    }
}
