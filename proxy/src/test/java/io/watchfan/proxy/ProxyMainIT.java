package io.watchfan.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The process as others see it: exit code, output, signals. On threads of their own, since reads of output are not interrupted. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ProxyMainIT {
    private final List<Process> processes = new ArrayList<>();

    private record Outcome(int code, String out, String err) {}

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    private Process start(String... arguments) throws IOException {
        return start(Map.of(), arguments);
    }

    private Process start(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-cp", System.getProperty("java.class.path"), ProxyMain.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("KUBECONFIG");
        builder.environment().putAll(environment);
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

    private Process startAlone(Map<String, String> environment, String grace) throws IOException {
        return start(
                environment,
                "--upstream",
                "http://127.0.0.1:1",
                "--listen",
                "127.0.0.1:0",
                "--admin",
                "127.0.0.1:0",
                "--drain-grace",
                grace);
    }

    private static String awaitLine(BufferedReader log, String text) throws IOException {
        List<String> lines = new ArrayList<>();
        String line;
        while ((line = log.readLine()) != null && !line.contains(text)) {
            lines.add(line);
        }
        assertThat(line).as("after %s", lines).isNotNull();
        return line;
    }

    @Test
    void shouldRefuseLogSettingsThatThereAreNot() throws Exception {
        assertThat(outcome(start(Map.of("WATCHFAN_LOG_FORMAT", "xml"))))
                .isEqualTo(new Outcome(2, "", "watchfan proxy: WATCHFAN_LOG_FORMAT: 'xml' is none of text, json\n"));
        assertThat(outcome(start(Map.of("WATCHFAN_LOG_LEVEL", "loud"))))
                .isEqualTo(new Outcome(
                        2,
                        "",
                        "watchfan proxy: WATCHFAN_LOG_LEVEL: 'loud' is none of info, trace, debug, warn, error\n"));
    }

    @Test
    void shouldTakeAnEmptyLogSettingForNone() throws Exception {
        Process process = startAlone(Map.of("WATCHFAN_LOG_FORMAT", "", "WATCHFAN_LOG_LEVEL", ""), "0s");

        assertThat(awaitLine(process.errorReader(StandardCharsets.UTF_8), "listening"))
                .contains("INFO");
    }

    @Test
    void shouldLogJsonWithTheArgumentsInTheMessage() throws Exception {
        Process process = startAlone(Map.of("WATCHFAN_LOG_FORMAT", "json"), "0s");

        JsonNode line =
                new ObjectMapper().readTree(awaitLine(process.errorReader(StandardCharsets.UTF_8), "has not answered"));

        assertThat(line.path("message").asText())
                .startsWith("the API server has not answered yet")
                .contains("address=http://127.0.0.1:1");
        assertThat(line.path("level").asText()).isEqualTo("WARN");
        assertThat(line.has("formattedMessage") || line.has("arguments")).isFalse();
    }

    @Test
    void shouldRunWithoutItsApiServerAndExitWith0WhenAskedToStop() throws Exception {
        Process process = startAlone(Map.of(), "1s");
        String line = awaitLine(process.errorReader(StandardCharsets.UTF_8), "has not answered");

        process.destroy();

        assertThat(line).contains("http://127.0.0.1:1");
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void shouldEndAtOnceWhenToldToASecondTimeWhileItDrains() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Process process = start(
                    "--upstream",
                    "http://127.0.0.1:" + silent.getLocalPort(),
                    "--listen",
                    "127.0.0.1:" + port,
                    "--admin",
                    "127.0.0.1:0",
                    "--drain-grace",
                    "1h");
            BufferedReader log = process.errorReader(StandardCharsets.UTF_8);
            awaitLine(log, "listening");
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                client.getOutputStream()
                        .write("GET /waiting HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                awaitRequest(silent, "GET /waiting ");

                process.toHandle().destroy();
                awaitLine(log, "draining");
                process.toHandle().destroy();

                assertThat(awaitLine(log, "told")).isEqualTo("watchfan proxy: told to end again, ended at once");
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).isEqualTo(1);
            }
        }
    }

    /** Takes connections, and answers none, until one begins with {@code head}. */
    private static void awaitRequest(ServerSocket server, String head) throws IOException {
        String first;
        do {
            // Not closed: whoever asked waits for an answer.
            Socket connection = server.accept();
            first = new String(connection.getInputStream().readNBytes(head.length()), StandardCharsets.US_ASCII);
        } while (!first.equals(head));
    }
}
