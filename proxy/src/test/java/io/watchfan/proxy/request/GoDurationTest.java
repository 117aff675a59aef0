package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoDurationTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "-0, 0",
        "1ns, 1",
        "1us, 1000",
        "1µs, 1000",
        "1μs, 1000",
        "1ms, 1000000",
        "7m12s, 432000000000",
        "1.5h, 5400000000000",
        "-1.5h, -5400000000000",
        ".5s, 500000000",
        "1.s, 1000000000",
        "+1s, 1000000000",
        "0.3333333333333333333h, 1200000000000",
        "0.100000000000000000000h, 360000000000",
        "0.9223372036854775808h, 3320413933267",
        "2562047h47m16.854775807s, 9223372036854775807",
        "-9223372036854775808ns, -9223372036854775808",
    })
    void shouldReadDurations(String text, long nanos) throws GoParseException {
        assertThat(GoDuration.parse(text)).isEqualTo(Duration.ofNanos(nanos));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "abc|invalid duration \"abc\"",
                "+|invalid duration \"+\"",
                ".s|invalid duration \".s\"",
                "1s x|unknown unit \"s x\" in duration \"1s x\"",
                "10|missing unit in duration \"10\"",
                "1s0|missing unit in duration \"1s0\"",
                "1.5|missing unit in duration \"1.5\"",
                "1d|unknown unit \"d\" in duration \"1d\"",
                "1é|unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\"",
                "1\"\\|unknown unit \"\\\"\\\\\" in duration \"1\\\"\\\\\"",
                "2562047h47m16.854775808s|invalid duration \"2562047h47m16.854775808s\"",
                "9223372036854775808ns|invalid duration \"9223372036854775808ns\"",
                "-9223372036854775809ns|invalid duration \"-9223372036854775809ns\"",
                "3000000h|invalid duration \"3000000h\"",
            })
    void shouldRefuseWhatIsNoDuration(String text, String message) {
        assertThatThrownBy(() -> GoDuration.parse(text)).hasMessage("time: " + message);
    }
}
