package io.watchfan.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The process as others see it: exit code, output, signals. */
@Timeout(120)
final class ProxyMainIT {
    private final List<Process> processes = new ArrayList<>();

    private record Outcome(int code, String out, String err) {}

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-cp", System.getProperty("java.class.path"), ProxyMain.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("KUBECONFIG");
        Process process = builder.start();
        processes.add(process);
        return process;
    }

    private static Outcome outcome(Process process) throws Exception {
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), out, err);
    }

    @Test
    void shouldSayInOneLineWhatIsWrongAndExitWith2() throws Exception {
        Outcome outcome = outcome(start("--max-feeds", "many"));

        assertThat(outcome)
                .isEqualTo(new Outcome(2, "", "watchfan proxy: --max-feeds: 'many' is not a whole number\n"));
    }

    @Test
    void shouldExitWith2WhenTheKubeconfigIsNotThere() throws Exception {
        Outcome outcome = outcome(start("--kubeconfig", "/no/such/file"));

        assertThat(outcome)
                .isEqualTo(new Outcome(2, "", "watchfan proxy: --kubeconfig: /no/such/file does not exist\n"));
    }

    @Test
    void shouldPrintVersionAndHelpAndExitWith0() throws Exception {
        Outcome version = outcome(start("--version"));
        Outcome help = outcome(start("--help"));

        assertThat(version.code).isZero();
        assertThat(version.out).startsWith("watchfan ").endsWith("\n");
        assertThat(help.code).isZero();
        assertThat(help.out).contains("--window-bytes");
        assertThat(version.err + help.err).isEmpty();
    }

    @Test
    void shouldExitWith1WhenThePortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();

            Outcome outcome =
                    outcome(start("--upstream", "http://127.0.0.1:1", "--listen", address, "--admin", "127.0.0.1:0"));

            assertThat(outcome.code).isEqualTo(1);
            assertThat(outcome.err)
                    .startsWith("watchfan proxy: cannot listen (--listen " + address)
                    .contains("in use")
                    .hasLineCount(1);
        }
    }

    @Test
    void shouldRunWithoutItsApiServerAndExitWith0WhenAskedToStop() throws Exception {
        Process process = start(
                "--upstream",
                "http://127.0.0.1:1",
                "--listen",
                "127.0.0.1:0",
                "--admin",
                "127.0.0.1:0",
                "--drain-grace",
                "1s");
        BufferedReader log = process.errorReader(StandardCharsets.UTF_8);
        List<String> lines = new ArrayList<>();
        String line;
        while ((line = log.readLine()) != null && !line.contains("has not answered")) {
            lines.add(line);
        }

        process.destroy();

        assertThat(line).as("after %s", lines).contains("http://127.0.0.1:1");
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }
}
