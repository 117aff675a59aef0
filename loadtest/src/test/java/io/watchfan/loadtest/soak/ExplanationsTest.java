package io.watchfan.loadtest.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.loadtest.contract.ObjectFacts;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Truth;
import io.watchfan.loadtest.swarm.EndReason;
import io.watchfan.loadtest.swarm.StreamEnd;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which fault explains which end. */
class ExplanationsTest {
    private static final int WINDOW = 100;
    private static final long FLOOR = 10;

    private final Truth truth = Truth.ofChanges(List.of(Scope.EVERYTHING), 1000);
    private final Explanations explanations =
            new Explanations(truth, new GapWitness("pods", "clients", truth.gaps(), FLOOR), WINDOW);

    @BeforeEach
    void begin() {
        truth.advance(FLOOR);
    }

    private void changes(int count) {
        for (int i = 0; i < count; i++) {
            long version = truth.journal(Scope.EVERYTHING).knownVersion() + 1;
            truth.change(version, null, new ObjectFacts(version, "a", "p", Map.of(), ""));
        }
    }

    private boolean isExplained(EndReason reason, boolean established) {
        return explanations.objection(new StreamEnd(reason, System.nanoTime(), established, false, false, 50, ""))
                == null;
    }

    @Test
    void shouldExplainNothingWithoutAFault() {
        for (EndReason reason : EndReason.values()) {
            assertThat(isExplained(reason, true)).as(reason.name()).isEqualTo(reason == EndReason.LEFT);
            assertThat(isExplained(reason, false)).as(reason.name()).isEqualTo(reason == EndReason.LEFT);
        }
        assertThat(explanations.excuseFailures()).isFalse();
    }

    @Test
    void shouldExplainAProperEndByItsDeadlineAndACutByAClientThatDidNotRead() {
        assertThat(explanations.objection(new StreamEnd(EndReason.CLEAN, System.nanoTime(), true, true, false, 50, "")))
                .isNull();
        assertThat(explanations.objection(new StreamEnd(EndReason.CUT, System.nanoTime(), true, false, true, 50, "")))
                .isNull();
        assertThat(explanations.objection(new StreamEnd(EndReason.ERROR, System.nanoTime(), true, true, true, 50, "")))
                .contains("no fault explains it");
    }

    @Test
    void shouldExplainOnlyWhatHadNotBegunByTroubleUpstream() {
        explanations.onUpstreamFault(Duration.ZERO);

        assertThat(isExplained(EndReason.ERROR, false)).isTrue();
        assertThat(isExplained(EndReason.CUT, false)).isTrue();
        for (EndReason reason : List.of(EndReason.CLEAN, EndReason.CUT, EndReason.EXPIRED, EndReason.ERROR)) {
            assertThat(isExplained(reason, true)).as(reason.name()).isFalse();
        }
        assertThat(isExplained(EndReason.NO_CONNECTION, false)).isFalse();
    }

    @Test
    void shouldExplainCutsAndRefusedConnectionsByARestart() {
        explanations.onStopping(false);

        assertThat(isExplained(EndReason.CUT, true)).isTrue();
        assertThat(isExplained(EndReason.NO_CONNECTION, false)).isTrue();
        assertThat(isExplained(EndReason.EXPIRED, true)).isFalse();
    }

    @Test
    void shouldExplainAProperEndByDrainingAndToWhoDidNotReadAlsoLater() {
        long before = System.nanoTime();
        StreamEnd end = new StreamEnd(EndReason.CLEAN, before, true, false, false, 50, "");
        explanations.onStopping(false);
        assertThat(explanations.objection(end)).contains("no fault explains it");

        explanations.onStopping(true);

        assertThat(explanations.objection(end)).isNull();
        assertThat(isExplained(EndReason.CLEAN, true))
                .as("begun after the signal")
                .isTrue();
        explanations.onStopped();
        assertThat(explanations.objection(end)).isNull();
        explanations.onStarted();
        assertThat(explanations.objection(new StreamEnd(EndReason.CLEAN, before, true, false, true, 50, "")))
                .isNull();
        assertThat(isExplained(EndReason.CLEAN, true)).as("begun since").isFalse();
    }

    @Test
    void shouldExplain410BelowTheFloorOrInAGap() {
        truth.gaps().open(50);
        truth.gaps().close(60);

        assertThat(explanations.explainsExpired(FLOOR - 1)).isTrue();
        assertThat(explanations.explainsExpired(FLOOR)).isFalse();
        assertThat(explanations.explainsExpired(50)).isFalse();
        assertThat(explanations.explainsExpired(51)).isTrue();
        assertThat(explanations.explainsExpired(60)).isFalse();
    }

    @Test
    void shouldExplain410WhenTheEventsSinceFillTheWindow() {
        changes(WINDOW - 1);
        assertThat(explanations.explainsExpired(FLOOR)).isFalse();

        changes(1);

        assertThat(explanations.explainsExpired(FLOOR)).isTrue();
        assertThat(explanations.explainsExpired(FLOOR + 1)).isFalse();
    }

    @Test
    void shouldExplain410BeforeAGapWhoseDifferenceMayBeTooLarge() {
        changes(WINDOW / 4 + 1);
        truth.gaps().open(FLOOR);
        truth.gaps().close(FLOOR + WINDOW / 4);
        assertThat(explanations.explainsExpired(FLOOR)).isFalse();

        truth.gaps().open(FLOOR);
        truth.gaps().close(FLOOR + WINDOW / 4 + 1);

        assertThat(explanations.explainsExpired(FLOOR)).isTrue();
        assertThat(explanations.explainsExpired(FLOOR + WINDOW / 4 + 1))
                .as("told the state at its end ahead of the feed")
                .isTrue();
        assertThat(explanations.explainsExpired(FLOOR + WINDOW / 4 + 2)).isFalse();
    }
}
