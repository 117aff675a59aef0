package io.watchfan.loadtest.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A proxy in a process of its own, between a simulated API server and the watchers. It never outlives this process.
 */
public final class ProxyProcess implements AutoCloseable {
    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(2);
    private static final long PROBE_MILLIS = 50;
    /** More options for the JVM, as the launcher takes them. */
    private static final String JAVA_OPTIONS = "WATCHFAN_JAVA_OPTS";

    private final ProcessBuilder builder;
    private volatile ChildProcess child;
    private final URI url;
    private final URI admin;

    private ProxyProcess(ProcessBuilder builder, URI url, URI admin) throws IOException {
        this.builder = builder;
        this.child = ChildProcess.start(builder, "proxy", false);
        this.url = url;
        this.admin = admin;
    }

    /**
     * Starts a proxy as it is.
     *
     * @param command what to run; the options that every proxy command understands are appended
     * @param upstream the API server
     */
    public static ProxyProcess start(List<String> command, String upstream) throws IOException {
        return start(command, upstream, List.of(), "");
    }

    /**
     * Starts a proxy.
     *
     * @param command what to run; the options that every proxy command understands are appended
     * @param upstream the API server
     * @param flags more options of the proxy
     * @param javaOptions more options for its JVM, after those of the environment; empty for none
     */
    public static ProxyProcess start(List<String> command, String upstream, List<String> flags, String javaOptions)
            throws IOException {
        int listenPort = freePort();
        int adminPort = freePort();
        List<String> words = new ArrayList<>(command);
        words.addAll(List.of("--upstream", upstream));
        words.addAll(List.of("--listen", "127.0.0.1:" + listenPort));
        words.addAll(List.of("--admin", "127.0.0.1:" + adminPort));
        words.addAll(flags);
        ProcessBuilder builder = new ProcessBuilder(words);
        if (!javaOptions.isEmpty()) {
            builder.environment().merge(JAVA_OPTIONS, javaOptions, (inherited, ours) -> inherited.strip() + " " + ours);
        }
        return new ProxyProcess(
                builder, URI.create("http://127.0.0.1:" + listenPort), URI.create("http://127.0.0.1:" + adminPort));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return socket.getLocalPort();
        }
    }

    /** Where clients connect. */
    public URI url() {
        return url;
    }

    /** Where its log goes. Deleted at the end. */
    public Path log() {
        return child.log();
    }

    public long pid() {
        return child.process().pid();
    }

    public boolean isAlive() {
        return child.process().isAlive();
    }

    /** What it uses. */
    public ProcessUsage usage() {
        return new ProcessUsage(child.process().toHandle());
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

    /**
     * A figure that it tells of itself.
     *
     * @param name of a metric without labels, as in the text that it is scraped as
     * @throws IOException when it does not tell
     */
    public double metric(String name) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(admin.resolve("/metrics"))
                .timeout(PROBE_TIMEOUT)
                .build();
        String text = HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
        return text.lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new IOException("there is no metric " + name));
    }

    /** Kills it, as with SIGKILL; returns when it is gone. */
    public void kill() throws InterruptedException {
        child.process().destroyForcibly().waitFor();
    }

    /**
     * Tells it to end, as with SIGTERM; kills it when that takes too long.
     *
     * @return its exit status
     * @throws IOException when it had to be killed
     */
    public int terminate(Duration most) throws IOException, InterruptedException {
        Process process = child.process();
        process.destroy();
        boolean ended = process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS);
        kill();
        if (!ended) {
            throw new IOException("the proxy did not end within " + most.toSeconds() + " s of SIGTERM");
        }
        return process.exitValue();
    }

    /** Starts it again, on the same ports and with the same log, when it has ended. */
    public void startAgain() throws IOException {
        child = child.again(builder);
    }

    /** Leaves its log behind when it is closed; returns where that is. */
    public Path keepLog() {
        child.keepLog();
        return child.log();
    }

    /** The last lines that it wrote. */
    public String lastLines() {
        return child.lastLines();
    }

    @Override
    public void close() {
        child.close();
    }
}
