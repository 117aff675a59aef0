package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.FeedWriter;
import io.watchfan.fanout.log.LogLimits;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.ScriptedApiServer.Asked;
import io.watchfan.proxy.testing.ScriptedApiServer.Gate;
import io.watchfan.proxy.testing.ScriptedApiServer.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the reflector makes of everything that an API server may answer, over real connections. */
@Timeout(60)
final class ReflectorIT {
    private static final LogLimits LIMITS = new LogLimits(1000, 10 << 20, TimeUnit.MINUTES.toNanos(10));

    private final Path tokenFile;
    private final ScriptedApiServer server;
    private final Vertx vertx = Vertx.vertx();
    private final Context context = vertx.getOrCreateContext();
    private final FeedWriter writer = new FeedWriter(LIMITS);
    private final RecordingListener heard = new RecordingListener();
    private final UpstreamClients clients;
    private Reflector reflector;

    ReflectorIT(@TempDir Path tokens) throws IOException {
        server = new ScriptedApiServer();
        Path token = Files.writeString(tokens.resolve("token"), "first");
        ProxyConfig config = ConfigLoader.parse("--upstream", server.url(), "--upstream-token-file", token.toString());
        this.tokenFile = token;
        clients = new UpstreamClients(UpstreamTarget.of(config.upstream()), config, vertx, vertx);
    }

    private void start() {
        start(Duration.ofSeconds(60), 0);
    }

    private void start(Duration silence, long resumeFrom) {
        GroupVersionResource pods = new GroupVersionResource("", "v1", "pods");
        reflector = new Reflector(
                vertx,
                clients.feeds(),
                "/api/v1/pods",
                ObjectFormat.of(
                        ObjectEncoding.JSON,
                        new ApiResource(pods, "Pod", true, Set.of("list", "watch")),
                        SelectableFields.forBuiltIn("", "v1", "Pod")),
                writer,
                silence,
                heard);
        context.runOnContext(v -> reflector.start(resumeFrom));
    }

    @AfterEach
    void stop() throws Exception {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        context.runOnContext(v -> {
            reflector.stop();
            stopped.complete(null);
        });
        stopped.get(10, TimeUnit.SECONDS);
        clients.closeAll().await(10, TimeUnit.SECONDS);
        vertx.close().await(10, TimeUnit.SECONDS);
        server.close();
    }

    // ---- lists

    @Test
    void shouldListByAStreamThatGoesOnAsTheWatch() {
        server.pods().put("a/one");
        server.pods().put("b/two");
        start();
        awaitVersion(server.version());
        assertThat(objects()).containsExactly("a/one@1001", "b/two@1002");

        server.pods().put("a/one");
        server.pods().delete("b/two");
        awaitVersion(1004);

        assertThat(objects()).containsExactly("a/one@1003");
        assertThat(events()).containsExactly("MODIFIED a/one 1003", "DELETED b/two 1004");
        assertThat(server.asked(Kind.STREAMING_LIST)).singleElement().satisfies(asked -> {
            assertThat(asked.query())
                    .containsEntry("sendInitialEvents", "true")
                    .containsEntry("resourceVersionMatch", "NotOlderThan")
                    .containsEntry("allowWatchBookmarks", "true")
                    .doesNotContainKey("resourceVersion");
            assertThat(asked.headers()).containsEntry("authorization", "Bearer first");
        });
        assertThat(server.asked(Kind.LIST)).isEmpty();
        assertThat(server.asked(Kind.WATCH)).isEmpty();
        assertThat(heard.listed).containsExactly("start NEW_EPOCH");
        assertThat(heard.bookmarks).singleElement().asString().contains("initial-events-end");
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 422})
    void shouldListInPagesWhereStreamingListsAreRefused(int code) {
        for (int i = 0; i < 1200; i++) {
            server.pods().put("a/n" + i);
        }
        server.refuse(Kind.STREAMING_LIST, Integer.MAX_VALUE, code, "Invalid");
        start();
        awaitVersion(server.version());
        await().until(() -> server.pods().watches() == 1);

        assertThat(objects()).hasSize(1200);
        assertThat(server.asked(Kind.LIST))
                .hasSize(3)
                .allSatisfy(asked ->
                        assertThat(asked.query()).containsEntry("limit", "500").doesNotContainKey("resourceVersion"));
        assertThat(server.asked(Kind.WATCH))
                .singleElement()
                .satisfies(asked -> assertThat(asked.query())
                        .containsEntry("resourceVersion", Long.toString(server.version()))
                        .containsEntry("allowWatchBookmarks", "true"));
        assertThat(writer.get(new ObjectKey("a", "n7")).bytes())
                .asString()
                .isEqualTo(server.pods().get("a/n7"));
        assertThat(heard.troubles).isEmpty();

        long version = server.pods().put("a/n7");
        awaitVersion(version);
        assertThat(server.asked(Kind.STREAMING_LIST)).as("asked for once only").hasSize(1);
    }

    @Test
    void shouldListInOneGoWhenThePagesExpireUnderWay() {
        for (int i = 0; i < 600; i++) {
            server.pods().put("a/n" + i);
        }
        server.withoutStreamingLists();
        server.nextOf(Kind.LIST, "continue=", 1, (asked, reply) -> {
            reply.send(410, ScriptedApiServer.status(410, "Expired", "The provided continue parameter is too old"));
            return true;
        });
        start();
        awaitVersion(server.version());

        assertThat(objects()).hasSize(600);
        assertThat(server.asked(Kind.LIST))
                .last()
                .satisfies(asked -> assertThat(asked.query()).doesNotContainKeys("limit", "continue"));
    }

    @Test
    void shouldListInPagesWhereInitialEventsHaveNoEnd() {
        server.withoutEndOfInitialEvents();
        server.pods().put("a/one");
        start(Duration.ofMillis(400), 0);

        awaitVersion(1001);

        assertThat(objects()).containsExactly("a/one@1001");
        assertThat(server.asked(Kind.LIST)).hasSize(1);
    }

    @Test
    void shouldListInPagesAtOnceWhenAStreamingListEndsEarlyAndByStreamTheNextTime() throws Exception {
        server.pods().put("a/one");
        server.next(Kind.STREAMING_LIST, 1, (asked, reply) -> {
            reply.stream()
                    .write("{\"type\":\"ADDED\",\"object\":" + server.pods().get("a/one") + "}\n")
                    .end();
            return true;
        });
        server.next(Kind.STREAMING_LIST, 1, (asked, reply) -> {
            reply.stream().write("{\"type\":\"ADDED\",\"object\":{\"kin");
            reply.cut();
            return true;
        });
        start();
        awaitVersion(1001);
        assertThat(objects()).containsExactly("a/one@1001");
        assertThat(server.asked(Kind.LIST)).hasSize(1);
        assertThat(heard.troubles).isEmpty();

        context.runOnContext(v -> reflector.relist("test"));

        await().until(() -> server.asked(Kind.STREAMING_LIST).size() == 3);
        assertThat(heard.troubles).hasSize(1);
    }

    @Test
    void shouldBeginAtAnEarlierStateWhereThatIsStillToBeHad() {
        server.pods().put("a/one");
        long then = server.version();
        server.nextOf(Kind.LIST, "resourceVersionMatch=Exact", 1, (asked, reply) -> {
            reply.send(
                    200,
                    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" + then
                            + "\"},\"items\":[]}");
            return true;
        });
        server.pods().put("a/two");
        start(Duration.ofSeconds(60), then);
        awaitVersion(then + 1);

        assertThat(server.asked(Kind.LIST))
                .first()
                .satisfies(asked -> assertThat(asked.query()).containsEntry("resourceVersion", Long.toString(then)));
        assertThat(events()).containsExactly("ADDED a/two " + (then + 1));
        assertThat(server.asked(Kind.STREAMING_LIST)).isEmpty();
    }

    @Test
    void shouldBeginAtThePresentWhereTheEarlierStateIsGone() {
        server.pods().put("a/one");
        server.refuse(Kind.LIST, 1, 410, "Expired");
        start(Duration.ofSeconds(60), 900);
        awaitVersion(1001);

        assertThat(heard.listed).containsExactly("start NEW_EPOCH");
        assertThat(heard.troubles).isEmpty();
    }

    // ---- resuming

    @Test
    void shouldResumeAtTheLastVersionWhenTheWatchEnds() throws Exception {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        long last = server.pods().put("a/one");
        awaitVersion(last);

        server.pods().endWatches();
        await().until(() -> server.pods().watches() == 1);
        long next = server.pods().put("a/two");
        awaitVersion(next);

        assertThat(onlyWatch().query()).containsEntry("resourceVersion", Long.toString(last));
        assertThat(events()).containsExactly("MODIFIED a/one " + last, "ADDED a/two " + next);
        assertThat(heard.troubles).isEmpty();
        assertThat(heard.listed).hasSize(1);
    }

    @Test
    void shouldResumeAtTheVersionOfTheLastBookmark() throws Exception {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        server.setVersion(4000);
        server.pods().bookmark();
        awaitVersion(4000);

        server.pods().endWatches();
        await().until(() -> server.pods().watches() == 1);

        assertThat(onlyWatch().query()).containsEntry("resourceVersion", "4000");
        assertThat(heard.bookmarks).last().asString().contains("\"4000\"");
        assertThat(writer.state().position().sequence()).isZero();
    }

    @Test
    void shouldResumeWhenCutInMidEventAndMissNothing() throws Exception {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        String event = "{\"type\":\"MODIFIED\",\"object\":" + server.pods().object("a/one", 1002, 10) + "}\n";
        for (int cut : new int[] {1, 20, event.length() - 2, event.length() - 1}) {
            await().until(() -> server.pods().watches() == 1);
            server.pods().cutWatches(event.substring(0, cut));
        }
        long version = server.pods().put("a/one");
        awaitVersion(version);

        assertThat(events()).containsExactly("MODIFIED a/one " + version);
        assertThat(server.asked(Kind.WATCH))
                .hasSize(4)
                .allSatisfy(asked -> assertThat(asked.query()).containsEntry("resourceVersion", "1001"));
        assertThat(heard.listed).hasSize(1);
    }

    @Test
    void shouldMissNothingOfABurstAroundACut() throws Exception {
        start();
        awaitVersion(1000);
        await().until(() -> server.pods().watches() == 1);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            expected.add("ADDED a/n" + i + " " + server.pods().put("a/n" + i));
            if (i % 100 == 50) {
                server.pods().cutWatches("{\"type\":");
            }
        }
        awaitVersion(server.version());

        assertThat(events()).isEqualTo(expected);
        assertThat(heard.events).hasValue(300);
        assertThat(heard.listed).hasSize(1);
    }

    @Test
    void shouldReplaceASilentWatch() {
        server.pods().put("a/one");
        start(Duration.ofMillis(500), 0);
        awaitVersion(1001);
        server.pods().mute(true);
        long missed = server.pods().put("a/one");
        server.pods().mute(false);

        awaitVersion(missed);

        assertThat(events()).containsExactly("MODIFIED a/one " + missed);
        assertThat(heard.troubles).isNotEmpty().allSatisfy(t -> assertThat(t).hasMessageContaining("nothing heard"));
        assertThat(heard.listed).hasSize(1);
    }

    // ---- gaps and new epochs

    @Test
    void shouldRepairTheGapWhenTheStreamSaysThatItHasExpired() throws Exception {
        server.pods().put("a/one");
        server.pods().put("a/two");
        start();
        awaitVersion(1002);
        makeAGap();

        awaitVersion(1005);

        assertThat(heard.listed).containsExactly("start NEW_EPOCH", "expired REPAIRED");
        // The deletion is told at the last version before the gap; the others at their own.
        assertThat(events()).containsExactly("DELETED a/two 1002", "MODIFIED a/one 1003", "ADDED a/three 1005");
        assertThat(writer.state().epoch()).isEqualTo(1);
    }

    @Test
    void shouldRepairTheGapWhenTheWatchIsRefusedAsExpired() throws Exception {
        server.pods().put("a/one");
        server.pods().put("a/two");
        start();
        awaitVersion(1002);
        server.refuse(Kind.WATCH, 1, 410, "Expired");
        makeAGap();

        awaitVersion(1005);

        assertThat(heard.listed).containsExactly("start NEW_EPOCH", "expired REPAIRED");
        assertThat(events()).containsExactly("DELETED a/two 1002", "MODIFIED a/one 1003", "ADDED a/three 1005");
        assertThat(heard.troubles).isEmpty();
    }

    private void makeAGap() throws IOException {
        server.pods().mute(true);
        server.pods().put("a/one");
        server.pods().delete("a/two");
        server.pods().put("a/three");
        server.pods().compact();
        server.pods().mute(false);
        server.pods().endWatches();
    }

    @Test
    void shouldListWhenAnEventIsFromBehindWhatIsKnown() {
        server.pods().put("a/one");
        server.pods().put("a/two");
        start();
        awaitVersion(1002);

        server.pods().send("{\"type\":\"MODIFIED\",\"object\":" + server.pods().object("a/one", 1001, 0) + "}\n");

        await().until(() -> heard.listed.size() == 2);
        assertThat(heard.listed).last().isEqualTo("stale event NO_DIFFERENCE");
        assertThat(events()).isEmpty();
        long version = server.pods().put("a/one");
        awaitVersion(version);
    }

    @Test
    void shouldBeginANewEpochOnlyWhenTheOlderStateIsToldTwice() {
        server.pods().put("a/one");
        server.pods().put("a/two");
        start();
        awaitVersion(1002);
        server.setVersion(500);
        server.pods().forget("a/one");
        server.pods().forget("a/two");

        server.pods().put("a/zero");

        await().atMost(Duration.ofSeconds(20)).until(() -> heard.listed.size() == 2);
        assertThat(heard.listed).last().isEqualTo("stale event NEW_EPOCH");
        assertThat(server.asked(Kind.STREAMING_LIST)).hasSize(3);
        assertThat(writer.state().epoch()).isEqualTo(2);
        assertThat(writer.state().position().resourceVersion()).isEqualTo(501);
        assertThat(objects()).containsExactly("a/zero@501");
        long next = server.pods().put("a/zero");
        awaitVersion(next);
    }

    @Test
    void shouldStayInItsEpochWhenOnlyOneApiServerLags() {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        long known = 1001;
        server.next(Kind.STREAMING_LIST, 1, (asked, reply) -> {
            reply.stream()
                    .write(
                            "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"900\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n");
            return true;
        });

        context.runOnContext(v -> reflector.relist("older upstream"));

        await().atMost(Duration.ofSeconds(20)).until(() -> heard.listed.size() == 2);
        assertThat(heard.listed).last().isEqualTo("older upstream NO_DIFFERENCE");
        assertThat(writer.state().epoch()).isEqualTo(1);
        assertThat(writer.resourceVersion()).isEqualTo(known);
    }

    @Test
    void shouldListAfterThreeUnreadableEventsAtOneVersion() throws Exception {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        for (int i = 0; i < 3; i++) {
            await().until(() -> server.pods().watches() == 1);
            assertThat(heard.listed).hasSize(1);
            server.pods().send("{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{}}}\n");
            await().until(() -> server.pods().watches() == 0 || heard.listed.size() == 2);
            server.pods().endWatches();
        }

        await().until(() -> heard.listed.size() == 2);

        assertThat(heard.listed).last().isEqualTo("garbage NO_DIFFERENCE");
        assertThat(server.asked(Kind.WATCH))
                .hasSize(2)
                .allSatisfy(asked -> assertThat(asked.query()).containsEntry("resourceVersion", "1001"));
    }

    @Test
    void shouldTakeWhatCameBeforeAnUnreadableEvent() throws Exception {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        String good = "{\"type\":\"MODIFIED\",\"object\":" + server.pods().object("a/one", 1002, 0) + "}\n";
        server.setVersion(1002);

        server.pods().send(good + "garbage\n" + good);
        server.pods().endWatches();

        awaitVersion(1002);
        await().until(() -> server.pods().watches() == 1);
        assertThat(events()).containsExactly("MODIFIED a/one 1002");
        assertThat(onlyWatch().query()).containsEntry("resourceVersion", "1002");
    }

    @Test
    void shouldListAfterFiveWatchesThatSayNothing() {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        server.next(Kind.WATCH, 5, (asked, reply) -> {
            reply.stream().end();
            return true;
        });
        cut();

        await().atMost(Duration.ofSeconds(30)).until(() -> heard.listed.size() == 2);

        assertThat(heard.listed).last().isEqualTo("watches that say nothing NO_DIFFERENCE");
        assertThat(server.asked(Kind.WATCH)).hasSize(5);
    }

    @Test
    void shouldNotBeHeldUpByAnUpstreamThatGoesOnWithChangesInPlaceOfTheEndOfInitialEvents() {
        server.withoutEndOfInitialEvents();
        server.pods().put("a/one");
        start(Duration.ofMillis(400), 0);
        await().until(() -> server.pods().watches() == 1);
        server.pods().put("a/two");
        server.pods().delete("a/one");

        await().pollInterval(Duration.ofMillis(50)).until(() -> {
            server.pods().put("a/two");
            return writer.state() != null;
        });

        assertThat(objects()).singleElement().asString().startsWith("a/two@");
    }

    @Test
    void shouldTakeThePageTokenAsOpaque() {
        server.withoutStreamingLists();
        String token = "a+b/c=&d%20";
        server.nextOf(Kind.LIST, "limit=500", 1, (asked, reply) -> {
            reply.send(
                    200,
                    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\",\"continue\":\""
                            + token + "\"},\"items\":[]}");
            return true;
        });
        server.next(Kind.LIST, 1, (asked, reply) -> {
            reply.send(
                    200,
                    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}");
            return true;
        });
        start();
        awaitVersion(7);

        assertThat(server.asked(Kind.LIST).get(1).query()).containsEntry("continue", token);
    }

    @Test
    void shouldNotFollowAListThatContinuesAtItself() {
        server.withoutStreamingLists();
        AtomicInteger pages = new AtomicInteger();
        server.nextOf(Kind.LIST, "limit=500", 50, (asked, reply) -> {
            pages.incrementAndGet();
            reply.send(
                    200,
                    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\","
                            + "\"continue\":\"here\"},\"items\":[]}");
            return true;
        });
        start();

        await().until(() -> heard.troubles.size() >= 2);
        assertThat(pages).hasValueLessThanOrEqualTo(6);
        assertThat(heard.troubles.get(0)).hasMessageContaining("a list without an end");
    }

    @Test
    void shouldNotListOverAndOverWithoutAPauseWhenEveryWatchExpiresAtOnce() {
        server.withoutStreamingLists();
        server.pods().put("a/one");
        server.refuse(Kind.WATCH, Integer.MAX_VALUE, 410, "Expired");
        start();

        await().until(() -> server.asked(Kind.LIST).size() >= 6);

        List<Asked> lists = server.asked(Kind.LIST);
        assertThat(lists.get(5).nanos() - lists.get(0).nanos())
                .as("the time that six lists took")
                .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(1000));
    }

    // ---- refusals

    @Test
    void shouldWaitForAsLongAsItIsAskedTo() {
        server.pods().put("a/one");
        server.refuse(Kind.STREAMING_LIST, 1, 429, "TooManyRequests", "Retry-After: 2");
        start();
        awaitVersion(1001);

        List<Asked> asked = server.asked(Kind.STREAMING_LIST);
        assertThat(asked).hasSize(2);
        assertThat(asked.get(1).nanos() - asked.get(0).nanos()).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(2));
        assertThat(heard.troubles).hasSize(1);
    }

    @Test
    void shouldPauseLongerAndLongerWhileTheServerFails() {
        server.pods().put("a/one");
        server.refuse(Kind.STREAMING_LIST, 4, 500, "InternalError");
        start();
        awaitVersion(1001);

        List<Asked> asked = server.asked(Kind.STREAMING_LIST);
        assertThat(asked).hasSize(5);
        for (int i = 1; i < 5; i++) {
            assertThat(asked.get(i).nanos() - asked.get(i - 1).nanos())
                    .as("pause %d", i)
                    .isGreaterThan(TimeUnit.MILLISECONDS.toNanos(100L << i - 1));
        }
        assertThat(heard.troubles).hasSize(4);
        assertThat(server.asked(Kind.LIST))
                .as("5xx is no refusal of streaming lists")
                .isEmpty();
    }

    @Test
    void shouldKeepItsStateWhileWatchesFail() {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        server.refuse(Kind.WATCH, 1, 500, "InternalError");
        server.refuse(Kind.WATCH, 1, 429, "TooManyRequests", "Retry-After: 1");
        server.refuse(Kind.WATCH, 1, 403, "Forbidden");
        cut();
        await().until(() -> heard.troubles.size() >= 2);
        assertThat(writer.state().position().objects().size()).isEqualTo(1);

        long version = server.pods().put("a/two");
        awaitVersion(version);

        assertThat(heard.listed).hasSize(1);
        assertThat(heard.ends).isEmpty();
        assertThat(events()).containsExactly("ADDED a/two " + version);
    }

    @Test
    void shouldLoadItsCredentialsAgainWhenTheyAreRefused() throws Exception {
        server.pods().put("a/one");
        server.next(Kind.STREAMING_LIST, Integer.MAX_VALUE, (asked, reply) -> {
            if ("Bearer second".equals(asked.headers().get("authorization"))) {
                return false;
            }
            reply.send(401, ScriptedApiServer.status(401, "Unauthorized", "Unauthorized"));
            return true;
        });
        Files.writeString(tokenFile, "second");
        start();

        awaitVersion(1001);

        assertThat(server.asked(Kind.STREAMING_LIST)).hasSizeGreaterThanOrEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {403, 404, 405})
    void shouldEndWhenItMayNotReadOrThereIsNothingToRead(int code) {
        server.refuse(Kind.STREAMING_LIST, 1, code, "Refused");
        start();

        await().until(() -> heard.ends.size() == 1);

        assertThat(heard.ends.get(0)).isInstanceOfSatisfying(UpstreamStatusException.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(code);
            assertThat(refusal.body().toString()).contains("scripted " + code);
        });
        assertThat(writer.state()).isNull();
        assertThat(server.asked(Kind.STREAMING_LIST)).hasSize(1);
    }

    @Test
    void shouldEndWhenTheResourceIsGone() {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        server.refuse(Kind.WATCH, 1, 404, "NotFound");

        cut();

        await().until(() -> heard.ends.size() == 1);
        assertThat(server.asked(Kind.WATCH)).hasSize(1);
    }

    @Test
    void shouldAskAgainWhenTheServerIsAway() throws Exception {
        server.pods().put("a/one");
        start();
        awaitVersion(1001);
        server.next(Kind.WATCH, 2, (asked, reply) -> {
            reply.cut();
            return true;
        });
        cut();
        long version = server.pods().put("a/one");
        awaitVersion(version);

        assertThat(heard.listed).hasSize(1);
        assertThat(heard.troubles).hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void shouldWatchAndNotListAgainWhenTheServerIsAwayJustAfterAList() throws Exception {
        server.withoutStreamingLists();
        server.next(Kind.LIST, 1, (asked, reply) -> {
            server.leave();
            reply.send(
                    200,
                    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1000\"},\"items\":[]}",
                    "Connection: close");
            return true;
        });
        start();
        await().until(() -> !heard.troubles.isEmpty());

        server.comeBack();
        awaitVersion(server.pods().put("a/one"));

        assertThat(heard.listed).containsExactly("start NEW_EPOCH");
        assertThat(server.asked(Kind.LIST)).hasSize(1);
    }

    @Test
    void shouldSayNothingAfterItIsStopped() throws Exception {
        server.pods().put("a/one");
        Gate gate = server.hold(Kind.STREAMING_LIST);
        start();
        gate.awaitRequest();
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        context.runOnContext(v -> {
            reflector.stop();
            stopped.complete(null);
        });
        stopped.get(10, TimeUnit.SECONDS);

        gate.open();

        await().until(() -> server.connections() == 0);
        assertThat(heard.listed).isEmpty();
        assertThat(heard.troubles).isEmpty();
        assertThat(heard.ends).isEmpty();
    }

    private void cut() {
        try {
            await().until(() -> server.pods().watches() == 1);
            server.pods().cutWatches("");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Asked onlyWatch() {
        List<Asked> watches = server.asked(Kind.WATCH);
        assertThat(watches).hasSize(1);
        return watches.get(0);
    }

    private void awaitVersion(long version) {
        await("version " + version).atMost(Duration.ofSeconds(20)).until(isAt(version)::getAsBoolean);
    }

    private BooleanSupplier isAt(long version) {
        return () -> writer.state() != null && writer.state().position().resourceVersion() == version;
    }

    private List<String> objects() {
        List<String> objects = new ArrayList<>();
        Iterator<StoredObject> all = writer.state().position().objects().iterator();
        all.forEachRemaining(object -> objects.add(object.toString()));
        return objects;
    }

    /** Every event of the present epoch's log. */
    private List<String> events() {
        FeedState state = writer.state();
        EventCursor cursor = state.startAtEnd();
        cursor.moveTo(1);
        List<String> events = new ArrayList<>();
        WatchEvent event;
        while ((event = cursor.take(state.position().sequence())) != null) {
            events.add(event.type() + " " + event.object().key() + " " + event.resourceVersion());
        }
        return events;
    }
}
