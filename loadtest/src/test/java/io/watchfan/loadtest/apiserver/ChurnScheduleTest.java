package io.watchfan.loadtest.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ChurnScheduleTest {

    private static List<PlannedChange> first(int count, double rate, long seed) {
        ChurnSchedule schedule = new ChurnSchedule(rate, seed);
        return Stream.generate(schedule::next).limit(count).toList();
    }

    @Test
    void shouldPlanTheSameForTheSameSeed() {
        assertThat(first(1000, 20, 5)).isEqualTo(first(1000, 20, 5));
        assertThat(first(1000, 20, 5)).isNotEqualTo(first(1000, 20, 6));
    }

    @Test
    void shouldSpaceChangesEvenlyWithoutDrift() {
        List<PlannedChange> changes = first(30_000, 30, 1);

        assertThat(changes.get(0).offsetNanos()).isEqualTo(33_333_333);
        assertThat(changes.get(29_999).offsetNanos())
                .isEqualTo(Duration.ofSeconds(1000).toNanos());
    }

    @Test
    void shouldMixTheKindsAndKeepTheNumberOfObjects() {
        Map<PlannedChange.Kind, Long> counts = first(100_000, 20, 1).stream()
                .collect(Collectors.groupingBy(PlannedChange::kind, Collectors.counting()));

        assertThat(counts.get(PlannedChange.Kind.CREATE)).isBetween(9_500L, 10_500L);
        assertThat(counts.get(PlannedChange.Kind.DELETE)).isBetween(9_500L, 10_500L);
        assertThat(counts.get(PlannedChange.Kind.RELABEL)).isBetween(9_500L, 10_500L);
        assertThat(counts.get(PlannedChange.Kind.MODIFY)).isBetween(69_000L, 71_000L);
    }

    @Test
    void shouldRepeatPeriodicFaultsAmongSingleOnes() {
        FaultPlan plan = FaultPlan.none()
                .every(Duration.ofSeconds(10), Fault.Kind.CUT, Duration.ZERO)
                .at(Duration.ofSeconds(15), Fault.Kind.EXPIRE, Duration.ZERO);

        List<Fault> due = new ArrayList<>(plan.due(Duration.ofSeconds(9).toNanos()));
        assertThat(due).isEmpty();
        due.addAll(plan.due(Duration.ofSeconds(31).toNanos()));

        assertThat(due.stream().map(fault -> fault.kind() + " " + fault.offsetNanos() / 1_000_000_000L))
                .containsExactly("CUT 10", "EXPIRE 15", "CUT 20", "CUT 30");
        assertThat(plan.nextOffsetNanos()).isEqualTo(Duration.ofSeconds(40).toNanos());
        assertThat(FaultPlan.none().nextOffsetNanos()).isEqualTo(Long.MAX_VALUE);
    }
}
