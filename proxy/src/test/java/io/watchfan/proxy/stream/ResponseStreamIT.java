package io.watchfan.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PfxOptions;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.proxy.representation.Representations;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.TestClient;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every way in which a stream gets to its client, over real sockets, with clients that read late. */
@Timeout(60)
final class ResponseStreamIT {
    private static final LineFormat JSON = new Representations(
                    new ApiResource(new GroupVersionResource("", "v1", "things"), "Thing", true, Set.of()),
                    ObjectEncoding.JSON)
            .whole();

    private static final String PASSWORD = "changeit";

    @TempDir
    private static Path folder;

    private static Path keys;

    private final BlockingQueue<Driver> drivers = new LinkedBlockingQueue<>();
    private final List<TestClient> clients = new ArrayList<>();
    private Vertx vertx;
    private HttpServer server;

    /** How the bytes travel. */
    private enum Way {
        /** Straight to an epoll socket. */
        STRAIGHT,
        /** Below the codec of a socket that is not epoll's. */
        NIO,
        /** Below the codec, above TLS. */
        TLS,
        /** The response API of Vert.x. */
        PLAIN
    }

    /** Writes lines as a dispatcher does: while the stream is writable, and on when it has drained. */
    private static final class Driver {
        private final FrameBuilder frames = new FrameBuilder(new Gzip());
        private final HttpServerRequest request;
        private final ResponseStream stream;
        private final List<Line> lines;
        private final boolean ends;
        private long framed;

        // Read by the test's thread.
        private volatile int next;
        private final AtomicInteger stops = new AtomicInteger();
        private final AtomicInteger drains = new AtomicInteger();
        private volatile boolean closed;
        private volatile String trouble = "";

        Driver(HttpServerRequest request, ResponseStream stream, List<Line> lines, boolean ends) {
            this.request = request;
            this.stream = stream;
            this.lines = lines;
            this.ends = ends;
            stream.onDrain(() -> {
                drains.incrementAndGet();
                if (!stream.isWritable()) {
                    trouble = "drained and not writable";
                }
                go();
            });
        }

        void go() {
            while (next < lines.size() && stream.isWritable()) {
                int to = Math.min(lines.size(), next + 20);
                Frame frame = frames.frame(new FrameFormat(stream.framing(), JSON), lines.subList(next, to));
                int unit = 0;
                while (unit < frame.units() && stream.isWritable()) {
                    int after = stream.write(frame, unit);
                    if (after <= unit || after > frame.units()) {
                        trouble = "from unit " + unit + " to " + after + " of " + frame.units();
                    }
                    unit = after;
                }
                framed += frame.end(unit - 1);
                next = unit == frame.units() ? to : (int) frame.sequence(unit - 1);
                frame.release();
            }
            if (!stream.isWritable()) {
                stops.incrementAndGet();
            } else if (ends) {
                stream.end();
                if (stream.isWritable()) {
                    trouble = "writable after its end";
                }
            }
        }
    }

    private int start(Way way, List<Line> lines, boolean ends) throws Exception {
        vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(way != Way.NIO));
        HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setSendBufferSize(64 << 10);
        if (way == Way.TLS) {
            options.setSsl(true)
                    .setKeyCertOptions(
                            new PfxOptions().setPath(keys().toString()).setPassword(PASSWORD));
        }
        server = vertx.createHttpServer(options)
                .requestHandler(request -> {
                    if (request.path().equals("/ping")) {
                        request.response().end("pong");
                    } else {
                        serve(way, request, lines, ends);
                    }
                })
                .listen(0)
                .await(20, TimeUnit.SECONDS);
        return server.actualPort();
    }

    private void serve(Way way, HttpServerRequest request, List<Line> lines, boolean ends) {
        Future<ResponseStream> opened = way == Way.PLAIN
                ? request.response().setChunked(true).writeHead().map(v -> new PlainStream(request))
                : ResponseStreams.open(request);
        opened.onSuccess(stream -> {
            Driver driver = new Driver(request, stream, lines, ends);
            request.response().closeHandler(v -> driver.closed = true);
            drivers.add(driver);
            driver.go();
        });
    }

    private static synchronized Path keys() throws Exception {
        if (keys == null) {
            Path file = folder.resolve("keys.p12");
            Process keytool = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "keytool")
                                    .toString(),
                            "-genkeypair",
                            "-alias",
                            "server",
                            "-keyalg",
                            "EC",
                            "-dname",
                            "CN=localhost",
                            "-validity",
                            "2",
                            "-storetype",
                            "PKCS12",
                            "-keystore",
                            file.toString(),
                            "-storepass",
                            PASSWORD)
                    .redirectErrorStream(true)
                    .start();
            String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(keytool.waitFor()).as(said).isZero();
            keys = file;
        }
        return keys;
    }

    @AfterEach
    void stop() throws Exception {
        for (TestClient client : clients) {
            client.close();
        }
        vertx.close().await(20, TimeUnit.SECONDS);
    }

    private TestClient client(Way way) throws Exception {
        TestClient client = way == Way.TLS
                ? TestClient.connectTls(server.actualPort())
                : TestClient.connectSmall(server.actualPort());
        clients.add(client);
        return client;
    }

    /** Until the client's kernel has taken all that it will; how often the stream has drained so far. */
    private static int awaitStall(Driver driver) {
        int[] stops = new int[1];
        await().during(Duration.ofMillis(300)).until(() -> {
            int before = stops[0];
            stops[0] = driver.stops.get();
            return driver.stops.get() == driver.drains.get() + 1 && driver.stops.get() == before;
        });
        return driver.drains.get();
    }

    private Driver driver() throws InterruptedException {
        Driver driver = drivers.poll(15, TimeUnit.SECONDS);
        assertThat(driver).as("a stream was opened").isNotNull();
        return driver;
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldGiveALateReaderEveryByteAndLeaveTheConnectionUsable(Way way) throws Exception {
        List<Line> lines = lines(400, 9000);
        start(way, lines, true);
        TestClient client = client(way).get("/stream").accepted();
        Driver driver = driver();
        awaitStall(driver);
        assertThat(onLoop(driver, d -> {})).as("writable with a rest to send").isFalse();

        for (Line line : lines) {
            assertThat(client.line()).isEqualTo(text(line));
        }

        assertThat(client.line()).isNull();
        assertThat(driver.trouble).isEmpty();
        assertThat(driver.stops.get()).isPositive();
        assertThat(driver.drains.get())
                .as("drained once for every time it stopped")
                .isEqualTo(driver.stops.get());
        client.get("/ping");
        assertThat(client.body(client.head())).isEqualTo("pong");
        if (way != Way.TLS) {
            await().until(() -> taken(driver) == driver.framed);
        }
    }

    /** The fields of Vert.x that are reached into are there: where they are not, an idle watch takes twice the memory. */
    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"STRAIGHT", "NIO", "TLS"})
    void shouldHoldNeitherALargeQueueNorTheHeads(Way way) throws Exception {
        start(way, lines(1, 100), false);
        client(way).get("/stream").accepted();
        Driver driver = driver();

        assertThat(OutboundQueues.queueOf(driver.request)).isInstanceOf(ConcurrentLinkedQueue.class);
        assertThat(driver.request.headers()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldGiveAnEarlyReaderEveryByte(Way way) throws Exception {
        List<Line> lines = lines(300, 700);
        start(way, lines, true);
        TestClient client = client(way).get("/stream").accepted();

        for (Line line : lines) {
            assertThat(client.line()).isEqualTo(text(line));
        }

        assertThat(client.line()).isNull();
        assertThat(driver().trouble).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldGiveALineMuchLargerThanAUnit(Way way) throws Exception {
        List<Line> lines = lines(4, 1_500_000);
        start(way, lines, true);
        TestClient client = client(way).get("/stream").accepted();
        Driver driver = driver();
        if (way != Way.PLAIN) {
            awaitStall(driver);
        }

        for (Line line : lines) {
            assertThat(client.line()).isEqualTo(text(line));
        }

        assertThat(client.line()).isNull();
        assertThat(driver.trouble).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldAnswerTheRequestsSentBehindIt(Way way) throws Exception {
        List<Line> lines = lines(100, 5000);
        start(way, lines, true);
        String ping = "GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n";
        TestClient client = client(way)
                .send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n" + ping
                        + "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n" + ping);

        for (int i = 0; i < 2; i++) {
            client.accepted();
            for (Line line : lines) {
                assertThat(client.line()).isEqualTo(text(line));
            }
            assertThat(client.line()).isNull();
            assertThat(client.body(client.head())).isEqualTo("pong");
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldEndOnlyBehindWhatItHasBegun(Way way) throws Exception {
        List<Line> lines = lines(1, 1_500_000);
        start(way, lines, false);
        TestClient client = client(way).get("/stream").accepted();
        Driver driver = driver();
        int drains = way == Way.PLAIN ? 0 : awaitStall(driver);

        onLoop(driver, d -> d.stream.end());

        assertThat(client.line()).isEqualTo(text(lines.get(0)));
        assertThat(client.line()).isNull();
        assertThat(driver.drains.get()).as("nothing is wanted of it any more").isEqualTo(drains);
        client.get("/ping");
        assertThat(client.body(client.head())).isEqualTo("pong");
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldCutAClientThatDoesNotRead(Way way) throws Exception {
        start(way, lines(400, 9000), true);
        TestClient client = client(way).get("/stream").accepted();
        Driver driver = driver();
        int drains = awaitStall(driver);

        onLoop(driver, d -> d.stream.abort());

        await().until(() -> driver.closed);
        assertThat(client.drain()).isLessThan(400 * 9000);
        assertThat(onLoop(driver, d -> d.stream.end())).isFalse();
        assertThat(driver.drains.get()).isEqualTo(drains);
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldNoticeAClientThatGoes(Way way) throws Exception {
        start(way, lines(400, 9000), true);
        TestClient client = client(way).get("/stream").accepted();
        Driver driver = driver();
        awaitStall(driver);

        client.reset();

        await().atMost(Duration.ofSeconds(15)).until(() -> driver.closed);
        assertThat(onLoop(driver, d -> {})).isFalse();
        assertThat(driver.trouble).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldTellThatAStuckClientTakesNothing(Way way) throws Exception {
        start(way, lines(400, 9000), true);
        TestClient client = client(way).get("/stream").accepted();
        Driver driver = driver();
        awaitStall(driver);
        long taken = taken(driver);
        assertThat(taken).isLessThan(driver.framed);
        await().during(Duration.ofMillis(300)).until(() -> taken(driver) == taken);

        for (int i = 0; i < 200; i++) {
            client.line();
        }

        await().until(() -> taken(driver) > taken);
    }

    private long taken(Driver driver) throws Exception {
        long[] taken = new long[1];
        onLoop(driver, d -> taken[0] = d.stream.taken());
        return taken[0];
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldHoldNoMoreThanTheLineBegunOfAStuckClient(Way way) throws Exception {
        start(way, lines(60, 1_000_000), true);
        client(way).get("/stream").accepted();
        Driver driver = driver();
        awaitStall(driver);

        assertThat(driver.next).as("lines of 1 MB that were taken").isLessThanOrEqualTo(2);
    }

    /** The internals that are relied on: should a release of Vert.x or Netty change them, this is to be the first to say so. */
    @Test
    void shouldWriteStraightToTheSocketWhereEpollIsToBeHad() throws Exception {
        start(Way.STRAIGHT, lines(1, 100), true);
        assertThat(vertx.isNativeTransportEnabled()).isTrue();
        client(Way.STRAIGHT).get("/stream").accepted().line();

        ResponseStream stream = driver().stream;

        assertThat(stream).isInstanceOf(Http1Stream.class);
        assertThat(superField(stream, "socket")).as("the epoll socket").isNotNull();
    }

    @Test
    void shouldWriteBelowTheCodecWhereTheSocketIsNotEpolls() throws Exception {
        start(Way.NIO, lines(1, 100), true);
        client(Way.NIO).get("/stream").accepted().line();

        ResponseStream stream = driver().stream;

        assertThat(stream).isInstanceOf(Http1Stream.class);
        assertThat(superField(stream, "socket")).isNull();
    }

    @Test
    void shouldNeverWriteAroundTls() throws Exception {
        start(Way.TLS, lines(1, 100), true);
        client(Way.TLS).get("/stream").accepted().line();

        ResponseStream stream = driver().stream;

        assertThat(stream).isInstanceOf(Http1Stream.class);
        assertThat(superField(stream, "socket")).isNull();
    }

    private static Object superField(ResponseStream stream, String name) throws ReflectiveOperationException {
        var field = SocketStream.class.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(stream);
    }

    /** Does something on the stream's event loop; whether it is writable afterwards. */
    private boolean onLoop(Driver driver, Consumer<Driver> action) throws Exception {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        io.netty.channel.EventLoop loop = loopOf(driver);
        loop.execute(() -> {
            action.accept(driver);
            done.complete(driver.stream.isWritable());
        });
        return done.get(10, TimeUnit.SECONDS);
    }

    private static io.netty.channel.EventLoop loopOf(Driver driver) throws ReflectiveOperationException {
        if (driver.stream instanceof SocketStream) {
            return ((io.netty.channel.Channel) superField(driver.stream, "channel")).eventLoop();
        }
        Object response = ProxyFixture.field(driver.stream, "response");
        Object connection = ProxyFixture.field(response, "conn");
        return ((io.vertx.core.net.impl.ConnectionBase) connection).channel().eventLoop();
    }

    private static List<Line> lines(int count, int size) {
        List<Line> lines = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            String head = "{\"metadata\":{\"name\":\"o" + i + "\",\"resourceVersion\":\"";
            String json = head + i + "\"},\"pad\":\"" + "x".repeat(size) + "\"}";
            StoredObject object = new StoredObject(
                    new ObjectKey("ns", "o" + i),
                    "",
                    i,
                    Labels.EMPTY,
                    null,
                    json.getBytes(StandardCharsets.UTF_8),
                    head.length(),
                    Integer.toString(i).length(),
                    json.indexOf('{', 1),
                    json.indexOf('}') + 1 - json.indexOf('{', 1));
            lines.add(new Line(EventType.ADDED, object, i % 3 == 0 ? 1_000_000 + i : i, i));
        }
        return lines;
    }

    private static String text(Line line) {
        String json = new String(line.source().bytes(), StandardCharsets.UTF_8);
        return "{\"type\":\"" + line.type() + "\",\"object\":"
                + json.replace(
                        "\"resourceVersion\":\"" + line.source().resourceVersion() + "\"",
                        "\"resourceVersion\":\"" + line.resourceVersion() + "\"")
                + "}";
    }
}
