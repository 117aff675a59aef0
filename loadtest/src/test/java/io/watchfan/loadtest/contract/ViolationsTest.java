package io.watchfan.loadtest.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ViolationsTest {
    private static final Instant SINCE = Instant.ofEpochSecond(1000);

    private final Violations violations = new Violations();

    private void add(Guarantee guarantee, Instant at) {
        violations.add(new Violation(guarantee, 1, "", 1, "", at, ""));
    }

    @Test
    void shouldLeaveOutWhatIsExcused() {
        add(Guarantee.UNBROKEN, SINCE.minusNanos(1));
        add(Guarantee.UNBROKEN, SINCE);
        add(Guarantee.ORDERED, SINCE);

        Violations rest = violations.without(Set.of(Guarantee.UNBROKEN), SINCE);

        assertThat(rest.counts()).isEqualTo(Map.of(Guarantee.UNBROKEN, 1L, Guarantee.ORDERED, 1L));
        assertThat(rest.first())
                .extracting(Violation::guarantee)
                .containsExactly(Guarantee.UNBROKEN, Guarantee.ORDERED);
    }

    @Test
    void shouldStillCountWhatIsNotExcusedAndCameBehindTheOnesThatAreKept() {
        for (int i = 0; i < 1000; i++) {
            add(Guarantee.UNBROKEN, SINCE);
        }
        add(Guarantee.ORDERED, SINCE);

        Violations rest = violations.without(Set.of(Guarantee.UNBROKEN), SINCE);

        assertThat(rest.counts()).isEqualTo(Map.of(Guarantee.ORDERED, 1L));
        assertThat(rest.first()).isEmpty();
    }

    @Test
    void shouldCountAllWhenNothingIsExcusedAndNothingThatFollows() {
        for (int i = 0; i < 1000; i++) {
            add(Guarantee.UNBROKEN, SINCE.minusSeconds(1));
        }

        Violations rest = violations.without(Set.of(Guarantee.UNBROKEN), SINCE);
        add(Guarantee.ORDERED, SINCE);

        assertThat(rest.counts()).isEqualTo(Map.of(Guarantee.UNBROKEN, 1000L));
    }
}
