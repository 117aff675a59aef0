package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.ScriptedApiServer.Gate;
import io.watchfan.proxy.testing.ScriptedApiServer.Kind;
import io.watchfan.proxy.testing.TestClient;
import io.watchfan.proxy.testing.TestClient.Event;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that read slowly, not at all, or go away: they cost only themselves, and nothing of them is left behind. */
@Timeout(120)
final class SlowWatcherIT {
    private final ScriptedApiServer upstream;
    private ProxyFixture proxy;

    SlowWatcherIT() throws IOException {
        upstream = new ScriptedApiServer();
    }

    private void start(String... flags) throws Exception {
        proxy = new ProxyFixture(upstream, flags);
    }

    /** A watch that has been told what there was to tell. */
    private static TestClient begun(TestClient watch) throws Exception {
        watch.event();
        return watch;
    }

    /** Until the client's socket is gone at the other end: then what is sent to it comes back as a reset. */
    private static void awaitReset(TestClient client) {
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            try {
                client.send("x");
                return false;
            } catch (IOException e) {
                return true;
            }
        });
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        upstream.close();
    }

    @Test
    void shouldCatchUpFromTheLogAndRejoinWithTheExactSequence() throws Exception {
        start();
        upstream.pods().put("a/one");
        TestClient quick = begun(proxy.watch(""));
        TestClient slow = begun(small(""));
        List<Long> expected = new ArrayList<>();
        for (int round = 0; round < 4; round++) {
            expected.clear();
            for (int i = 0; i < 400; i++) {
                // One in fifty is larger than a unit.
                expected.add(upstream.pods().putPadded("a/one", i % 50 == 7 ? 100_000 : 6000));
            }
            long last = expected.get(expected.size() - 1);

            assertThat(quick.eventsThrough(last)).extracting(Event::version).isEqualTo(expected);
            assertThat(slow.eventsThrough(last)).extracting(Event::version).isEqualTo(expected);

            long next = upstream.pods().put("a/one");
            assertThat(slow.event().version()).as("in step again").isEqualTo(next);
            quick.event();
        }
        assertThat(proxy.watchers()).isEqualTo(2);
    }

    @Test
    void shouldEndAClientThatWasLappedWith410AfterAnExactBeginning() throws Exception {
        start("--window-events", "50");
        upstream.pods().put("a/one");
        TestClient quick = begun(proxy.watch(""));
        TestClient slow = begun(small(""));
        List<Long> versions = new ArrayList<>();
        for (int i = 0; i < 1500; i++) {
            versions.add(upstream.pods().putPadded("a/one", 4000));
            if (i % 20 == 19) {
                // The quick one must not be lapped in this small window.
                quick.eventsThrough(versions.get(i));
            }
        }

        List<Event> events = slow.untilEnd();

        Event error = events.remove(events.size() - 1);
        assertThat(error.code()).isEqualTo(410);
        assertThat(events).extracting(Event::version).isEqualTo(versions.subList(0, events.size()));
        assertThat(events.size()).isBetween(1, 1499);
        assertThat(proxy.ends("lapped")).isEqualTo(1);
        proxy.awaitWatchers(1);
        assertThat(slow.get("/api/v1/pods?resourceVersion=0").head().code()).isEqualTo(200);
    }

    @Test
    void shouldCutAClientThatTakesNothingAndKeepNothingOfIt() throws Exception {
        start("--write-timeout", "1s");
        upstream.pods().put("a/one");
        TestClient quick = begun(proxy.watch(""));
        List<TestClient> stuck = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            stuck.add(begun(small(i % 2 == 0 ? "" : "&labelSelector=!x")));
        }
        long last = 0;
        for (int i = 0; i < 400; i++) {
            last = upstream.pods().putPadded("a/one", 8000);
        }
        quick.eventsThrough(last);

        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.ends("write_timeout") == 4);

        for (TestClient client : stuck) {
            assertThat(client.drain()).isLessThan(400 * 8000);
        }
        assertThat(proxy.watchers()).isEqualTo(1);
        assertThat(proxy.users("pods")).isEqualTo(1);
        long next = upstream.pods().put("a/one");
        assertThat(quick.event().version()).isEqualTo(next);
        quick.close();
        proxy.awaitNothingLeft("pods");
    }

    /** A list holds the state that it is of; its reader must not be able to have it held for ever. */
    @Test
    void shouldCutAReaderOfAListThatTakesNothing() throws Exception {
        start("--write-timeout", "1s");
        fill(800, 8000);
        TestClient stuck = proxy.smallClient().get("/api/v1/pods?resourceVersion=0");
        assertThat(stuck.head().code()).isEqualTo(200);

        awaitReset(stuck);
    }

    /** However steadily it goes on taking it: the API server would have cut it, too. */
    @Test
    void shouldCutAReaderOfAListThatTakesLongerThanARequestMay() throws Exception {
        start("--request-timeout", "1s");
        fill(800, 8000);
        TestClient slow = proxy.smallClient().get("/api/v1/pods?resourceVersion=0");
        assertThat(slow.head().code()).isEqualTo(200);

        await().atMost(Duration.ofSeconds(20))
                .until(() -> proxy.count("watchfan.response.cuts", "limit", "request_timeout") == 1);

        assertThat(slow.drain()).isLessThan(800 * 8000);
    }

    /** A list that is being sent holds a portion, and what its reader takes is up to its reader. */
    @Test
    void shouldRefuseListsBeyondThoseThatAreBeingSentAndTakeThemAgainLater() throws Exception {
        start();
        fill(100, 8000);
        proxy.client().get("/api/v1/pods?resourceVersion=0").head();
        List<TestClient> stuck = new ArrayList<>();
        int refused = 0;
        for (int i = 0; i < 1000 && refused == 0; i++) {
            TestClient client = proxy.smallClient().get("/api/v1/pods?resourceVersion=0");
            TestClient.Head head = client.head();
            stuck.add(client);
            if (head.code() == 429) {
                assertThat(head.headers()).anyMatch(header -> header.equalsIgnoreCase("Retry-After: 1"));
                assertThat(client.body(head)).contains("Too many requests, please try again later.");
                refused++;
            }
        }
        assertThat(refused).isEqualTo(1);
        assertThat(stuck.size()).isGreaterThan(200);

        vanish(stuck);

        await().atMost(Duration.ofSeconds(20)).until(() -> {
            TestClient client = proxy.client().get("/api/v1/pods?resourceVersion=0");
            return client.head().code() == 200;
        });
    }

    /** Cut means that its socket is gone, not that it will be once the client has read what is on its way. */
    @Test
    void shouldCloseTheSocketOfAClientThatNeverReadsAgain() throws Exception {
        start("--write-timeout", "1s");
        fill(800, 8000);
        TestClient stuck = small("");

        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.ends("write_timeout") == 1);

        awaitReset(stuck);
    }

    @Test
    void shouldCutAClientThatTakesNothingOfItsInitialState() throws Exception {
        start("--write-timeout", "1s");
        fill(800, 8000);
        TestClient stuck = small("");

        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.ends("write_timeout") == 1);

        assertThat(stuck.drain()).isLessThan(800 * 8000);
        proxy.awaitNothingLeft("pods");
    }

    /** They share what is framed of the state, each at its own pace: each gets all of it, once and in order. */
    @Test
    void shouldSendAStateWholeToManyWhoTakeItAtTheirOwnPace() throws Exception {
        start();
        fill(300, 8000);
        List<String> names =
                IntStream.range(0, 300).mapToObj(i -> "n" + i).sorted().toList();
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            clients.add(small("&labelSelector=!x&resourceVersion=0"));
        }
        List<List<String>> seen = new ArrayList<>();
        clients.forEach(client -> seen.add(new ArrayList<>()));

        for (boolean more = true; more; ) {
            more = false;
            for (int i = 0; i < clients.size(); i++) {
                List<String> own = seen.get(i);
                for (int n = 0; n < 7 * (i + 1) && own.size() < names.size(); n++) {
                    own.add(clients.get(i).event().name());
                }
                more |= own.size() < names.size();
            }
        }

        seen.forEach(own -> assertThat(own).isEqualTo(names));
        long next = upstream.pods().put("a/late");
        for (TestClient client : clients) {
            assertThat(client.event().version()).isEqualTo(next);
        }
    }

    /** What a state that is still being sent leads to is kept as long as the log is, however slowly a client takes it. */
    @Test
    void shouldHoldNoStateThatTheLogDoesNotLeadOnFrom() throws Exception {
        start("--window-events", "50");
        fill(800, 8000);
        TestClient slow = begun(small(""));
        TestClient quick = proxy.watch("&labelSelector=!x");
        quick.eventsThrough(upstream.version());
        for (int i = 0; i < 60; i++) {
            quick.eventsThrough(upstream.pods().put("a/n0"));
        }

        List<Event> events = slow.untilEnd();

        assertThat(events.remove(events.size() - 1).code()).isEqualTo(410);
        assertThat(events.size()).isBetween(1, 798);
        assertThat(events).extracting(Event::type).containsOnly("ADDED");
        assertThat(proxy.ends("lapped")).isEqualTo(1);
    }

    /** More comes at once than the window holds, but all of it is in the state that the watch began with. */
    @Test
    void shouldNotTakeForLappedWhoKnowsAllThatHasBeenLetGo() throws Exception {
        start("--window-events", "50");
        upstream.pods().put("a/n0");
        TestClient first = proxy.watch("");
        first.event();
        first.close();
        upstream.pods().mute(true);
        for (int i = 0; i < 120; i++) {
            upstream.pods().put("a/n" + i % 10);
        }
        TestClient watch = proxy.client()
                .get("/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                        + "&allowWatchBookmarks=true")
                .accepted();
        assertThat(watch.events(11)).last().extracting(Event::brief).isEqualTo("BOOKMARK " + upstream.version());

        upstream.pods().mute(false);
        upstream.pods().endWatches();
        await().until(() -> proxy.feed("pods").state().position().resourceVersion() == upstream.version());

        long next = upstream.pods().put("a/next");
        assertThat(watch.event().version()).isEqualTo(next);
        assertThat(proxy.ends("lapped")).isZero();
    }

    @Test
    void shouldSpareAClientThatIsSlowButMoves() throws Exception {
        start("--write-timeout", "2s");
        upstream.pods().put("a/one");
        TestClient slow = begun(small(""));
        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            expected.add(upstream.pods().putPadded("a/one", 6000));
        }
        List<Long> seen = new ArrayList<>();

        // About seven seconds for what a quick client takes at once.
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(100))
                .until(() -> {
                    for (int i = 0; i < 4 && seen.size() < expected.size(); i++) {
                        seen.add(slow.event().version());
                    }
                    return seen.size() == expected.size();
                });

        assertThat(seen).isEqualTo(expected);
        assertThat(proxy.ends("write_timeout")).isZero();
        assertThat(proxy.watchers()).isEqualTo(1);
    }

    @Test
    void shouldLeaveNothingOfClientsThatVanishWhileTheyWaitForTheFirstList() throws Exception {
        start();
        Gate gate = upstream.hold(Kind.STREAMING_LIST);
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            clients.add(proxy.client().get("/api/v1/pods?watch=true"));
        }
        gate.awaitRequest();
        await().until(() -> proxy.users("pods") == 20);
        vanish(clients.subList(0, 19));

        gate.open();

        clients.get(19).accepted();
        proxy.awaitWatchers(1);
        await().until(() -> proxy.users("pods") == 1);
        long version = upstream.pods().put("a/one");
        assertThat(clients.get(19).event().version()).isEqualTo(version);
        clients.get(19).close();
        proxy.awaitNothingLeft("pods");
    }

    @Test
    void shouldLeaveNothingOfClientsThatVanishDuringTheirInitialState() throws Exception {
        start();
        fill(600, 8000);
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            TestClient client = small(i % 2 == 0 ? "" : "&labelSelector=!x&resourceVersion=0");
            client.event();
            clients.add(client);
        }
        proxy.awaitWatchers(10);

        vanish(clients);

        proxy.awaitNothingLeft("pods");
        assertThat(proxy.ends("client_closed")).isEqualTo(10);
    }

    @Test
    void shouldLeaveNothingOfClientsThatVanishInStepOrBehind() throws Exception {
        start();
        upstream.pods().put("a/one");
        List<TestClient> clients = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            TestClient client = i % 2 == 0 ? proxy.watch("&labelSelector=!x" + i) : small("");
            client.event();
            clients.add(client);
        }
        for (int i = 0; i < 100; i++) {
            upstream.pods().putPadded("a/one", 8000);
        }

        vanish(clients);
        for (int i = 0; i < 100; i++) {
            upstream.pods().putPadded("a/one", 8000);
        }

        proxy.awaitNothingLeft("pods");
        assertThat(proxy.ends("client_closed")).isEqualTo(20);
    }

    /** Some close, some reset, as when they are killed. */
    private static void vanish(List<TestClient> clients) throws IOException {
        for (int i = 0; i < clients.size(); i++) {
            if (i % 2 == 0) {
                clients.get(i).close();
            } else {
                clients.get(i).reset();
            }
        }
    }

    private void fill(int count, int pad) {
        for (int i = 0; i < count; i++) {
            upstream.pods().putPadded("a/n" + i, pad);
        }
    }

    private TestClient small(String query) throws IOException {
        return proxy.smallClient().get("/api/v1/pods?watch=true" + query).accepted();
    }
}
