package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.ScriptedApiServer.Kind;
import io.watchfan.proxy.testing.TestClient;
import io.watchfan.proxy.testing.TestClient.Event;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watches through the whole proxy: who gets what, how it is framed, and how it ends. */
@Timeout(60)
final class WatchFanOutIT {
    private static final String WEBSOCKET = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://localhost";

    private ScriptedApiServer upstream;
    private ProxyFixture proxy;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedApiServer();
        proxy = new ProxyFixture(upstream, "--bookmark-interval", "1s");
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        upstream.close();
    }

    @Test
    void shouldCarryOneUpstreamWatchForManyWatchers() throws Exception {
        long first = upstream.pods().put("a/one", "app", "web");
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            clients.add(proxy.watch(i % 3 == 0 ? "" : i % 3 == 1 ? "&labelSelector=app%3Dweb" : "&resourceVersion=0"));
        }
        for (TestClient client : clients) {
            assertThat(client.event().brief()).isEqualTo("ADDED one " + first);
        }

        long second = upstream.pods().put("a/one", "app", "web", "x", "y");
        long third = upstream.pods().put("b/two", "app", "web");
        long fourth = upstream.pods().delete("a/one");

        for (TestClient client : clients) {
            assertThat(client.events(3))
                    .extracting(Event::brief)
                    .containsExactly("MODIFIED one " + second, "ADDED two " + third, "DELETED one " + fourth);
        }
        assertThat(upstream.asked(Kind.STREAMING_LIST)).hasSize(1);
        assertThat(upstream.asked(Kind.WATCH)).isEmpty();
        assertThat(upstream.pods().watches()).isEqualTo(1);
        assertThat(proxy.watchers()).isEqualTo(60);
    }

    @Test
    void shouldSendTheBytesThatCame() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = proxy.watch("");
        assertThat(client.line())
                .isEqualTo("{\"type\":\"ADDED\",\"object\":" + upstream.pods().get("a/one") + "}");

        upstream.pods().putPadded("a/one", 100_000, "app", "web");

        assertThat(client.line())
                .isEqualTo(
                        "{\"type\":\"MODIFIED\",\"object\":" + upstream.pods().get("a/one") + "}");
    }

    @Test
    void shouldTellAnObjectThatLeavesASelectorAsDeletedWithItsPreviousStateAtTheNewVersion() throws Exception {
        long first = upstream.pods().put("a/one", "app", "web");
        String before = upstream.pods().get("a/one");
        TestClient client = proxy.watch("&labelSelector=app%3Dweb");
        client.event();

        long second = upstream.pods().put("a/one", "app", "db");
        long third = upstream.pods().put("a/one", "app", "web");

        assertThat(client.line())
                .isEqualTo("{\"type\":\"DELETED\",\"object\":"
                        + before.replace("\"resourceVersion\":\"" + first, "\"resourceVersion\":\"" + second) + "}");
        assertThat(client.event().brief()).isEqualTo("ADDED one " + third);
    }

    @Test
    void shouldResumeAtAVersionWithExactlyWhatFollowed() throws Exception {
        upstream.pods().put("a/zero");
        proxy.watch("").event();
        long held = upstream.pods().put("a/one");
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            expected.add("ADDED n" + i + " " + upstream.pods().put("a/n" + i));
        }
        await().until(() -> proxy.feed("pods").state().position().resourceVersion() == upstream.version());

        TestClient resumed = proxy.watch("&resourceVersion=" + held);

        assertThat(resumed.events(50)).extracting(Event::brief).isEqualTo(expected);
        long next = upstream.pods().delete("a/zero");
        assertThat(resumed.event().brief()).isEqualTo("DELETED zero " + next);
    }

    @Test
    void shouldKeepAWatchAtAVersionToComeSilentUntilThen() throws Exception {
        upstream.pods().put("a/zero");
        proxy.watch("").event();
        long ahead = upstream.version() + 3;
        TestClient client = proxy.watch("&resourceVersion=" + ahead);
        proxy.awaitWatchers(2);

        for (int i = 0; i < 5; i++) {
            upstream.pods().put("a/n" + i);
        }

        assertThat(client.events(2)).extracting(Event::version).containsExactly(ahead + 1, ahead + 2);
    }

    @Test
    void shouldServeOneScopeInBothFramings() throws Exception {
        long first = upstream.pods().put("a/one", "app", "web");
        String query = "/api/v1/pods?watch=true&labelSelector=app%3Dweb&timeoutSeconds=600";
        TestClient http = proxy.client().get(query).accepted();
        TestClient webSocket = proxy.client().get(query, WEBSOCKET).accepted();
        assertThat(http.event().version()).isEqualTo(first);
        assertThat(webSocket.message().text()).contains("\"resourceVersion\":\"" + first + "\"");

        for (int i = 0; i < 20; i++) {
            upstream.pods().putPadded("a/one", 200 * i * i, "app", "web");

            String line = "{\"type\":\"MODIFIED\",\"object\":" + upstream.pods().get("a/one") + "}";
            assertThat(http.line()).isEqualTo(line);
            TestClient.Message message = webSocket.message();
            assertThat(message.opcode()).isEqualTo(1);
            assertThat(message.last()).isTrue();
            assertThat(message.text()).isEqualTo(line + "\n");
        }
    }

    @Test
    void shouldCloseAWebSocketNormallyAtItsDeadline() throws Exception {
        for (int i = 0; i < 30; i++) {
            upstream.pods().put("a/n" + i);
        }
        TestClient client = proxy.client()
                .get("/api/v1/pods?watch=true&timeoutSeconds=1&allowWatchBookmarks=true", WEBSOCKET)
                .accepted();
        for (int i = 0; i < 30; i++) {
            assertThat(client.message().text())
                    .startsWith("{\"type\":\"ADDED\"")
                    .endsWith("}\n");
        }
        assertThat(client.message().text()).contains("initial-events-end");

        TestClient.Message close = client.message();

        assertThat(close.opcode()).isEqualTo(8);
        assertThat(close.payload()).startsWith(1000 >> 8, 1000 & 0xff);
        proxy.awaitNothingLeft("pods");
        assertThat(proxy.ends("deadline")).isEqualTo(1);
    }

    @Test
    void shouldDiscardWhatAWebSocketClientSays() throws Exception {
        TestClient client =
                proxy.client().get("/api/v1/pods?watch=true", WEBSOCKET).accepted();
        client.send(new byte[] {(byte) 0x81, (byte) 0x82, 1, 2, 3, 4, 'h' ^ 1, 'i' ^ 2});

        long version = upstream.pods().put("a/one");

        assertThat(client.message().text()).contains("\"resourceVersion\":\"" + version + "\"");
    }

    @Test
    void shouldLetGoOfAWebSocketWhoseClientCloses() throws Exception {
        TestClient closing =
                proxy.client().get("/api/v1/pods?watch=true", WEBSOCKET).accepted();
        TestClient cutting =
                proxy.client().get("/api/v1/pods?watch=true", WEBSOCKET).accepted();
        proxy.awaitWatchers(2);

        closing.send(new byte[] {(byte) 0x88, (byte) 0x82, 0, 0, 0, 0, 3, (byte) 0xe8});
        cutting.reset();

        proxy.awaitNothingLeft("pods");
    }

    @Test
    void shouldSendABookmarkEveryPeriodAtTheVersionUpstreamHasComeTo() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = proxy.watch("&allowWatchBookmarks=true");
        TestClient without = proxy.watch("");
        client.events(2);
        without.event();
        upstream.setVersion(5000);
        upstream.pods().bookmark();

        Event first = client.event();
        Event second = client.event();

        assertThat(first.type()).isEqualTo("BOOKMARK");
        assertThat(List.of(first.version(), second.version())).isSubsetOf(upstream.version(), 5000L, 1001L);
        assertThat(second.brief()).isEqualTo("BOOKMARK 5000");
        assertThat(second.line())
                .isEqualTo("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                        + "\"metadata\":{\"resourceVersion\":\"5000\"},\"spec\":{\"containers\":null},\"status\":{}}}");
        long last = upstream.pods().put("a/two");
        assertThat(without.event().brief()).isEqualTo("ADDED two " + last);
    }

    @Test
    void shouldMarkTheEndOfInitialEventsWhereBookmarksAreAllowed() throws Exception {
        upstream.pods().put("b/one");
        upstream.pods().put("a/two");
        long version = upstream.pods().put("a-b/three");

        List<Event> events = proxy.watch(
                        "&allowWatchBookmarks=true&sendInitialEvents=true" + "&resourceVersionMatch=NotOlderThan")
                .events(4);

        assertThat(events).extracting(Event::name).containsExactly("three", "two", "one", "");
        assertThat(events.get(3).line())
                .contains("\"k8s.io/initial-events-end\":\"true\"")
                .contains("\"" + version + "\"");
    }

    @Test
    void shouldEndAtTheDeadlineWithABookmarkBeforeAndLeaveTheConnectionUsable() throws Exception {
        long version = upstream.pods().put("a/one");
        TestClient client = proxy.watch("&allowWatchBookmarks=true&timeoutSeconds=3");
        client.events(2);
        upstream.pods().bookmark();
        long second = upstream.pods().put("a/two");

        List<Event> events = client.untilEnd();

        assertThat(events.get(0).brief()).isEqualTo("ADDED two " + second);
        assertThat(events.get(events.size() - 1).brief()).isEqualTo("BOOKMARK " + second);
        proxy.awaitNothingLeft("pods");
        client.get("/api/v1/pods?watch=true&resourceVersion=" + version + "&timeoutSeconds=60")
                .accepted();
        assertThat(client.event().brief()).isEqualTo("ADDED two " + second);
    }

    @Test
    void shouldEndAtOnceWhereTheTimeoutIsNegative() throws Exception {
        upstream.pods().put("a/one");
        TestClient other = proxy.watch("");
        other.event();
        TestClient client = proxy.watch("&timeoutSeconds=-5&resourceVersion=" + upstream.version());

        assertThat(client.untilEnd()).isEmpty();

        assertThat(client.get("/api/v1/pods?resourceVersion=0").head().code()).isEqualTo(200);
        assertThat(proxy.ends("deadline")).isEqualTo(1);
    }

    @Test
    void shouldAnswerARequestSentBehindAWatchWhenThatHasEnded() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = proxy.client()
                .send("GET /api/v1/pods?watch=true&timeoutSeconds=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        + "GET /api/v1/pods?resourceVersion=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .accepted();

        assertThat(client.untilEnd()).extracting(Event::name).containsExactly("one");
        TestClient.Head head = client.head();

        assertThat(head.code()).isEqualTo(200);
        assertThat(client.body(head)).startsWith("{\"kind\":\"PodList\"");
    }

    @Test
    void shouldSayThatAVersionFromBeforeTheWindowHasExpired() throws Exception {
        upstream.pods().put("a/one");
        proxy.watch("").event();

        TestClient client = proxy.watch("&resourceVersion=1");

        assertThat(client.untilEnd()).singleElement().satisfies(event -> {
            assertThat(event.code()).isEqualTo(410);
            assertThat(event.line()).contains("too old resource version: 1 (").contains("\"reason\":\"Expired\"");
        });
        assertThat(client.get("/api/v1/pods?resourceVersion=0").head().code()).isEqualTo(200);
        assertThat(proxy.ends("expired")).isEqualTo(1);
    }

    @Test
    void shouldRefuseAForeignHostBeforeAnythingElse() throws Exception {
        TestClient client =
                proxy.client().send("GET /api/v1/pods?watch=true HTTP/1.1\r\nHost: evil.example:8001\r\n\r\n");

        TestClient.Head head = client.head();

        assertThat(head.code()).isEqualTo(403);
        assertThat(client.body(head)).contains("Forbidden");
        assertThat(upstream.asked(Kind.STREAMING_LIST)).isEmpty();
        assertThat(proxy.watchers()).isZero();
    }

    @Test
    void shouldSurviveHalfSentAndOversizedRequests() throws Exception {
        upstream.pods().put("a/one");
        TestClient healthy = proxy.watch("");
        healthy.event();
        byte[] request =
                "GET /api/v1/pods?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        for (int cut = 1; cut < request.length; cut += 3) {
            TestClient half = proxy.client().send(java.util.Arrays.copyOf(request, cut));
            if (cut % 2 == 0) {
                half.reset();
            } else {
                half.close();
            }
        }
        TestClient longLine = proxy.client().get("/api/v1/pods?watch=true&x=" + "y".repeat(300_000));
        TestClient longHeader = proxy.client().get("/api/v1/pods?watch=true", "X-Long: " + "y".repeat(300_000));

        assertThat(longLine.head().code()).isBetween(400, 499);
        assertThat(longHeader.head().code()).isBetween(400, 499);
        long version = upstream.pods().put("a/two");
        assertThat(healthy.event().brief()).isEqualTo("ADDED two " + version);
        proxy.awaitWatchers(1);
        assertThat(proxy.users("pods")).isEqualTo(1);
    }

    @Test
    void shouldAnswerWhileTheUpstreamWatchIsCutAndResumed() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = proxy.watch("");
        client.event();

        upstream.pods().cutWatches("{\"type\":\"ADDED\",\"object\":{\"kind\":\"Po");
        long second = upstream.pods().put("a/two");

        assertThat(client.event().brief()).isEqualTo("ADDED two " + second);
        assertThat(upstream.asked(Kind.STREAMING_LIST)).hasSize(1);
        await().atMost(Duration.ofSeconds(10)).until(() -> upstream.pods().watches() == 1);
    }
}
