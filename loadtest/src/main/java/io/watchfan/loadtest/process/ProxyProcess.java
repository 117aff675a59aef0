package io.watchfan.loadtest.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A proxy in a process of its own, between a simulated API server and the watchers.
 *
 * <p>It never outlives this process: {@link #close} ends it, so does a shutdown hook, and if this process is killed a
 * guardian, a small shell that waits for this end of a pipe to close, does.
 */
public final class ProxyProcess implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
    private static final long PROBE_MILLIS = 50;
    private static final int LAST_LINES = 15;

    private final Process process;
    private final Process guardian;
    private final Thread hook;
    private final URI url;
    private final URI admin;
    private final Path log;

    private ProxyProcess(Process process, URI url, URI admin, Path log) {
        this.process = process;
        this.url = url;
        this.admin = admin;
        this.log = log;
        this.guardian = startGuardian(process.pid(), log);
        this.hook = new Thread(this::endAndForget, "proxy-end");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts a proxy.
     *
     * @param command what to run; the options that every proxy command understands are appended
     * @param upstream the API server
     */
    public static ProxyProcess start(List<String> command, String upstream) throws IOException {
        int listenPort = freePort();
        int adminPort = freePort();
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("--upstream", upstream));
        words.addAll(List.of("--listen", "127.0.0.1:" + listenPort));
        words.addAll(List.of("--admin", "127.0.0.1:" + adminPort));
        Path log = Files.createTempFile("watchfan-demo-proxy-", ".log");
        Process process = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        process.getOutputStream().close();
        return new ProxyProcess(
                process,
                URI.create("http://127.0.0.1:" + listenPort),
                URI.create("http://127.0.0.1:" + adminPort),
                log);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket.getLocalPort();
        }
    }

    /** Kills a process once the pipe from here breaks; null where there is no shell. */
    private static Process startGuardian(long pid, Path log) {
        try {
            return new ProcessBuilder(
                            "sh",
                            "-c",
                            "trap '' INT TERM HUP; read _; kill \"$1\" && sleep 2 && kill -9 \"$1\"; rm -f \"$2\"",
                            "guardian",
                            Long.toString(pid),
                            log.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return null;
        }
    }

    /** Where clients connect. */
    public URI url() {
        return url;
    }

    /** Where its log goes. Deleted at the end. */
    public Path log() {
        return log;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** What it uses. */
    public ProcessUsage usage() {
        return new ProcessUsage(process.toHandle());
    }

    /**
     * Waits until it says that it is ready.
     *
     * @return whether it did before the time was up, and lives
     */
    public boolean awaitReady(Duration most) throws InterruptedException {
        HttpClient client =
                HttpClient.newBuilder().connectTimeout(PROBE_TIMEOUT).build();
        HttpRequest probe = HttpRequest.newBuilder(admin.resolve("/readyz"))
                .timeout(PROBE_TIMEOUT)
                .build();
        long deadline = System.nanoTime() + most.toNanos();
        while (isAlive() && System.nanoTime() - deadline < 0) {
            try {
                if (client.send(probe, HttpResponse.BodyHandlers.discarding()).statusCode() == 200) {
                    return true;
                }
            } catch (IOException e) {
                // Not listening yet.
            }
            TimeUnit.MILLISECONDS.sleep(PROBE_MILLIS);
        }
        return false;
    }

    /** The last lines that it wrote. */
    public String lastLines() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
        } catch (IOException e) {
            return "(its log cannot be read: " + e.getMessage() + ")";
        }
    }

    /** Ends the process and all that it started; returns when they are gone. */
    private void end() {
        List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
        family.add(process.toHandle());
        family.forEach(ProcessHandle::destroy);
        try {
            if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            for (ProcessHandle member : family) {
                if (member.isAlive()) {
                    member.destroyForcibly();
                }
            }
            process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            family.forEach(ProcessHandle::destroyForcibly);
            Thread.currentThread().interrupt();
        }
        if (guardian != null) {
            guardian.destroyForcibly();
        }
    }

    private void endAndForget() {
        end();
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            // A temporary file is left behind.
        }
    }

    @Override
    public void close() {
        endAndForget();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is at work itself.
        }
    }
}
