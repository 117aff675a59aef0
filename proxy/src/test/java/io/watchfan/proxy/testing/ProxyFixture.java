package io.watchfan.proxy.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.watchfan.proxy.ProxyServer;
import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.feed.FeedRegistry;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.upstream.ObjectEncoding;
import io.watchfan.proxy.upstream.UpstreamTarget;
import io.watchfan.proxy.watch.LoopDispatcher;
import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToIntFunction;

/** The whole proxy in this process, before an API server played by the test, with a look at what it holds. */
public final class ProxyFixture implements Closeable {
    private final ProxyServer server;
    private final int port;
    private final List<TestClient> clients = new ArrayList<>();
    private Future<Void> stopped;

    public ProxyFixture(ScriptedApiServer upstream, String... flags) throws Exception {
        port = freePort();
        List<String> all = new ArrayList<>(Arrays.asList(flags));
        all.addAll(List.of(
                "--upstream", upstream.url(), "--listen", "127.0.0.1:" + port, "--admin", "127.0.0.1:" + freePort()));
        ProxyConfig config = ConfigLoader.parse(all.toArray(String[]::new));
        server = new ProxyServer(config, UpstreamTarget.of(config.upstream()));
        server.start().await(20, TimeUnit.SECONDS);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    public int port() {
        return port;
    }

    public ProxyServer server() {
        return server;
    }

    public TestClient client() throws IOException {
        return keep(TestClient.connect(port));
    }

    /** A client that soon stops the proxy when it does not read. */
    public TestClient smallClient() throws IOException {
        return keep(TestClient.connectSmall(port));
    }

    private TestClient keep(TestClient client) {
        clients.add(client);
        return client;
    }

    /** A watch whose head has come. */
    public TestClient watch(String query) throws IOException {
        return client().get("/api/v1/pods?watch=true" + query).accepted();
    }

    // ---- what it holds

    public ProxyMetrics metrics() {
        return (ProxyMetrics) field(server, "metrics");
    }

    public long watchers() {
        return metrics().watcherCount();
    }

    /** How many watches have ended for this reason. */
    public double ends(String reason) {
        return count("watchfan.watch.ends", "reason", reason);
    }

    /** The value of a counter; 0 when it has not counted yet. */
    public double count(String name, String tag, String value) {
        Counter counter = metrics().registry().find(name).tag(tag, value).counter();
        return counter == null ? 0 : counter.count();
    }

    /** The feed of JSON. */
    public ResourceFeed feed(String plural) {
        return feed(plural, ObjectEncoding.JSON);
    }

    public ResourceFeed feed(String plural, ObjectEncoding encoding) {
        FeedRegistry feeds = (FeedRegistry) field(server, "feeds");
        return feeds.all().stream()
                .filter(feed ->
                        feed.key().gvr().resource().equals(plural) && feed.key().encoding() == encoding)
                .findFirst()
                .orElse(null);
    }

    public int users(String plural) {
        ResourceFeed feed = feed(plural);
        return feed == null ? 0 : feed.users();
    }

    /** How many feeds have a dispatcher on some event loop, and so groups, cursors and the like. */
    public int dispatchers() {
        return sum(loop -> {
            LoopDispatcher dispatcher = (LoopDispatcher) call(loop, "dispatcher");
            return ((Map<?, ?>) field(dispatcher, "dispatchers")).size() + dispatcher.size();
        });
    }

    /** How many lists, or large objects, are being sent. */
    public int listsUnderWay() {
        return sum(loop -> {
            Object reads = field(field(call(loop, "router"), "feeds"), "reads");
            return (int) field(field(reads, "underWay"), "count");
        });
    }

    /** How many event loops serve clients. */
    public int loops() {
        return ((List<?>) field(server, "loops")).size();
    }

    /** Something that each event loop has one of. */
    public List<Object> ofLoops(String owned) {
        List<Object> all = new ArrayList<>();
        for (Object loop : (List<?>) field(server, "loops")) {
            all.add(field(call(loop, "dispatcher"), owned));
        }
        return all;
    }

    /** The sum over the event loops of a count that something of theirs keeps. */
    public long sumOfLoops(String owner, String count) {
        return sum(loop -> (int) field(field(call(loop, "dispatcher"), owner), count));
    }

    /** The sum of what each event loop finds on itself. */
    private int sum(ToIntFunction<Object> look) {
        int sum = 0;
        for (Object loop : (List<?>) field(server, "loops")) {
            Context context = (Context) call(loop, "context");
            CompletableFuture<Integer> found = new CompletableFuture<>();
            context.runOnContext(v -> found.complete(look.applyAsInt(loop)));
            sum += found.orTimeout(10, TimeUnit.SECONDS).join();
        }
        return sum;
    }

    /** Waits until no watch is left behind anywhere. */
    public void awaitNothingLeft(String plural) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(List.of((int) watchers(), users(plural), dispatchers()))
                        .as("watchers, users of the feed, dispatchers and watches on the loops")
                        .containsExactly(0, 0, 0));
    }

    public void awaitWatchers(long count) {
        await().atMost(Duration.ofSeconds(20)).until(() -> watchers() == count);
    }

    /** The value of a field that only tests look at. */
    public static Object field(Object of, String name) {
        try {
            Field field = of.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(of);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static Object call(Object of, String name) {
        try {
            Method method = of.getClass().getDeclaredMethod(name);
            method.setAccessible(true);
            return method.invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** Drains and stops. */
    public void stop() throws TimeoutException {
        beginToStop().await(40, TimeUnit.SECONDS);
    }

    /** Begins to drain, unless that has begun; the future is complete when it has stopped. */
    public Future<Void> beginToStop() {
        if (stopped == null) {
            stopped = server.drainAndStop();
        }
        return stopped;
    }

    @Override
    public void close() throws IOException {
        for (TestClient client : clients) {
            client.close();
        }
        try {
            stop();
        } catch (TimeoutException e) {
            throw new IOException(e);
        }
    }
}
