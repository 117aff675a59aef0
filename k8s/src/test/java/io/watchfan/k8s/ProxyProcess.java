package io.watchfan.k8s;

import io.watchfan.loadtest.process.ProcessUsage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code watchfan proxy} as a process of its own, on free ports. It does not outlive this JVM. */
final class ProxyProcess implements AutoCloseable {
    /** The first start may build the proxy. */
    private static final Duration MOST_OF_A_START = Duration.ofMinutes(5);

    private static final long PROBE_MILLIS = 50;
    private static final int TAIL_LINES = 40;

    private final Process process;
    private final String name;
    private final List<String> flags;
    private final int port;
    private final int adminPort;
    private final Thread hook;
    private final Path log;
    private final Api api;
    private final Api admin;

    private ProxyProcess(Process process, String name, List<String> flags, Path log, int port, int adminPort) {
        this.process = process;
        this.name = name;
        this.flags = List.copyOf(flags);
        this.port = port;
        this.adminPort = adminPort;
        this.log = log;
        this.api = Api.through("http://127.0.0.1:" + port);
        this.admin = Api.through("http://127.0.0.1:" + adminPort);
        this.hook = new Thread(process::destroyForcibly, "proxy-end");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts a proxy with all rights on the control plane, and returns when it is ready.
     *
     * @param name of its log
     */
    static ProxyProcess start(String name, ControlPlane cluster, String... flags)
            throws IOException, InterruptedException {
        List<String> all =
                new ArrayList<>(List.of("--kubeconfig", cluster.kubeconfig().toString()));
        all.addAll(List.of(flags));
        return start(name, all);
    }

    /** Starts a proxy with these flags, beside those that say where it listens, and returns when it is ready. */
    static ProxyProcess start(String name, List<String> flags) throws IOException, InterruptedException {
        return start(name, flags, freePort(), freePort());
    }

    private static ProxyProcess start(String name, List<String> flags, int port, int adminPort)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Checkout.LAUNCHER.toString(), "proxy"));
        command.addAll(List.of("--listen", "127.0.0.1:" + port, "--admin", "127.0.0.1:" + adminPort));
        command.addAll(flags);
        Path log = Checkout.leftovers("proxy").resolve(name + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        // It shares the machine with all that it is tested against.
        builder.environment().putIfAbsent("WATCHFAN_JAVA_OPTS", "-Xmx512m");
        Process process = builder.start();
        process.getOutputStream().close();
        ProxyProcess proxy = new ProxyProcess(process, name, flags, log, port, adminPort);
        try {
            proxy.awaitReady();
        } catch (IOException | InterruptedException e) {
            proxy.close();
            throw e;
        }
        return proxy;
    }

    /** Another in the place of this one, which has been killed: the same flags and ports. */
    ProxyProcess again() throws IOException, InterruptedException {
        return start(name + "-again", flags, port, adminPort);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + MOST_OF_A_START.toNanos();
        String last = "nothing";
        while (process.isAlive() && System.nanoTime() - deadline < 0) {
            try {
                Api.Answer answer = admin.get("/readyz");
                if (answer.status() == 200) {
                    return;
                }
                last = answer.text();
            } catch (IOException e) {
                last = e.toString(); // not listening yet
            }
            TimeUnit.MILLISECONDS.sleep(PROBE_MILLIS);
        }
        throw new IOException(
                "the proxy " + (process.isAlive() ? "is not ready: " + last : "has ended") + "\n" + tail());
    }

    /** The Kubernetes API through it. */
    Api api() {
        return api;
    }

    /** What operators see. */
    Api admin() {
        return admin;
    }

    /** The value of a metric, labels and all; 0 when it has not been counted yet. */
    double metric(String name) throws IOException, InterruptedException {
        return admin.get("/metrics")
                .expect(200)
                .text()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    /** What it uses. */
    ProcessUsage usage() {
        return new ProcessUsage(process.toHandle());
    }

    /** Stops it as SIGSTOP does: sockets stay open, nothing is read. */
    void suspend() throws IOException, InterruptedException {
        signal("-STOP");
    }

    /** Lets it go on. */
    void resume() throws IOException, InterruptedException {
        signal("-CONT");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("kill " + signal + " of the proxy failed");
        }
    }

    /** The end of its log. */
    String tail() {
        try {
            List<String> lines = Files.readAllLines(log);
            return "--- the end of " + log + "\n"
                    + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "--- " + log + " cannot be read: " + e;
        }
    }

    /** Kills it. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook runs.
        }
    }
}
