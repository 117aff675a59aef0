package io.watchfan.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.loadtest.report.RunReport;
import io.watchfan.loadtest.report.StatusLine;
import io.watchfan.loadtest.swarm.Sabotage;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Soaks straight at the API server: what is right passes, and each checker catches its fault, alone. */
@Timeout(120)
class SoakIT {
    private static final long SEED = System.nanoTime() % 1_000_000;

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

    private RunReport run(Sabotage sabotage, Duration most) throws Exception {
        System.out.println("seed " + SEED);
        StatusLine status = new StatusLine(new PrintStream(shown, true, StandardCharsets.UTF_8), false);
        return new SoakRun(new RunOptions(40, most, 100, 60, SEED, false, sabotage, List.of()), status).run();
    }

    @Test
    void shouldPassAndSayTheSeedFirst() throws Exception {
        RunReport report = run(null, Duration.ofSeconds(1));

        assertThat(report.details()).isEmpty();
        assertThat(report.passed()).isTrue();
        assertThat(shown.toString(StandardCharsets.UTF_8)).startsWith("soak with seed " + SEED);
        assertThat(report.soak().rounds()).isEqualTo(1);
        assertThat(report.soak().faults()).isNotEmpty();
        assertThat(report.soak().lists()).isNotEmpty();
        assertThat(report.toJson()).contains("\"rounds\":1");
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindSabotageAndNothingElse(Sabotage sabotage) throws Exception {
        // It ends once something is found; a seed may have the fooled watcher begin anew, and so forget, round after
        // round.
        RunReport report = run(sabotage, Duration.ofSeconds(80));

        assertThat(report.passed()).isFalse();
        assertThat(report.violations())
                .as(report.toText())
                .containsOnlyKeys(sabotage.broken().name());
        assertThat(report.toText()).contains("FAILED", "soak --seed " + SEED);
    }
}
