package io.watchfan.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchfan.loadtest.process.ProcessUsage;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A real kube-apiserver and etcd (see {@code e2e/controlplane/README.md}). Ends itself at the end of its standard input, so
 * that it cannot outlive this JVM.
 */
final class ControlPlane implements AutoCloseable {
    private static final Duration MOST_OF_A_COMMAND = Duration.ofMinutes(2);

    private final Path bin;
    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter commands;
    private final JsonNode info;

    private ControlPlane(Path bin, Process process) throws IOException, InterruptedException {
        this.bin = bin;
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.commands = process.outputWriter(StandardCharsets.UTF_8);
        this.info = answer("up");
    }

    /** Starts both servers with no data. */
    static ControlPlane start() throws IOException, InterruptedException {
        Path bin = BuildScript.run("controlplane");
        Path dir = Files.createTempDirectory("watchfan-e2e-");
        List<String> command = new ArrayList<>(
                List.of(bin.resolve("controlplane").toString(), "up", "--dir", dir.toString(), "--exit-with-stdin"));
        Audit.flags(dir).forEach(flag -> command.add("--apiserver-flag=" + flag));
        Process process = new ProcessBuilder(command)
                .redirectError(Checkout.leftovers("controlplane")
                        .resolve("controlplane.log")
                        .toFile())
                .start();
        try {
            return new ControlPlane(bin, process);
        } catch (IOException | InterruptedException e) {
            process.destroy();
            throw e;
        }
    }

    private JsonNode answer(String command) throws IOException, InterruptedException {
        CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> {
            try {
                return answers.readLine();
            } catch (IOException e) {
                return null;
            }
        });
        try {
            String json = line.get(MOST_OF_A_COMMAND.toSeconds(), TimeUnit.SECONDS);
            if (json == null) {
                throw new IOException("the control plane ended at: " + command + "; its log is in target/e2e");
            }
            return Json.read(json);
        } catch (TimeoutException | ExecutionException e) {
            throw new IOException("the control plane did not answer: " + command, e);
        }
    }

    /** Runs a command of the control plane, such as {@code kill apiserver}, to its end. */
    synchronized void command(String command) throws IOException, InterruptedException {
        JsonNode answer = ask(command);
        if (!answer.path("ok").asBoolean()) {
            throw new IOException(command + ": " + answer);
        }
    }

    private JsonNode ask(String command) throws IOException, InterruptedException {
        commands.write(command);
        commands.newLine();
        commands.flush();
        return answer(command);
    }

    /** Makes sure that the API server runs, whatever a test has done to it. */
    synchronized void ensureRunning() throws IOException, InterruptedException {
        if (!ask("status").hasNonNull("apiserverPid")) {
            command("start apiserver");
        }
    }

    /** What the API server, which runs, uses till it is stopped. */
    synchronized ProcessUsage apiServerUsage() throws IOException, InterruptedException {
        long pid = ask("status").path("apiserverPid").asLong(-1);
        return new ProcessUsage(
                ProcessHandle.of(pid).orElseThrow(() -> new IOException("the API server does not run: " + pid)));
    }

    /** URL of the API server. */
    String server() {
        return info.path("server").asText();
    }

    /** A token that may do everything. */
    String adminToken() {
        return info.path("adminToken").asText();
    }

    /** A file of a token that may do everything. */
    Path adminTokenFile() throws IOException {
        return Files.writeString(Path.of(info.path("dir").asText()).resolve("admin.token"), adminToken());
    }

    /** What the API server is asked to list and to watch from now on. */
    Audit audit() throws IOException {
        return Audit.from(Path.of(info.path("dir").asText()));
    }

    /** A kubeconfig that may do everything. */
    Path kubeconfig() {
        return Path.of(info.path("kubeconfig").asText());
    }

    /** The certificate that the API server's own is signed by. */
    Path ca() {
        return Path.of(info.path("ca").asText());
    }

    /** The kubectl of the API server's own version. */
    Path kubectl() {
        return bin.resolve("kubectl");
    }

    @Override
    public void close() throws IOException {
        commands.close();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return;
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            return;
        }
        Path dir = Path.of(info.path("dir").asText());
        for (String log : new String[] {"apiserver.log", "etcd.log"}) {
            Files.copy(
                    dir.resolve(log),
                    Checkout.leftovers("controlplane").resolve(log),
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        try (var files = Files.walk(dir)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
