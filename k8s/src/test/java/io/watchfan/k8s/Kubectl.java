package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The control plane's own kubectl, against one server. */
final class Kubectl {
    private static final long MOST_SECONDS = 60;

    private final Path home;
    private final List<String> command;

    private Kubectl(Path home, List<String> command) {
        this.home = home;
        this.command = command;
    }

    /** With the credentials of the control plane's administrator. */
    static Kubectl direct(ControlPlane cluster, Path home) {
        return new Kubectl(
                home,
                List.of(
                        cluster.kubectl().toString(),
                        "--kubeconfig",
                        cluster.kubeconfig().toString()));
    }

    /** Through the proxy, with no credential. */
    static Kubectl through(ProxyProcess proxy, ControlPlane cluster, Path home) throws IOException {
        Path kubeconfig = home.resolve("proxy.kubeconfig");
        Files.writeString(kubeconfig, """
                apiVersion: v1
                kind: Config
                current-context: proxy
                contexts: [{name: proxy, context: {cluster: proxy, user: nobody}}]
                clusters: [{name: proxy, cluster: {server: "%s"}}]
                users: [{name: nobody, user: {}}]
                """.formatted(proxy.api().server()));
        return new Kubectl(home, List.of(cluster.kubectl().toString(), "--kubeconfig", kubeconfig.toString()));
    }

    /** What a finished kubectl has left. */
    record Result(int status, String output, String errors) {
        Result expect(int wanted) {
            assertThat(status).as("%s%s", output, errors).isEqualTo(wanted);
            return this;
        }
    }

    private Process begin(String input, List<String> arguments) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(all);
        builder.environment().remove("KUBECONFIG");
        // Discovery is cached below it, and must be found anew by each test.
        builder.environment().put("HOME", home.toString());
        Process process = builder.start();
        try (var stdin = process.outputWriter(StandardCharsets.UTF_8)) {
            stdin.write(input);
        } catch (IOException e) {
            if (process.isAlive()) {
                throw e;
            }
        }
        return process;
    }

    /** Runs it to its end. */
    Result run(String... arguments) throws IOException, InterruptedException {
        return run("", List.of(arguments));
    }

    /** Runs it with this standard input to its end. */
    Result run(String input, List<String> arguments) throws IOException, InterruptedException {
        Process process = begin(input, arguments);
        CompletableFuture<String> output = CompletableFuture.supplyAsync(() -> all(process.inputReader()));
        CompletableFuture<String> errors = CompletableFuture.supplyAsync(() -> all(process.errorReader()));
        if (!process.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(
                    "kubectl " + arguments + " did not end; it had said: " + output.join() + errors.join());
        }
        return new Result(process.exitValue(), output.join(), errors.join());
    }

    private static String all(BufferedReader reader) {
        try (reader) {
            StringBuilder text = new StringBuilder();
            char[] some = new char[8192];
            for (int count = reader.read(some); count >= 0; count = reader.read(some)) {
                text.append(some, 0, count);
            }
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it, to be read while it runs. */
    Running start(String... arguments) throws IOException {
        return new Running(begin("", List.of(arguments)));
    }

    /** A kubectl that runs. */
    static final class Running implements AutoCloseable {
        private final Process process;
        private final StringBuilder output = new StringBuilder();

        private Running(Process process) {
            this.process = process;
            Thread reader = new Thread(() -> read(process.inputReader()), "kubectl-output");
            reader.setDaemon(true);
            reader.start();
            Thread errors = new Thread(() -> read(process.errorReader()), "kubectl-errors");
            errors.setDaemon(true);
            errors.start();
        }

        private void read(BufferedReader reader) {
            try (reader) {
                // By the line, so that what comes on one way is not split by what comes on the other.
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    synchronized (this) {
                        output.append(line).append('\n');
                        notifyAll();
                    }
                }
            } catch (IOException e) {
                // It has been killed.
            }
        }

        /** All it has said so far. */
        synchronized String output() {
            return output.toString();
        }

        /** Waits until it has said this, in regular expression, after all before. */
        synchronized Running until(String pattern) throws InterruptedException {
            java.util.regex.Pattern wanted = java.util.regex.Pattern.compile(pattern);
            long deadline = System.nanoTime() + Watching.PATIENCE.toNanos();
            while (!wanted.matcher(output).find()) {
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (millis <= 0) {
                    throw new AssertionError("kubectl has not said " + pattern + " but:\n" + output);
                }
                wait(millis);
            }
            return this;
        }

        @Override
        public void close() throws InterruptedException {
            process.destroyForcibly();
            process.waitFor(10, TimeUnit.SECONDS);
        }
    }
}
