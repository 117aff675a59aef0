package io.watchfan.loadtest.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SoakRoundTest {
    private static final long SEED = System.nanoTime();

    private static SoakRound round(int number, boolean direct) {
        return SoakRound.of(SEED, number, 10, direct);
    }

    @Test
    void shouldBeFixedBySeedAndNumber() {
        assertThat(round(3, false))
                .as("seed " + SEED)
                .isEqualTo(round(3, false))
                .isNotEqualTo(round(4, false));
    }

    @Test
    void shouldHaveEveryKindOfActionInTheLongRun() {
        Set<SoakAction.Kind> seen = EnumSet.noneOf(SoakAction.Kind.class);
        IntStream.range(0, 300)
                .forEach(number -> round(number, false).actions().forEach(action -> seen.add(action.kind())));

        assertThat(seen).as("seed " + SEED).containsExactly(SoakAction.Kind.values());
    }

    @Test
    void shouldBeInOrderAndRestartOnceAtMost() {
        IntStream.range(0, 300).mapToObj(number -> round(number, false)).forEach(round -> {
            assertThat(round.actions())
                    .as("seed " + SEED)
                    .isSortedAccordingTo((a, b) -> Long.compare(a.offsetNanos(), b.offsetNanos()));
            assertThat(round.actions())
                    .allMatch(action -> action.offsetNanos() <= round.length().toNanos());
            assertThat(round.actions().stream()
                            .filter(action -> action.kind().isRestart())
                            .count())
                    .isLessThanOrEqualTo(1);
        });
    }

    @Test
    void shouldConcernClientsOnlyWhereThereIsNoProxy() {
        IntStream.range(0, 100)
                .forEach(number -> assertThat(round(number, true).actions())
                        .as("seed " + SEED)
                        .allMatch(action -> action.kind().isOfClients()));
    }
}
