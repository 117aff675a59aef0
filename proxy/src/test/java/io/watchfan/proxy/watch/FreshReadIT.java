package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.ScriptedApiServer.Gate;
import io.watchfan.proxy.testing.ScriptedApiServer.Kind;
import io.watchfan.proxy.testing.TestClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests for what is true now, of a resource whose watch has not told the present version. */
@Timeout(120)
final class FreshReadIT {
    private static final String LIST = "/api/v1/pods";

    private ScriptedApiServer upstream;
    private ProxyFixture proxy;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedApiServer("pods", "configmaps");
        proxy = new ProxyFixture(upstream);
        upstream.pods().put("a/one");
        // The form of lists is known from here on.
        list();
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        upstream.close();
    }

    private String list() throws Exception {
        return body(LIST);
    }

    private String body(String path) throws Exception {
        TestClient client = proxy.client().get(path);
        TestClient.Head head = client.head();
        assertThat(head.code()).isEqualTo(200);
        return client.body(head);
    }

    /** The cluster goes on elsewhere, and of that the feed hears nothing. */
    private void elsewhereFor(long millis) {
        upstream.resource("configmaps").put("a/other");
        await().until(() -> proxy.feed("pods").isQuietFor(millis));
    }

    @Test
    void shouldAnswerOfAQuietResourceByOneListOfItsOwn() throws Exception {
        elsewhereFor(1000);
        int before = upstream.asked(Kind.LIST).size();

        assertThat(list())
                .contains("\"resourceVersion\":\"" + upstream.version() + "\"")
                .contains("\"one\"");

        assertThat(upstream.asked(Kind.LIST)).hasSize(before + 1);
        assertThat(proxy.count("watchfan.fresh.reads", "way", "list")).isEqualTo(1);
    }

    /** Who takes any state, and has just heard of a change elsewhere, races with the change to the proxy; it was sent first. */
    @Test
    void shouldShowWhoTakesAnyStateWhatHadBeenSentToTheProxyBefore() throws Exception {
        for (int i = 0; i < 100; i++) {
            long version = upstream.pods().put("a/new");

            assertThat(body(LIST + "?resourceVersion=0")).contains("\"resourceVersion\":\"" + version + "\"");
        }
    }

    /** Of a state that is too large to be listed for every asker, a namespace may be small. */
    @Test
    void shouldAnswerOfASmallNamespaceOfALargeQuietResourceByAListOfThatNamespace() throws Exception {
        for (int i = 0; i < 6; i++) {
            upstream.pods().putPadded("a/large" + i, 1 << 20);
        }
        upstream.pods().put("b/small");
        elsewhereFor(1000);
        int before = upstream.asked(Kind.LIST).size();
        String namespace = "/api/v1/namespaces/b/pods";

        assertThat(body(namespace))
                .contains("\"resourceVersion\":\"" + upstream.version() + "\"")
                .contains("\"small\"")
                .doesNotContain("large");
        assertThat(body(LIST + "?fieldSelector=metadata.namespace%3Db"))
                .contains("\"small\"")
                .doesNotContain("large");
        long version = upstream.version();
        TestClient watch = proxy.client()
                .get(namespace + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                        + "&allowWatchBookmarks=true")
                .accepted();
        assertThat(watch.event().brief()).startsWith("ADDED small");
        assertThat(watch.event().brief()).isEqualTo("BOOKMARK " + version);
        upstream.pods().put("a/other");
        long next = upstream.pods().put("b/other");
        assertThat(watch.event().version()).isEqualTo(next);

        assertThat(upstream.asked(Kind.LIST).subList(before, before + 3))
                .allMatch(asked -> asked.path().equals(namespace)
                        && asked.query().get("limit").equals("500"));
        assertThat(proxy.count("watchfan.fresh.reads", "way", "list")).isEqualTo(3);
    }

    /** A watch that is soon to end says once how far it is; who has come for more since then is not to wait for its end. */
    @Test
    void shouldHaveTheApiServerSayAgainHowFarALargeQuietResourceIs() throws Exception {
        for (int i = 0; i < 6; i++) {
            upstream.pods().putPadded("a/large" + i, 1 << 20);
        }
        elsewhereFor(1000);
        long known = proxy.feed("pods").state().position().resourceVersion();
        TestClient client = proxy.client().get(LIST);
        await().until(() -> hastened() == 1);

        upstream.pods().bookmark(known);
        await().atMost(2, TimeUnit.SECONDS).until(() -> hastened() == 2);
        upstream.pods().bookmark(upstream.version());

        TestClient.Head head = client.head();
        assertThat(head.code()).isEqualTo(200);
        assertThat(client.body(head)).contains("{\"resourceVersion\":\"" + upstream.version() + "\"}");
        assertThat(proxy.count("watchfan.fresh.reads", "way", "feed")).isEqualTo(1);
    }

    /** Nor is an API server asked in circles that says at once how far it is, and is not there. */
    @Test
    void shouldNotOpenOneWatchAfterTheOtherWhereEachSaysAtOnceThatItIsBehind() throws Exception {
        for (int i = 0; i < 6; i++) {
            upstream.pods().putPadded("a/large" + i, 1 << 20);
        }
        elsewhereFor(1000);
        long known = proxy.feed("pods").state().position().resourceVersion();
        upstream.pods().bookmarkWatchesAtOnce(known);
        TestClient client = proxy.client().get(LIST);

        // The API server, which the request is passed through to in the end, answers it.
        assertThat(client.head().code()).isEqualTo(200);
        assertThat(hastened()).isBetween(2L, 20L);
        assertThat(proxy.count("watchfan.fresh.reads", "way", "late")).isEqualTo(1);
    }

    /** The watch that was to be short may have been refused, and the state listed, before it said anything. */
    @Test
    void shouldHaveTheApiServerSayItAgainAlsoAfterAList() throws Exception {
        for (int i = 0; i < 6; i++) {
            upstream.pods().putPadded("a/large" + i, 1 << 20);
        }
        elsewhereFor(1000);
        TestClient first = proxy.client().get(LIST);
        await().until(() -> hastened() == 1);
        upstream.pods().compact();
        upstream.pods().endWatches();
        assertThat(first.head().code()).isEqualTo(200);
        elsewhereFor(1000);

        TestClient second = proxy.client().get(LIST);

        await().atMost(2, TimeUnit.SECONDS).until(() -> hastened() == 2);
        upstream.pods().bookmark();
        assertThat(second.head().code()).isEqualTo(200);
    }

    @Test
    void shouldStillAnswerWhoWaitsWhenTheProxyIsToldToStop() throws Exception {
        elsewhereFor(1000);
        Gate gate = upstream.hold(Kind.LIST);
        TestClient waiting = proxy.client().get(LIST);
        gate.awaitRequest();

        Future<Void> stopped = proxy.beginToStop();
        await().until(() -> proxy.client().get(LIST).head().code() == 503);
        gate.open();

        TestClient.Head head = waiting.head();
        assertThat(head.code()).isEqualTo(200);
        assertThat(waiting.body(head)).contains("\"resourceVersion\":\"" + upstream.version() + "\"");
        stopped.await(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldStillAnswerWhoseResourceIsLookedUpWhenTheProxyIsToldToStop() throws Exception {
        Gate gate = upstream.hold(Kind.OTHER);
        TestClient waiting = proxy.client().get("/apis/apps/v1/deployments?resourceVersion=0");
        gate.awaitRequest();

        Future<Void> stopped = proxy.beginToStop();
        await().until(() -> proxy.client().get(LIST).head().code() == 503);
        gate.open();

        // There is no such resource, and the API server says so itself.
        assertThat(waiting.head().code()).isEqualTo(404);
        stopped.await(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldNotGoOnWaitingForWhatWasBeforeAClusterWasRestored() throws Exception {
        for (int i = 0; i < 6; i++) {
            upstream.pods().putPadded("a/large" + i, 1 << 20);
        }
        elsewhereFor(1000);
        TestClient before = proxy.client().get(LIST);
        await().until(() -> hastened() == 1);
        upstream.setVersion(500);
        upstream.pods().put("a/one");
        assertThat(before.head().code()).isEqualTo(200);
        await().until(() -> proxy.feed("pods").state().position().resourceVersion() < 600);
        elsewhereFor(1000);
        long watches = upstream.asked(Kind.WATCH).size();
        long hastened = hastened();

        TestClient after = proxy.client().get(LIST);
        await().until(() -> hastened() == hastened + 1);
        await().until(() -> {
            // It may not have begun to listen yet.
            long version = upstream.pods().bookmark();
            return proxy.feed("pods").state().position().resourceVersion() == version;
        });
        assertThat(after.head().code()).isEqualTo(200);
        upstream.pods().endWatches();

        await().until(() -> upstream.asked(Kind.WATCH).size() == watches + 2);
        assertThat(hastened()).isEqualTo(hastened + 1);
    }

    /** What a selector says of a namespace is any text; none of it comes into a path. */
    @Test
    void shouldNotAskForNamespacesThatThereCannotBe() throws Exception {
        for (int i = 0; i < 6; i++) {
            upstream.pods().putPadded("a/large" + i, 1 << 20);
        }
        elsewhereFor(1000);
        TestClient client = proxy.client().get(LIST + "?fieldSelector=metadata.namespace%3Da%2F..%2Fb");
        await().until(() -> hastened() == 1);
        upstream.pods().bookmark();

        TestClient.Head head = client.head();
        assertThat(head.code()).isEqualTo(200);
        assertThat(client.body(head)).contains("\"items\":[]");
        assertThat(upstream.asked(Kind.LIST)).allMatch(asked -> asked.path().equals(LIST));
        assertThat(upstream.asked(Kind.OTHER)).noneMatch(asked -> asked.path().contains("namespaces"));
    }

    /** Who only asks for the version waits for one state at most that cannot be read. */
    @Test
    void shouldTellTheVersionThoughStatesCannotBeRead() throws Exception {
        for (int i = 0; i < 6; i++) {
            upstream.pods().putPadded("a/large" + i, 1 << 20);
        }
        elsewhereFor(1000);
        Gate gate = upstream.hold(Kind.LIST);
        int before = upstream.asked(Kind.LIST).size();
        List<TestClient> clients = new ArrayList<>();
        clients.add(proxy.client().get("/api/v1/namespaces/b/pods"));
        gate.awaitRequest();
        upstream.nextOf(Kind.LIST, "/namespaces/", Integer.MAX_VALUE, (asked, reply) -> {
            reply.send(404, ScriptedApiServer.status(404, "NotFound", "not there"));
            return true;
        });
        Object reads = proxy.feed("pods").freshReads();
        clients.add(proxy.client().get("/api/v1/namespaces/c/pods"));
        await().until(() -> ((Map<?, ?>) ProxyFixture.field(reads, "nextStates")).size() == 1);
        clients.add(proxy.client().get(LIST));
        await().until(() -> ProxyFixture.field(reads, "nextRevision") != null);
        clients.add(proxy.client().get("/api/v1/namespaces/d/pods"));
        await().until(() -> ((Map<?, ?>) ProxyFixture.field(reads, "nextStates")).size() == 2);
        gate.open();

        await().until(() -> hastened() == 1);
        upstream.pods().bookmark();
        assertThat(clients.get(2).head().code()).isEqualTo(200);
        // Those of clients, who are to hear it in the API server's own words, come in between, and have no limit.
        assertThat(upstream.asked(Kind.LIST).stream()
                        .skip(before)
                        .filter(asked -> asked.query().containsKey("limit"))
                        .map(asked -> asked.path()))
                .startsWith("/api/v1/namespaces/b/pods", "/api/v1/namespaces/c/pods", LIST);
    }

    private long hastened() {
        return upstream.asked(Kind.WATCH).stream()
                .filter(asked -> "3".equals(asked.query().get("timeoutSeconds")))
                .count();
    }

    /** An empty list does not show how items are written. */
    @Test
    void shouldWriteItemsAsTheApiServerDoesThoughTheFirstListsWereEmpty() throws Exception {
        ScriptedApiServer.Resource configMaps = upstream.resource("configmaps");
        configMaps.sendWholeItems();
        String path = "/api/v1/configmaps";
        assertThat(body(path)).contains("\"items\":[]");

        configMaps.put("a/one");

        assertThat(body(path)).contains("\"items\":[" + configMaps.get("a/one") + "]");
    }

    /** A version that others have seen of the cluster, and of which the feed of a quiet resource has not heard. */
    @ParameterizedTest
    @ValueSource(strings = {"", "&resourceVersionMatch=NotOlderThan", "&resourceVersionMatch=Exact", "&limit=1"})
    void shouldAnswerAtAVersionThatOnlyTheApiServerKnowsOf(String how) throws Exception {
        elsewhereFor(1000);
        long version = upstream.version();
        assertThat(proxy.feed("pods").state().position().resourceVersion()).isLessThan(version);
        int before = upstream.asked(Kind.LIST).size();

        assertThat(body(LIST + "?resourceVersion=" + version + how))
                .contains("\"resourceVersion\":\"" + version + "\"")
                .contains("\"one\"");

        assertThat(upstream.asked(Kind.LIST))
                .as("it was asked at once, and nothing waited for")
                .hasSize(before + 1);
        assertThat(proxy.count("watchfan.fresh.reads", "way", "list")).isEqualTo(1);
    }

    @Test
    void shouldBeginAStreamAtAVersionThatOnlyTheApiServerKnowsOf() throws Exception {
        elsewhereFor(1000);
        long version = upstream.version();

        TestClient watch = proxy.client()
                .get(LIST + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                        + "&allowWatchBookmarks=true&resourceVersion=" + version)
                .accepted();

        assertThat(watch.event().brief()).startsWith("ADDED one");
        assertThat(watch.event().brief()).isEqualTo("BOOKMARK " + version);
        long next = upstream.pods().put("a/two");
        assertThat(watch.event().version()).isEqualTo(next);
    }

    @Test
    void shouldRefuseAVersionThatNobodyKnowsOf() throws Exception {
        long version = upstream.version() + 1000;

        TestClient client = proxy.client().get(LIST + "?resourceVersion=" + version);

        TestClient.Head head = client.head();
        assertThat(head.code()).isEqualTo(504);
        assertThat(client.body(head)).contains("Too large resource version: " + version + ", current: ");
    }

    /** An API server that hangs holds up one read after the other; nobody waits for more than the time of one. */
    @Test
    void shouldLetNobodyWaitForTheReadsOfOthersWithoutEnd() throws Exception {
        elsewhereFor(1000);
        Gate first = upstream.hold(Kind.LIST);
        TestClient one = proxy.client().get(LIST).waitingFor(Duration.ofSeconds(45));
        first.awaitRequest();
        Gate second = upstream.hold(Kind.LIST);
        TestClient other = proxy.client().get(LIST).waitingFor(Duration.ofSeconds(20));

        assertThat(one.head().code()).isEqualTo(503);
        // The second read has just begun.
        second.awaitRequest();
        assertThat(other.head().code()).isEqualTo(503);
        first.open();
        second.open();
    }

    @Test
    void shouldHaveOneListUnderWayAtMostWhateverIsAsked() throws Exception {
        elsewhereFor(1000);
        int before = upstream.asked(Kind.LIST).size();
        Gate whole = upstream.hold(Kind.LIST);
        List<TestClient> clients = new ArrayList<>();
        clients.add(proxy.client().get(LIST));
        whole.awaitRequest();
        // The feed is quiet no more, so that these are to ask for the version alone, and then wait for the feed in
        // vain.
        upstream.pods().put("a/two");
        await().until(() -> proxy.feed("pods").state().position().resourceVersion() == upstream.version());
        for (int i = 0; i < 4; i++) {
            clients.add(proxy.client().get(LIST));
            clients.add(proxy.client()
                    .get(LIST + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                            + "&allowWatchBookmarks=true"));
        }
        await().until(() -> proxy.users("pods") == clients.size());

        assertThat(upstream.asked(Kind.LIST).stream()
                        .filter(asked -> asked.path().equals(LIST)))
                .hasSize(before + 1);
        Gate following = upstream.hold(Kind.LIST);
        whole.open();
        following.awaitRequest();
        assertThat(upstream.asked(Kind.LIST).stream()
                        .filter(asked -> asked.path().equals(LIST)))
                .hasSize(before + 2);
        following.open();
        for (TestClient client : clients) {
            assertThat(client.head().code()).isEqualTo(200);
        }
        assertThat(upstream.asked(Kind.LIST).stream()
                        .filter(asked -> asked.path().equals(LIST)))
                .hasSize(before + 2);
    }
}
