package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpVersion;
import io.watchfan.proxy.testing.GzipMembers;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.TestClient;
import io.watchfan.proxy.testing.TestClient.Event;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streaming lists as gzip members (W-127), for clients that read at their own pace. */
@Timeout(120)
final class CompressedStreamsIT extends BothEncodings {
    private static final String PROTOBUF = "Accept: " + PROTOBUF_TYPE;
    private static final String PODS = "/api/v1/pods?watch=true";
    private static final String STREAMING_LIST = PODS
            + "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0&allowWatchBookmarks=true";

    CompressedStreamsIT() {
        super("--window-events", "1000", "--write-timeout", "3s");
    }

    @BeforeEach
    void start() {
        upstream.ofRelease("v1.37.2");
    }

    private TestClient zipped(TestClient client, String... headers) throws IOException {
        String[] all = new String[headers.length + 1];
        all[0] = GZIP;
        System.arraycopy(headers, 0, all, 1, headers.length);
        return client.get(STREAMING_LIST, all).unzipping();
    }

    private TestClient plain() throws IOException {
        return proxy.client().get(STREAMING_LIST).accepted();
    }

    /** OkHttp, for one, says that it accepts gzip, and reads one member of it. */
    @ParameterizedTest
    @CsvSource({"v1.36.9", "v2.0.0", "odd", "''"})
    void shouldNotBeWhereTheApiServerWouldNotDoThat(String release) throws Exception {
        try (ScriptedApiServer other = new ScriptedApiServer()) {
            other.ofRelease(release);
            try (ProxyFixture before = new ProxyFixture(other)) {
                TestClient.Head head = before.client().get(STREAMING_LIST, GZIP).head();
                assertThat(head.code()).isEqualTo(200);
                assertThat(head.value("Content-Encoding")).isNull();
                assertThat(head.value("Vary")).isNull();
            }
        }
    }

    @Test
    void shouldBeReadAsItComesEventByEvent() throws Exception {
        upstream.pods().put("a/one");
        upstream.pods().putPadded("a/two", 300_000);
        TestClient plain = plain();
        TestClient zipped = zipped(proxy.client());
        for (int i = 0; i < 3; i++) {
            assertThat(zipped.line()).isEqualTo(plain.line());
        }
        for (int i = 0; i < 20; i++) {
            upstream.pods().putPadded("a/one", i * i * 300);
            // Nothing follows that would push it out.
            assertThat(zipped.line()).isEqualTo(plain.line());
        }
        upstream.pods().delete("a/one");
        assertThat(zipped.event().type()).isEqualTo("DELETED");
    }

    @Test
    void shouldBeReadInProtobufToo() throws Exception {
        for (int i = 0; i < 100; i++) {
            upstream.pods().putPadded("a/n" + i, 3000);
        }
        TestClient zipped = zipped(proxy.client(), PROTOBUF);

        assertThat(zipped.frames(100)).allMatch(event -> event.startsWith("ADDED n"));
        assertThat(zipped.frame().annotations()).containsEntry("k8s.io/initial-events-end", "true");
        long version = upstream.pods().put("a/one");
        assertThat(zipped.frame().brief()).isEqualTo("ADDED one " + version);
    }

    /** As kube-apiserver: only what is a streaming list that may have bookmarks, and only for exactly the token. */
    @ParameterizedTest
    @CsvSource({
        "true, gzip, sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
        "true, gzip, allowWatchBookmarks=true",
        "true, 'br,  gzip', allowWatchBookmarks=true&resourceVersion=0",
        "true, gzip, allowWatchBookmarks=true&timeoutSeconds=5",
        "false, gzip, resourceVersion=0",
        "false, gzip, allowWatchBookmarks=true&resourceVersion=1001",
        "false, gzip, sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
        "false, gzip;q=1, allowWatchBookmarks=true",
        "false, '*', allowWatchBookmarks=true",
        "false, x-gzip, allowWatchBookmarks=true",
    })
    void shouldBeForWhoAsksForIt(boolean compressed, String accepted, String query) throws Exception {
        upstream.pods().put("a/zero");
        proxy.watch("").event();
        upstream.pods().put("a/one");
        TestClient client = proxy.client().get(PODS + "&" + query, "Accept-Encoding: " + accepted);
        if (compressed) {
            client.unzipping();
        } else {
            TestClient.Head head = client.head();
            assertThat(head.code()).isEqualTo(200);
            assertThat(head.value("Content-Encoding")).isNull();
            assertThat(head.value("Vary")).isNull();
        }
        upstream.pods().put("a/two");
        Event event = client.event();
        while (!event.name().equals("two")) {
            event = client.event();
        }
        assertThat(event.type()).isEqualTo("ADDED");
    }

    @Test
    void shouldNotBeForWebSockets() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = proxy.client()
                .get(
                        STREAMING_LIST,
                        GZIP,
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                        "Origin: http://localhost");
        TestClient.Head head = client.head();

        assertThat(head.code()).isEqualTo(101);
        assertThat(head.value("Content-Encoding")).isNull();
        assertThat(Event.of(client.message().text().strip()).brief()).startsWith("ADDED one");
    }

    @Test
    void shouldBeCompressedOnceForAllThatAreInStep() throws Exception {
        upstream.pods().put("a/one");
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            TestClient client = zipped(proxy.client());
            client.events(2);
            clients.add(client);
        }
        TestClient plain = plain();
        plain.events(2);
        // Whoever has had its bookmark is in step with the others when it has had one event more.
        upstream.pods().put("a/one");
        clients.forEach(client -> assertThat(next(client)).isEqualTo("MODIFIED"));
        long before = proxy.sumOfLoops("gzip", "members");
        for (int i = 0; i < 10; i++) {
            upstream.pods().put("a/one");
            clients.forEach(client -> assertThat(next(client)).isEqualTo("MODIFIED"));
        }

        assertThat(proxy.sumOfLoops("gzip", "members") - before)
                .as("members of 10 events for 24 clients")
                .isLessThanOrEqualTo(10L * proxy.loops());
    }

    private static String next(TestClient client) {
        try {
            return client.event().type();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldLetASlowClientCatchUpExactly() throws Exception {
        for (int i = 0; i < 200; i++) {
            upstream.pods().putPadded("a/n" + i, 20_000);
        }
        TestClient quick = zipped(proxy.client());
        TestClient slow = zipped(proxy.smallClient());
        List<String> events = new ArrayList<>();
        quick.events(201).forEach(event -> events.add(event.brief()));
        for (int i = 0; i < 600; i++) {
            long version = upstream.pods().putPadded("a/n" + i % 200, i % 50 == 7 ? 300_000 : 6000);
            events.add("MODIFIED n" + i % 200 + " " + version);
        }

        assertThat(quick.events(600)).extracting(Event::brief).isEqualTo(events.subList(201, 801));
        assertThat(slow.events(801)).extracting(Event::brief).isEqualTo(events);
        long version = upstream.pods().put("a/last");
        assertThat(slow.event().brief()).isEqualTo("ADDED last " + version);
    }

    @Test
    void shouldSayWhyItEndsWithinAMember() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = zipped(proxy.client());
        client.events(2);
        upstream.setVersion(500);
        upstream.pods().forget("a/one");
        upstream.pods().put("a/zero");

        assertThat(client.untilEnd()).extracting(Event::brief).containsExactly("ERROR 410");
        TestClient again = zipped(proxy.client());
        assertThat(again.event().brief()).isEqualTo("ADDED zero 501");
    }

    @Test
    void shouldLeaveNothingOfClientsThatGoOrTakeNothing() throws Exception {
        for (int i = 0; i < 60; i++) {
            // So large that they are not compressed: it is to fill what the kernel has.
            upstream.pods().putPadded("a/n" + i, 300_000);
        }
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(zipped(proxy.smallClient()));
        }
        clients.get(0).event();
        clients.get(0).reset();
        clients.get(1).reset();

        await().atMost(Duration.ofSeconds(30)).until(() -> proxy.ends("write_timeout") == 2);
        proxy.awaitNothingLeft("pods");
    }

    @Test
    void shouldBeReadOverHttp2() throws Exception {
        IntStream.range(0, 50).forEach(i -> upstream.pods().putPadded("a/n" + i, 5000));
        Vertx vertx = Vertx.vertx();
        try {
            Queue<byte[]> pieces = new ConcurrentLinkedQueue<>();
            HttpClientResponse response = askOverHttp2(vertx, STREAMING_LIST)
                    .onSuccess(answer -> answer.handler((Buffer bytes) -> pieces.add(bytes.getBytes())))
                    .await(20, TimeUnit.SECONDS);
            assertThat(response.version()).isEqualTo(HttpVersion.HTTP_2);
            assertThat(response.getHeader("Content-Encoding")).isEqualTo("gzip");
            GzipMembers members = new GzipMembers();
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            TestClient plain = plain();
            StringBuilder expected = new StringBuilder();
            for (int i = 0; i < 60; i++) {
                if (i > 50) {
                    upstream.pods().put("a/n7");
                }
                expected.append(plain.line()).append('\n');
                if (i >= 50) {
                    await().untilAsserted(() -> {
                        for (byte[] piece = pieces.poll(); piece != null; piece = pieces.poll()) {
                            for (byte next : piece) {
                                text.writeBytes(members.feed(next & 0xff));
                            }
                        }
                        assertThat(text.toString(StandardCharsets.UTF_8)).isEqualTo(expected.toString());
                    });
                }
            }
            assertThat(members.isBetween()).isTrue();
        } finally {
            vertx.close().await(20, TimeUnit.SECONDS);
        }
        proxy.awaitWatchers(1);
    }
}
