package io.watchfan.fanout.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which versions lie within a repaired gap. */
class GapsTest {
    @Test
    void shouldHoldNothingWithoutAGap() {
        assertThat(Gaps.NONE.strictlyInside(5)).isFalse();
    }

    @Test
    void shouldLeaveOutTheEnds() {
        Gaps gaps = Gaps.NONE.with(10, 20, 0).with(20, 22, 0);

        assertThat(gaps.strictlyInside(10)).isFalse();
        assertThat(gaps.strictlyInside(11)).isTrue();
        assertThat(gaps.strictlyInside(19)).isTrue();
        assertThat(gaps.strictlyInside(20)).isFalse();
        assertThat(gaps.strictlyInside(21)).isTrue();
        assertThat(gaps.strictlyInside(22)).isFalse();
    }

    @Test
    void shouldForgetWhatTheWindowHasLetGoOf() {
        Gaps gaps = Gaps.NONE.with(10, 20, 0).with(30, 40, 0).with(50, 60, 20);

        assertThat(gaps.strictlyInside(15)).isFalse();
        assertThat(gaps.strictlyInside(35)).isTrue();
        assertThat(gaps.strictlyInside(55)).isTrue();
    }

    @Test
    void shouldOnlyWidenTheOldestWhenThereAreMany() {
        Gaps gaps = Gaps.NONE;
        for (long i = 0; i < 1000; i++) {
            gaps = gaps.with(10 * i, 10 * i + 5, 0);
        }

        for (long i = 0; i < 1000; i++) {
            assertThat(gaps.strictlyInside(10 * i + 3)).isTrue();
        }
        assertThat(gaps.strictlyInside(9998)).isFalse();
        assertThat(gaps.strictlyInside(9987)).isFalse();
        assertThat(gaps.strictlyInside(57)).isTrue();
    }
}
