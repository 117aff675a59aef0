package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GoTextTest {
    static Stream<Arguments> quoted() {
        return Stream.of(
                arguments("", "\"\""),
                arguments("a b", "\"a b\""),
                arguments("a\"b\\c'd", "\"a\\\"b\\\\c'd\""),
                arguments("\u0007\b\f\n\r\t\u000b", "\"\\a\\b\\f\\n\\r\\t\\v\""),
                arguments("\u0000\u001f\u007f", "\"\\x00\\x1f\\x7f\""),
                arguments("é日😀", "\"é日😀\""),
                arguments("\u00a0\u200b\u2028\ue000", "\"\\u00a0\\u200b\\u2028\\ue000\""),
                arguments("\udb40\udc01", "\"\\U000e0001\""),
                arguments("\ud800", "\"\\ufffd\""));
    }

    @ParameterizedTest
    @MethodSource("quoted")
    void shouldQuoteWithEscapesForWhatCannotBePrinted(String text, String quoted) {
        assertThat(GoText.quote(text)).isEqualTo(quoted);
    }

    @Property
    void shouldCountBytes(@ForAll String text) {
        String valid = text.replaceAll("\\p{Cs}", "x") + "é日😀";

        assertThat(GoText.byteLength(valid)).isEqualTo(valid.getBytes(StandardCharsets.UTF_8).length);
    }

    @Property
    void shouldOrderByBytes(
            @ForAll @CharRange(from = 'a', to = 'b') @CharRange(from = '\ue000', to = '\uffff') String a,
            @ForAll @CharRange(from = 'a', to = 'b') @CharRange(from = '\ue000', to = '\uffff') String b) {
        for (String c : new String[] {b, a + "😀", a + "\ud7ff", a + "\ue000", b + "😀"}) {
            int expected = Arrays.compareUnsigned(
                    (a + b).getBytes(StandardCharsets.UTF_8), c.getBytes(StandardCharsets.UTF_8));

            assertThat(Integer.signum(GoText.BYTE_ORDER.compare(a + b, c))).isEqualTo(Integer.signum(expected));
        }
    }
}
