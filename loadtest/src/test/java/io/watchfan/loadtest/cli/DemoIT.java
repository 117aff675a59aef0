package io.watchfan.loadtest.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.report.RunReport;
import io.watchfan.loadtest.report.StatusLine;
import io.watchfan.loadtest.swarm.Sabotage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole runs: what is right passes, and every way to corrupt it is found. */
@Timeout(120)
class DemoIT {
    private static final long SEED = System.nanoTime();

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

    private RunReport run(int watchers, Sabotage sabotage, List<String> proxyCommand)
            throws IOException, InterruptedException {
        return run(watchers, false, sabotage, proxyCommand);
    }

    private RunReport run(int watchers, boolean expire, Sabotage sabotage, List<String> proxyCommand)
            throws IOException, InterruptedException {
        System.out.println("seed " + SEED);
        StatusLine status = new StatusLine(new PrintStream(shown, true, StandardCharsets.UTF_8), false);
        return new DemoRun(
                        new RunOptions(watchers, Duration.ofSeconds(3), 40, 200, SEED, expire, sabotage, proxyCommand),
                        status)
                .run();
    }

    private static List<String> java(Class<?> main) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
    }

    @Test
    void shouldPassStraightAtTheApiServerWithACutAndReconnects() throws Exception {
        RunReport report = run(300, null, List.of());

        assertThat(report.details()).isEmpty();
        assertThat(report.passed()).isTrue();
        assertThat(report.violations()).isEmpty();
        assertThat(report.watchers().endedCut()).isGreaterThanOrEqualTo(290);
        assertThat(report.watchers().reconnects()).isPositive();
        assertThat(report.watchers().initialEvents()).isPositive();
        assertThat(report.watchers().events())
                .isGreaterThanOrEqualTo(report.upstream().changes() * 150);
        assertThat(report.latency().count()).isPositive();
        assertThat(report.toText()).contains("passed");
        assertThat(report.toJson()).startsWith("{\"command\":\"demo\",\"passed\":true");
    }

    @Test
    void shouldPassWhenTheApiServerForgetsItsHistory() throws Exception {
        RunReport report = run(100, true, null, List.of());

        assertThat(report.details()).isEmpty();
        assertThat(report.passed()).isTrue();
        assertThat(report.watchers().expired()).isGreaterThanOrEqualTo(90);
    }

    @ParameterizedTest
    @CsvSource({"DROP,RELIABLE", "REPEAT,UNIQUE", "REORDER,ORDERED"})
    void shouldFindSabotageAndNothingElse(Sabotage sabotage, String guarantee) throws Exception {
        RunReport report = run(40, sabotage, List.of());

        assertThat(report.passed()).isFalse();
        assertThat(report.violations()).isEqualTo(Map.of(guarantee, 1L));
        assertThat(report.toText()).contains("FAILED", guarantee);
    }

    @Test
    void shouldRunAProxyAsAChildAndLeaveNothingBehind() throws Exception {
        RunReport report = run(60, null, java(RelayProxy.class));

        assertThat(report.details()).isEmpty();
        assertThat(report.passed()).isTrue();
        assertThat(report.proxy().maxResidentMiB()).isPositive();
        assertThat(shown.toString(StandardCharsets.UTF_8)).contains("60 watchers are watching");
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void shouldSayWhatAProxyWroteThatEndsAtOnce() {
        List<String> command = List.of("sh", "-c", "echo no such flag; exit 3");

        IOException failure = catchThrowableOfType(IOException.class, () -> run(5, null, command));

        assertThat(failure).hasMessageContaining("the proxy ended").hasMessageContaining("no such flag");
    }

    @Test
    void shouldKillTheProxyWhenThisProcessIsKilled() throws Exception {
        // A process that starts a proxy and is then killed in a way that it cannot notice.
        Process owner = new ProcessBuilder(java(ProxyOwner.class))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long pid;
        try (var lines = owner.inputReader()) {
            pid = Long.parseLong(lines.readLine());
            assertThat(ProcessHandle.of(pid)).isPresent();
            owner.destroyForcibly();
        }

        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }

    /** Starts a proxy, says which process it is, and waits. */
    static final class ProxyOwner {
        private ProxyOwner() {}

        public static void main(String[] args) throws Exception {
            ProxyProcess proxy = ProxyProcess.start(java(RelayProxy.class), "http://127.0.0.1:1");
            System.out.println(proxy.pid());
            new CountDownLatch(1).await();
        }
    }
}
