package io.watchfan.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchfan.loadtest.LoadTestMain;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands as processes: exit status, and what they print where. */
@Timeout(120)
class CommandLineIT {

    private record Outcome(int status, String out, String err) {}

    private static Process start(String... args) throws IOException {
        return start(Map.of(), args);
    }

    private static Process start(Map<String, String> environment, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                LoadTestMain.class.getName()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        return builder.start();
    }

    private static Outcome run(String... args) throws IOException, InterruptedException {
        return run(Map.of(), args);
    }

    private static Outcome run(Map<String, String> environment, String... args)
            throws IOException, InterruptedException {
        Process process = start(environment, args);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), out, err);
    }

    @Test
    void shouldPrintOneJsonObjectAndNothingElse() throws Exception {
        Outcome outcome = run("demo", "--direct", "--watchers", "20", "--duration", "2s", "--pods", "50", "--json");

        assertThat(outcome.status).as(outcome.err).isZero();
        assertThat(outcome.out.strip().lines()).hasSize(1);
        JsonNode report = new ObjectMapper().readTree(outcome.out);
        assertThat(report.path("passed").asBoolean()).isTrue();
        assertThat(report.at("/watchers/count").asInt()).isEqualTo(20);
        assertThat(report.at("/environment/cpus").asInt()).isPositive();
        assertThat(outcome.err).contains("20 watchers are watching");
    }

    @Test
    void shouldExitWith1WhenSabotaged() throws Exception {
        Outcome outcome =
                run("demo", "--direct", "--watchers", "8", "--duration", "2s", "--sabotage", "drop", "--pods", "50");

        assertThat(outcome.status).isEqualTo(1);
        assertThat(outcome.out).contains("FAILED", "missed 1 event");
    }

    @ParameterizedTest
    @CsvSource({"demo, 8", "soak, 40"})
    void shouldTellTheVerdictSoFarWhenToldToEnd(String command, String watchers) throws Exception {
        Process run = start(command, "--direct", "--watchers", watchers, "--duration", "1h", "--pods", "60");
        try (BufferedReader lines = run.inputReader()) {
            String line = lines.readLine();
            while (line != null && !line.contains("upstream watches")) {
                line = lines.readLine();
            }
            // Unlike the process' own method, this one leaves its output to us.
            run.toHandle().destroy();

            assertThat(lines.lines())
                    .anyMatch(told -> told.startsWith("result") && told.contains("passed"))
                    .anyMatch(told -> told.contains("interrupted"));
            assertThat(run.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(run.exitValue()).as("as ended by the signal").isEqualTo(128 + 15);
        } finally {
            run.destroyForcibly();
        }
    }

    /** A minute is how long it waits when not told; a test that hangs for as long would end by its own limit. */
    @Test
    @Timeout(value = 40, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldWaitForAServerAsLongAsItIsToldTo() throws Exception {
        Outcome outcome = run("swarm", "--target", "http://127.0.0.1:1", "--connect-timeout", "1s");

        assertThat(outcome.status).isEqualTo(1);
        assertThat(outcome.err.strip())
                .startsWith("watchfan: no answer from 127.0.0.1:1")
                .doesNotContain("\n");
    }

    @Test
    void shouldExitWith2AndOneLineWhenMisused() throws Exception {
        for (String[] args : new String[][] {
            {"demo", "--direct", "--watchers", "0"},
            {"demo", "--duration", "soon"},
            {"soak", "--direct", "--watchers", "1"},
            {"soak", "--direct", "--pods", "1"},
            {"soak", "--direct", "--seed", "soon"},
            {"sim", "--garbage-every", "0s"},
            {"sim", "--nodes", "0"},
            {"sim", "--listen", "nowhere"},
            {"sim", "--listen", "no.invalid:80"},
            {"swarm"},
            {"swarm", "--target", "ftp://x"},
            {"swarm", "--target", "127.0.0.1:8080"},
            {"swarm", "--target", "localhost:8080"},
            {"swarm", "--target", "http://localhost:1", "--reference", "localhost:8080"},
            {"nonsense"}
        }) {
            Outcome outcome = run(args);

            assertThat(outcome.status).as(String.join(" ", args)).isEqualTo(2);
            assertThat(outcome.out).isEmpty();
            assertThat(outcome.err.strip().lines())
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("watchfan: ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "sim", "soak", "swarm", "bench", "naive"})
    void shouldRefuseLogSettingsThatThereAreNot(String command) throws Exception {
        assertThat(run(Map.of("WATCHFAN_LOG_LEVEL", "loud"), command))
                .isEqualTo(new Outcome(
                        2, "", "watchfan: WATCHFAN_LOG_LEVEL: 'loud' is none of info, trace, debug, warn, error\n"));
        assertThat(run(Map.of("WATCHFAN_LOG_FORMAT", "xml"), command))
                .isEqualTo(new Outcome(2, "", "watchfan: WATCHFAN_LOG_FORMAT: 'xml' is none of text, json\n"));
    }

    @Test
    void shouldTakeLogSettingsThatThereAre() throws Exception {
        Outcome outcome = run(Map.of("WATCHFAN_LOG_LEVEL", "ERROR", "WATCHFAN_LOG_FORMAT", ""), "bench", "--list");

        assertThat(outcome.status).as(outcome.err).isZero();
    }

    @Test
    void shouldSwarmAroundASimulationInAnotherProcess() throws Exception {
        Process sim = start("sim", "--listen", "127.0.0.1:0", "--pods", "50", "--churn", "50", "--cut-every", "1s");
        try (BufferedReader lines = sim.inputReader()) {
            String line = lines.readLine();
            assertThat(line).startsWith("listening on http://127.0.0.1:");
            String url = line.substring("listening on ".length());

            Outcome outcome = run(
                    "swarm", "--target", url, "--watchers", "50", "--duration", "3s", "--label", "app=app-1", "--json");
            Outcome referenced =
                    run("swarm", "--target", url, "--reference", url, "--watchers", "50", "--duration", "3s", "--json");
            sim.destroy();

            assertThat(referenced.status).as(referenced.err).isZero();
            assertThat(outcome.status).as(outcome.err).isZero();
            JsonNode report = new ObjectMapper().readTree(outcome.out);
            assertThat(report.at("/watchers/events").asLong()).isPositive();
            assertThat(report.at("/watchers/endedCut").asLong()).isGreaterThanOrEqualTo(50);
            assertThat(report.at("/latency/count").asLong()).isPositive();
            assertThat(sim.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(sim.exitValue()).isZero();
        } finally {
            sim.destroyForcibly();
        }
    }
}
