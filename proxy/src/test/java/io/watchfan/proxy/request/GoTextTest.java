package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The expected texts are what Go's own functions gave. */
class GoTextTest {

    static Stream<Arguments> quoted() {
        return Stream.of(
                Arguments.of("a b", "a b"),
                Arguments.of("é😀", "é😀"),
                Arguments.of("q\"q\\", "q\\\"q\\\\"),
                Arguments.of("\u0007\b\f\n\r\t\u000b", "\\a\\b\\f\\n\\r\\t\\v"),
                Arguments.of("\u0000\u0001\u007f", "\\x00\\x01\\x7f"),
                Arguments.of("\u0080\u00a0\u00ad\u2028\u3000\ufffd", "\\u0080\\u00a0\\u00ad\\u2028\\u3000\ufffd"),
                Arguments.of("\ue000\u200b", "\\ue000\\u200b"),
                Arguments.of("\udb40\udc01", "\\U000e0001"),
                Arguments.of("\udcff", "\\xff"),
                Arguments.of("<&>'", "<&>'"));
    }

    @ParameterizedTest
    @MethodSource("quoted")
    void shouldQuoteAsGoDoes(String text, String quoted) {
        assertThat(GoText.quote(text)).isEqualTo('"' + quoted + '"');
    }

    static Stream<Arguments> json() {
        return Stream.of(
                Arguments.of("a b", "a b"),
                Arguments.of("é😀", "é😀"),
                Arguments.of("q\"q\\", "q\\\"q\\\\"),
                Arguments.of("\b\f\n\r\t", "\\b\\f\\n\\r\\t"),
                Arguments.of("\u0000\u0001\u000b\u007f\u0080", "\\u0000\\u0001\\u000b\u007f\u0080"),
                Arguments.of("<&>'/", "\\u003c\\u0026\\u003e'/"),
                Arguments.of("\u2028\u2029", "\\u2028\\u2029"),
                Arguments.of("\udcff", "\\ufffd"));
    }

    @ParameterizedTest
    @MethodSource("json")
    void shouldWriteJsonAsGoDoes(String text, String json) {
        assertThat(GoText.jsonQuote(text)).isEqualTo('"' + json + '"');
    }
}
