package io.watchfan.fanout.event;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** The string form of a resourceVersion. */
class ResourceVersionsTest {
    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(
            strings = {
                "-1",
                "+1",
                " 1",
                "1 ",
                "1.0",
                "0x1",
                "abc",
                "١",
                "9223372036854775808",
                "9999999999999999999",
                "18446744073709551616"
            })
    void shouldRefuseWhatIsNoVersion(String text) {
        assertThat(ResourceVersions.parse(text)).isEqualTo(-1);
    }

    @Test
    void shouldReadTheLargestVersion() {
        assertThat(ResourceVersions.parse("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    }

    @Property
    void shouldReadWhatLongPrints(@ForAll @LongRange(min = 0) long version) {
        assertThat(ResourceVersions.parse(Long.toString(version))).isEqualTo(version);
    }
}
