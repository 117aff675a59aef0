package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.ScriptedApiServer.Gate;
import io.watchfan.proxy.testing.ScriptedApiServer.Kind;
import io.watchfan.proxy.testing.TestClient;
import io.watchfan.proxy.testing.TestClient.Event;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients see of trouble upstream, of a state that begins anew, and of the end of the process. */
@Timeout(120)
final class FeedEpochIT {
    private ScriptedApiServer upstream;
    private ProxyFixture proxy;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedApiServer("pods", "configmaps");
        proxy = new ProxyFixture(upstream, "--window-events", "100", "--drain-grace", "2s");
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        upstream.close();
    }

    @Test
    void shouldTellEveryWatcherThatARestoredClusterHasExpiredItsVersion() throws Exception {
        upstream.pods().put("a/one", "app", "web");
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            TestClient client = proxy.watch(i % 2 == 0 ? "" : "&labelSelector=app%3Dweb");
            client.event();
            clients.add(client);
        }
        upstream.setVersion(500);
        upstream.pods().forget("a/one");
        upstream.pods().put("a/zero", "app", "web");

        for (TestClient client : clients) {
            List<Event> events = client.untilEnd();
            assertThat(events).extracting(Event::brief).containsExactly("ERROR 410");
        }

        assertThat(proxy.ends("new_epoch")).isEqualTo(12);
        proxy.awaitNothingLeft("pods");
        TestClient again = proxy.watch("");
        assertThat(again.event().brief()).isEqualTo("ADDED zero 501");
        long version = upstream.pods().put("a/zero");
        assertThat(again.event().version()).isEqualTo(version);
    }

    /** That the proxy's own list has expired under way is nothing that its clients have asked for. */
    @Test
    void shouldHaveNewcomersWaitForTheNextListWhereOneExpires() throws Exception {
        upstream.pods().put("a/one");
        upstream.refuse(Kind.STREAMING_LIST, 1, 410, "Expired");

        TestClient client = proxy.watch("");

        assertThat(client.event().brief()).startsWith("ADDED one");
        assertThat(proxy.watchers()).as("served, and not passed through").isEqualTo(1);
    }

    /** But where lists expire one after the other, the API server is left to answer. */
    @Test
    void shouldPassThroughWhereNoListComesToAnEnd() throws Exception {
        upstream.pods().put("a/one");
        upstream.refuse(Kind.STREAMING_LIST, 2, 410, "Expired");
        upstream.refuse(Kind.LIST, 2, 410, "Expired");

        TestClient client = proxy.watch("");

        assertThat(client.event().brief()).startsWith("ADDED one");
        assertThat(proxy.watchers()).isZero();
    }

    @Test
    void shouldKeepWatchersThroughARepairedGap() throws Exception {
        upstream.pods().put("a/one");
        upstream.pods().put("a/two");
        TestClient client = proxy.watch("");
        client.events(2);
        upstream.pods().mute(true);
        long changed = upstream.pods().put("a/one");
        upstream.pods().delete("a/two");
        long created = upstream.pods().put("a/three");
        upstream.pods().compact();
        upstream.pods().mute(false);
        upstream.pods().endWatches();

        assertThat(client.events(3))
                .extracting(Event::brief)
                .containsExactly("DELETED two 1002", "MODIFIED one " + changed, "ADDED three " + created);
        assertThat(proxy.watchers()).isEqualTo(1);
    }

    @Test
    void shouldEndWatchesOfAResourceThatIsGone() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = proxy.watch("");
        client.event();
        upstream.refuse(Kind.WATCH, 1, 404, "NotFound");

        upstream.pods().endWatches();

        assertThat(client.untilEnd()).extracting(Event::type).containsExactly("ERROR");
        assertThat(proxy.ends("feed_ended")).isEqualTo(1);
        proxy.awaitNothingLeft("pods");
    }

    @Test
    void shouldPassOnThatTheResourceMayNotBeRead() throws Exception {
        upstream.refuse(Kind.STREAMING_LIST, 1, 403, "Forbidden");
        upstream.next(Kind.WATCH, 1, (asked, reply) -> {
            reply.send(403, ScriptedApiServer.status(403, "Forbidden", "to you as well"));
            return true;
        });

        TestClient client = proxy.client().get("/api/v1/pods?watch=true");

        TestClient.Head head = client.head();
        assertThat(head.code()).isEqualTo(403);
        assertThat(client.body(head)).contains("to you as well");
        assertThat(proxy.watchers()).isZero();
    }

    @Test
    void shouldEndStreamsCleanlyWithALastBookmarkWhenTheProcessStops() throws Exception {
        upstream.pods().put("a/one");
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            TestClient client = proxy.watch(i % 2 == 0 ? "&allowWatchBookmarks=true" : "");
            client.events(i % 2 == 0 ? 2 : 1);
            clients.add(client);
        }
        upstream.setVersion(7000);
        upstream.pods().bookmark();
        await().until(() -> proxy.feed("pods").state().position().resourceVersion() == 7000);
        TestClient idle = proxy.client();
        idle.get("/api/v1/pods?resourceVersion=0");
        idle.body(idle.head());

        CompletableFuture<Void> stopped = stopping();

        for (int i = 0; i < 10; i++) {
            List<Event> events = clients.get(i).untilEnd();
            if (i % 2 == 0) {
                assertThat(events).extracting(Event::brief).containsExactly("BOOKMARK 7000");
            } else {
                assertThat(events).isEmpty();
            }
        }
        stopped.get(30, TimeUnit.SECONDS);
        assertThat(proxy.ends("drain")).isEqualTo(10);
    }

    @Test
    void shouldRefuseNewRequestsWhileItStops() throws Exception {
        upstream.pods().put("a/one");
        // So many that they are not all told to end at once: with the last of them the proxy closes what is idle.
        List<TestClient> open = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            open.add(proxy.watch(""));
            open.get(i).event();
        }
        TestClient late = proxy.client();
        CompletableFuture<Void> stopped = stopping();
        await().until(() -> ((Boolean) ProxyFixture.field(proxy.server(), "draining")));

        late.get("/api/v1/pods?watch=true");

        TestClient.Head head = late.head();
        assertThat(head.code()).isEqualTo(503);
        assertThat(head.value("Retry-After")).isNotNull();
        for (TestClient client : open) {
            assertThat(client.untilEnd()).isEmpty();
        }
        stopped.get(30, TimeUnit.SECONDS);
    }

    /** A watch that was waiting when the drain began must end as cleanly as those that were open. */
    @Test
    void shouldNotCutAWatchThatWasWaitingForTheFirstListWhenTheProcessBeganToStop() throws Exception {
        TestClient open = proxy.client().get("/api/v1/configmaps?watch=true").accepted();
        Gate gate = upstream.hold(Kind.STREAMING_LIST);
        TestClient client = proxy.client().get("/api/v1/pods?watch=true");
        gate.awaitRequest();
        CompletableFuture<Void> stopped = stopping();
        await().until(() -> ((Boolean) ProxyFixture.field(proxy.server(), "draining")));

        gate.open();

        // 503, or a stream with its proper end; not a connection that just ends.
        TestClient.Head head = client.head();
        if (head.code() == 200) {
            assertThat(client.untilEnd()).isEmpty();
        } else {
            assertThat(head.code()).isEqualTo(503);
        }
        assertThat(open.untilEnd()).isEmpty();
        stopped.get(40, TimeUnit.SECONDS);
    }

    /**
     * A watch that waits for a version gets the new epoch's state before the dispatcher of its loop has heard of it; the
     * others of the loop are told 410, and it must not be left behind by that.
     */
    @Test
    void shouldGoOnFeedingAWatchThatWasWaitingWhenANewEpochBegan() throws Exception {
        for (int i = 0; i < 80; i++) {
            upstream.pods().put("a/n" + i);
        }
        // Some on every event loop.
        List<TestClient> old = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            TestClient client = proxy.watch("");
            client.events(80);
            old.add(client);
        }
        upstream.pods().mute(true);
        upstream.pods().endWatches();
        await().until(() -> upstream.pods().watches() == 1);
        upstream.setVersion(5000);
        List<TestClient> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiting.add(proxy.client()
                    .get("/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                            + "&allowWatchBookmarks=true&resourceVersion=5010"));
        }
        // Their version is one that the API server does not know of either, so they wait for the feed.
        await().until(() -> proxy.count("watchfan.fresh.reads", "way", "list") == 8);
        // More than half of the window has changed: too much to be told as a repaired gap.
        for (int i = 0; i < 80; i++) {
            upstream.pods().put("a/n" + i);
        }
        upstream.pods().compact();
        upstream.pods().mute(false);

        upstream.pods().endWatches();

        for (TestClient client : waiting) {
            client.accepted();
            assertThat(client.events(81)).last().extracting(Event::type).isEqualTo("BOOKMARK");
        }
        for (TestClient client : old) {
            assertThat(client.untilEnd()).extracting(Event::brief).containsExactly("ERROR 410");
        }
        long version = upstream.pods().put("a/next");
        for (TestClient client : waiting) {
            assertThat(client.event().version()).isEqualTo(version);
        }
        waiting.forEach(FeedEpochIT::close);
        proxy.awaitNothingLeft("pods");
    }

    /** It may ask again sooner, or answer what it was told; but a client is not to hang for minutes without an answer. */
    @Test
    void shouldNotLetARequestWaitForAsLongAsTheApiServerAskedFor() throws Exception {
        upstream.refuse(Kind.STREAMING_LIST, 10, 429, "TooManyRequests", "Retry-After: 300");
        TestClient first = proxy.client().get("/api/v1/pods?watch=true");
        assertThat(first.head().code()).isEqualTo(429);

        TestClient second = proxy.client().get("/api/v1/pods?watch=true");

        assertThat(second.head().code()).isEqualTo(429);
    }

    /** As when it was not to be had just when the feed was opened: that the rest has changed is not said by that. */
    @Test
    void shouldListAnewForAnotherReleaseButNotForOneThatWasNotKnown() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = proxy.watch("");
        client.event();
        assertThat(isCompressed()).isFalse();

        upstream.ofRelease("v1.37.0");
        upstream.pods().endWatches();
        await().until(this::isCompressed);
        upstream.pods().put("a/one");
        client.event();
        assertThat(upstream.asked(Kind.STREAMING_LIST)).hasSize(1);

        upstream.ofRelease("v1.36.0");
        upstream.pods().endWatches();
        await().until(() -> !isCompressed());
        upstream.pods().put("a/one");
        client.event();
        assertThat(upstream.asked(Kind.STREAMING_LIST)).hasSize(2);
    }

    private boolean isCompressed() throws Exception {
        try (TestClient client = proxy.client()) {
            return client.get(
                                    "/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=0",
                                    "Accept-Encoding: gzip")
                            .head()
                            .value("Content-Encoding")
                    != null;
        }
    }

    private static void close(TestClient client) {
        try {
            client.close();
        } catch (java.io.IOException e) {
            throw new AssertionError(e);
        }
    }

    private CompletableFuture<Void> stopping() {
        return CompletableFuture.runAsync(() -> {
            try {
                proxy.stop();
            } catch (TimeoutException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void shouldAnswerWithWhatTheApiServerSaidWhenTheFirstListFails() throws Exception {
        // More than once: the client may come just behind an attempt, and then it is told of the next.
        upstream.refuse(Kind.STREAMING_LIST, 10, 429, "TooManyRequests", "Retry-After: 2");

        TestClient client = proxy.client().get("/api/v1/pods?watch=true");

        TestClient.Head head = client.head();
        assertThat(head.code()).isEqualTo(429);
        assertThat(head.value("Retry-After")).isEqualTo("2");
        assertThat(client.body(head)).contains("scripted 429");
        assertThat(proxy.users("pods")).isZero();
        await().atMost(Duration.ofSeconds(1)).until(() -> proxy.watchers() == 0);
    }
}
