package io.watchfan.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.loadtest.report.RunEnvironment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchReportTest {
    private static final Bound BOUND = Bound.atMost("total", 100);

    private static BenchReport report(double value, String failure) {
        Figure figure = Figure.of("total", "B", List.of(value), BOUND, true);
        ScenarioReport scenario = new ScenarioReport(
                "idle", "about <it>", 10, 1, 2.5, 0.25, List.of(figure), List.of(), List.of("a & b"), failure);
        return new BenchReport(
                new BenchPlan(List.of("idle"), 1, 10, 1, Duration.ofMinutes(1), List.of("proxy"), "Main"),
                new RunEnvironment(2, "a processor", 1024, "a system", "a JVM", "epoll"),
                "0.10",
                "0.20",
                List.of(scenario));
    }

    @Test
    void shouldPassWhenAllFiguresAreWhatTheyMustBe() {
        assertThat(report(100, null).passed()).isTrue();
        assertThat(report(100, null).toText()).contains("must be at most 100: met", "result      passed");
    }

    @Test
    void shouldFailWhenAFigureIsNot() {
        BenchReport report = report(101, null);

        assertThat(report.passed()).isFalse();
        assertThat(report.toText()).contains("MISSED", "result      FAILED");
        assertThat(report.toJson()).contains("\"passed\" : false", "\"verdict\" : \"MISSED\"");
    }

    @Test
    void shouldFailWhenAScenarioDid() {
        BenchReport report = report(1, "round 1: no way");

        assertThat(report.passed()).isFalse();
        assertThat(report.toText()).contains("FAILED: round 1: no way");
        assertThat(HtmlReport.of(report)).contains("FAILED: round 1: no way");
    }

    @Test
    void shouldDrawEachRoundAndTheBoundAndEscapeWhatItIsGiven() {
        String page = HtmlReport.of(report(50, null));

        // 50 of 100 with 8 % of room to the right, on 320 pixels.
        assertThat(page)
                .contains("<circle class=\"round\" cx=\"148.1\"")
                .contains("<line class=\"must\" x1=\"296.3\"")
                .contains("about &lt;it&gt;", "a &amp; b")
                .doesNotContain("<it>");
    }
}
