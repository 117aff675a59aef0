package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.LogLimits;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.SelectorParser;
import io.watchfan.fanout.selector.SelectorSyntaxException;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.feed.FeedLimits;
import io.watchfan.proxy.feed.FeedRegistry;
import io.watchfan.proxy.feed.FeedRegistry.Lookup;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.stream.Frame;
import io.watchfan.proxy.stream.Framing;
import io.watchfan.proxy.stream.ResponseStream;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.upstream.ObjectEncoding;
import io.watchfan.proxy.upstream.UpstreamClients;
import io.watchfan.proxy.upstream.UpstreamTarget;
import io.watchfan.proxy.watch.WatchConnection.Phase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One event loop's dispatchers with streams that the test takes the place of; the feeds are real. */
@Timeout(120)
final class DispatcherIT {
    /** No two lines of objects so large come into one unit, so units are events. */
    private static final int LARGE = 20_000;
    /** So many of them are 20 MB. */
    private static final int LARGE_STATE = 1000;

    private final Vertx serving = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Vertx feeding = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Context loopContext = serving.getOrCreateContext();
    private final ProxyMetrics metrics = new ProxyMetrics();
    private final List<String> order = new ArrayList<>();
    private final ScriptedApiServer upstream;
    private UpstreamClients clients;
    private FeedRegistry feeds;
    private LoopDispatcher loop;

    DispatcherIT() throws IOException {
        upstream = new ScriptedApiServer("pods", "configmaps");
    }

    @BeforeEach
    void start() throws Exception {
        ProxyConfig config = ConfigLoader.parse("--upstream", upstream.url());
        clients = new UpstreamClients(UpstreamTarget.of(config.upstream()), config, feeding, serving);
        Context feedContext = feeding.getOrCreateContext();
        FeedLimits limits = new FeedLimits(
                new LogLimits(100_000, 256 << 20, Long.MAX_VALUE / 2),
                1L << 40,
                true,
                true,
                10,
                Duration.ofMinutes(10),
                Duration.ofMinutes(1));
        feeds = new FeedRegistry(feeding, () -> feedContext, clients.feeds(), clients.reads(), limits, metrics);
        loop = onLoop(
                () -> new LoopDispatcher(serving, loopContext, metrics, Duration.ofMinutes(1), Duration.ofMinutes(1)));
    }

    @AfterEach
    void stop() throws Exception {
        feeds.stopAll();
        clients.closeAll().await(10, TimeUnit.SECONDS);
        serving.close().await(10, TimeUnit.SECONDS);
        feeding.close().await(10, TimeUnit.SECONDS);
        upstream.close();
        metrics.close();
    }

    /** A client that the test plays: it takes so many units and no more until it drains. Confined to the loop. */
    private final class FakeStream implements ResponseStream {
        final String name;
        final long busyNanos;
        final List<Long> seen = new ArrayList<>();
        int room = Integer.MAX_VALUE;
        boolean ended;
        boolean breaks;
        Runnable onWrite = () -> {};
        Runnable onDrain = () -> {};

        FakeStream(String name, long busyNanos) {
            this.name = name;
            this.busyNanos = busyNanos;
        }

        @Override
        public Framing framing() {
            return Framing.CHUNKED;
        }

        @Override
        public boolean isWritable() {
            return room > 0 && !ended;
        }

        @Override
        public int write(Frame frame, int fromUnit) {
            assertThat(isWritable()).as("written to only when writable").isTrue();
            onWrite.run();
            if (breaks) {
                throw new IllegalStateException("as if of a fault of ours");
            }
            for (long until = System.nanoTime() + busyNanos; System.nanoTime() < until; ) {
                Thread.onSpinWait();
            }
            order.add(name);
            int unit = fromUnit;
            while (unit < frame.units() && room > 0) {
                seen.add(frame.sequence(unit++));
                room--;
            }
            return unit;
        }

        void drain(int units) {
            boolean was = isWritable();
            room = units;
            if (!was && isWritable()) {
                onDrain.run();
            }
        }

        @Override
        public void onDrain(Runnable action) {
            onDrain = action;
        }

        @Override
        public Future<Void> end() {
            ended = true;
            return Future.succeededFuture();
        }

        @Override
        public void abort() {
            ended = true;
        }

        @Override
        public long taken() {
            return seen.size();
        }
    }

    /** A watch from now on. */
    private record Watch(WatchConnection connection, FakeStream stream, FeedDispatcher dispatcher, long from) {}

    private ResourceFeed feed(String plural) throws Exception {
        Lookup found = feeds.find(new GroupVersionResource("", "v1", plural), null, ObjectEncoding.JSON, 0)
                .await(15, TimeUnit.SECONDS);
        ResourceFeed feed = ((Lookup.Found) found).feed();
        feed.whenListed().await(15, TimeUnit.SECONDS);
        return feed;
    }

    /** On the loop. */
    private Watch watch(ResourceFeed feed, String labels, FakeStream stream) {
        FeedState state = feed.state();
        return watch(feed, state, labels, state.position().resourceVersion(), state.startAtEnd(), stream);
    }

    /** On the loop; of the scope that the stream is named after. */
    private Watch watchFrom(ResourceFeed feed, long version, FakeStream stream) {
        FeedState state = feed.state();
        return watch(feed, state, stream.name, version, state.startAt(version), stream);
    }

    private Watch watch(
            ResourceFeed feed, FeedState state, String labels, long version, EventCursor cursor, FakeStream stream) {
        assertThat(feed.acquire()).isTrue();
        WatchConnection connection = new WatchConnection(
                scope(labels), feed.representations().whole(), false, Long.MAX_VALUE / 4, version, cursor);
        FeedDispatcher dispatcher = loop.dispatcherOf(feed);
        dispatcher.open(connection, state);
        dispatcher.begin(connection, stream);
        return new Watch(connection, stream, dispatcher, state.position().sequence());
    }

    private static WatchScope scope(String labels) {
        try {
            return WatchScope.of(null, SelectorParser.parseLabels(labels), FieldSelector.EVERYTHING);
        } catch (SelectorSyntaxException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldLetAnotherFeedGoAheadAfterASliceHoweverManyWatchersTheFirstHas() throws Exception {
        ResourceFeed pods = feed("pods");
        ResourceFeed configMaps = feed("configmaps");
        final int many = 2000;
        // A write of 20 us: a slice of 1 ms is 50 of them, and the clock is looked at after every 16.
        final int mostInASlice = 50 + 16;
        List<Watch> watches = new ArrayList<>();
        onLoop(() -> {
            for (int i = 0; i < many; i++) {
                watches.add(watch(pods, "", new FakeStream("pods", 20_000)));
            }
            watches.add(watch(configMaps, "", new FakeStream("configmaps", 0)));
            return null;
        });
        awaitOnLoop(() -> watches.stream().allMatch(watch -> watch.connection.phase == Phase.IN_STEP));

        for (int round = 0; round < 5; round++) {
            onLoop(() -> {
                order.clear();
                return null;
            });
            CountDownLatch hold = new CountDownLatch(1);
            loopContext.runOnContext(v -> awaitLatch(hold));
            long podVersion = upstream.pods().putAll(names(50), 100);
            long version = upstream.resource("configmaps").put("a/config");
            await().until(() -> pods.state().position().resourceVersion() == podVersion
                    && configMaps.state().position().resourceVersion() == version);

            hold.countDown();

            awaitOnLoop(() -> order.size() >= many + 1);
            onLoop(() -> {
                assertThat(order.indexOf("configmaps"))
                        .as("writes to watchers of pods before the one of config maps")
                        .isBetween(0, 2 * mostInASlice);
                return null;
            });
        }
        onLoop(() -> {
            watches.forEach(watch -> watch.dispatcher.closed(watch.connection));
            return null;
        });
        assertNothingLeft(pods, configMaps);
    }

    @Test
    void shouldNeverStarveAFeedWhileAnotherIsNeverDone() throws Exception {
        ResourceFeed pods = feed("pods");
        ResourceFeed configMaps = feed("configmaps");
        List<Watch> watches = new ArrayList<>();
        onLoop(() -> {
            for (int i = 0; i < 2000; i++) {
                watches.add(watch(pods, "", new FakeStream("pods", 20_000)));
            }
            watches.add(watch(configMaps, "", new FakeStream("configmaps", 0)));
            return null;
        });
        CompletableFuture<Void> stop = new CompletableFuture<>();
        CompletableFuture<Void> churn = CompletableFuture.runAsync(() -> {
            while (!stop.isDone()) {
                long version = upstream.pods().putAll(names(20), 100);
                await().pollInterval(Duration.ofMillis(2))
                        .until(() -> pods.state().position().resourceVersion() >= version);
            }
        });
        int[] before = new int[1];

        for (int i = 1; i <= 20; i++) {
            int expected = i;
            upstream.resource("configmaps").put("a/config");
            FakeStream stream = watches.get(2000).stream;
            awaitOnLoop(() -> stream.seen.size() == expected);
            onLoop(() -> {
                assertThat(order.size()).as("the other feed goes on, too").isGreaterThan(before[0]);
                before[0] = order.size();
                return null;
            });
        }

        assertThat(churn).isNotDone();
        stop.complete(null);
        churn.get(20, TimeUnit.SECONDS);
    }

    /** Watchers that come, go, stall and drain at random: each sees exactly what is its own, once and in order. */
    @Test
    void shouldTellEachWatcherExactlyItsOwnWhateverTheOthersDo() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ResourceFeed pods = feed("pods");
        List<Watch> open = new ArrayList<>();
        List<Watch> gone = new ArrayList<>();
        List<String> labelOf = new ArrayList<>();
        labelOf.add("");
        for (int step = 0; step < 400; step++) {
            int what = random.nextInt(10);
            if (what < 5) {
                String color = random.nextBoolean() ? "red" : "blue";
                labelOf.add(color);
                upstream.pods().putPadded("a/n" + labelOf.size(), LARGE, "color", color);
            } else if (what < 7) {
                String selector = random.nextInt(3) == 0 ? "" : random.nextBoolean() ? "color=red" : "color=blue";
                Watch watch = onLoop(() -> watch(pods, selector, new FakeStream(selector, 0)));
                open.add(watch);
            } else if (!open.isEmpty()) {
                Watch watch = open.get(random.nextInt(open.size()));
                int room = random.nextInt(4);
                boolean goes = what == 9 && random.nextInt(3) == 0;
                onLoop(() -> {
                    if (goes) {
                        watch.dispatcher.closed(watch.connection);
                    } else {
                        watch.stream.drain(room == 3 ? Integer.MAX_VALUE : room);
                    }
                    return null;
                });
                if (goes) {
                    open.remove(watch);
                    gone.add(watch);
                }
            }
        }
        await().until(() -> pods.state().position().resourceVersion() == upstream.version());
        onLoop(() -> {
            open.forEach(watch -> watch.stream.drain(Integer.MAX_VALUE));
            return null;
        });
        long last = pods.state().position().sequence();
        awaitOnLoop(() -> open.stream().allMatch(watch -> watch.stream.seen.equals(expected(watch, labelOf, last))));

        onLoop(() -> {
            for (Watch watch : gone) {
                List<Long> expected = expected(watch, labelOf, last);
                assertThat(watch.stream.seen)
                        .as("seed %d", seed)
                        .isEqualTo(expected.subList(0, watch.stream.seen.size()));
            }
            open.forEach(watch -> watch.dispatcher.closed(watch.connection));
            return null;
        });
        assertNothingLeft(pods);
    }

    /** What is framed for one that is behind serves the others of its scope, and is let go of with the last of them. */
    @Test
    void shouldFrameAReplayOnceForAllOfAScope() throws Exception {
        ResourceFeed pods = feed("pods");
        for (int i = 0; i < 40; i++) {
            upstream.pods().putPadded("a/n" + i, LARGE, "color", i % 2 == 0 ? "red" : "blue");
        }
        await().until(() -> pods.state().position().resourceVersion() == upstream.version());
        long start = pods.state().window().oldest();
        List<Watch> red = new ArrayList<>();
        onLoop(() -> {
            for (int i = 0; i < 20; i++) {
                FakeStream stream = new FakeStream("color=red", 0);
                stream.room = 2;
                red.add(watchFrom(pods, start, stream));
            }
            return null;
        });
        awaitOnLoop(() -> red.stream().allMatch(watch -> watch.stream.seen.size() == 2));
        long first = onLoop(() -> loop.portions().bytes());
        assertThat(first).as("one portion for twenty").isBetween((long) LARGE, 6L * LARGE);

        onLoop(() -> {
            // Nobody has come for it since: all of them are stuck, and hold no more than their own places.
            loop.portions().rest();
            loop.portions().rest();
            assertThat(loop.portions().bytes()).isZero();
            return null;
        });

        // All go on, some in larger steps than others; one leaves on its way.
        for (int step = 0; step < 12; step++) {
            int room = step;
            onLoop(() -> {
                for (int i = 0; i < red.size(); i++) {
                    red.get(i).stream.drain(1 + (i + room) % 3);
                }
                if (room == 5) {
                    red.get(0).dispatcher.closed(red.get(0).connection);
                }
                return null;
            });
        }
        onLoop(() -> {
            red.forEach(watch -> watch.stream.drain(Integer.MAX_VALUE));
            return null;
        });
        List<Long> expected =
                LongStream.rangeClosed(1, 40).filter(n -> n % 2 == 1).boxed().toList();
        awaitOnLoop(() -> red.stream().skip(1).allMatch(watch -> watch.connection.phase == Phase.IN_STEP));
        onLoop(() -> {
            red.stream().skip(1).forEach(watch -> assertThat(watch.stream.seen).isEqualTo(expected));
            assertThat(loop.portions().bytes()).as("nobody is behind").isZero();
            red.stream().skip(1).forEach(watch -> watch.dispatcher.closed(watch.connection));
            return null;
        });
        assertNothingLeft(pods);
    }

    /** More than what is kept of portions, so who runs ahead would leave nothing to those behind. */
    @Test
    void shouldFrameALargeStateOnceForAllThatBeginTogetherThoughOneIsFaster() throws Exception {
        ResourceFeed pods = largeState();
        List<Watch> slow = new ArrayList<>();
        Watch fast = onLoop(() -> {
            for (int i = 0; i < 6; i++) {
                FakeStream stream = new FakeStream("slow", 0);
                stream.room = 1;
                slow.add(watchState(pods, "", stream));
            }
            return watchState(pods, "", new FakeStream("fast", 0));
        });
        long timer = onLoop(() -> serving.setPeriodic(2, t -> slow.forEach(watch -> watch.stream.drain(20))));

        awaitOnLoop(() -> fast.connection.phase == Phase.IN_STEP
                && slow.stream().allMatch(watch -> watch.connection.phase == Phase.IN_STEP));
        serving.cancelTimer(timer);

        onLoop(() -> {
            assertThat(loop.frames().framedBytes()).isBetween(pods.bytes(), pods.bytes() * 11 / 10);
            slow.forEach(watch -> assertThat(watch.stream.seen).hasSize(LARGE_STATE));
            slow.forEach(watch -> watch.dispatcher.closed(watch.connection));
            fast.dispatcher.closed(fast.connection);
            return null;
        });
        assertNothingLeft(pods);
    }

    @Test
    void shouldSendALargeStateWholeThoughOthersThatBeganWithItTakeNothing() throws Exception {
        ResourceFeed pods = largeState();
        List<Watch> stuck = new ArrayList<>();
        Watch fast = onLoop(() -> {
            for (int i = 0; i < 3; i++) {
                FakeStream stream = new FakeStream("stuck", 0);
                stream.room = i;
                stuck.add(watchState(pods, "", stream));
            }
            return watchState(pods, "", new FakeStream("fast", 0));
        });

        awaitOnLoop(() -> fast.connection.phase == Phase.IN_STEP);

        onLoop(() -> {
            assertThat(fast.stream.seen).hasSize(LARGE_STATE);
            assertThat(fast.connection.heldMillis)
                    .as("long enough, and not for ever")
                    .isBetween(1000, 3000);
            assertThat(stuck).extracting(watch -> watch.stream.seen.size()).containsExactly(0, 1, 2);
            stuck.forEach(watch -> watch.dispatcher.closed(watch.connection));
            fast.dispatcher.closed(fast.connection);
            return null;
        });
        assertNothingLeft(pods);
    }

    /** The first of them would be through long before the second comes, and nothing be kept of what was framed for it alone. */
    @Test
    void shouldWaitAMomentForOthersThatWantAllOfALargeStateAndNotForThoseThatWantLittle() throws Exception {
        ResourceFeed pods = largeState();
        List<Watch> watches = new ArrayList<>();
        CompletableFuture<List<Integer>> seen = new CompletableFuture<>();
        onLoop(() -> {
            watches.add(watchState(pods, "", new FakeStream("first", 0)));
            watches.add(watchState(pods, "color=red", new FakeStream("narrow", 0)));
            Watch ended = watchState(pods, "", new FakeStream("ended", 0));
            ended.dispatcher.closed(ended.connection);
            return loop.after(20, () -> {
                seen.complete(
                        watches.stream().map(watch -> watch.stream.seen.size()).toList());
                watches.add(watchState(pods, "", new FakeStream("second", 0)));
            });
        });

        assertThat(seen.get(30, TimeUnit.SECONDS)).containsExactly(0, 1);
        awaitOnLoop(() ->
                watches.size() == 3 && watches.stream().allMatch(watch -> watch.connection.phase == Phase.IN_STEP));
        onLoop(() -> {
            assertThat(loop.frames().framedBytes()).isBetween(pods.bytes(), pods.bytes() * 11 / 10);
            assertThat(watches)
                    .extracting(watch -> watch.stream.seen.size())
                    .containsExactly(LARGE_STATE, 1, LARGE_STATE);
            watches.forEach(watch -> watch.dispatcher.closed(watch.connection));
            return null;
        });
        assertNothingLeft(pods);
    }

    /** Those that are behind in the log, and those that have begun so much later that nothing is kept for them. */
    @Test
    void shouldNotHoldAWatchForOthersThatWillNotComeForWhatIsKept() throws Exception {
        ResourceFeed pods = largeState();
        FakeStream late = new FakeStream("late", 0);
        late.room = 0;
        FakeStream stuck = new FakeStream("stuck", 0);
        stuck.room = 0;
        FakeStream fast = new FakeStream("fast", 0);
        fast.room = LARGE_STATE * 9 / 10;
        List<Watch> watches = new ArrayList<>();
        onLoop(() -> {
            watches.add(watchState(pods, "", fast));
            watches.add(watch(pods, "", stuck));
            return null;
        });
        awaitOnLoop(() -> fast.seen.size() == LARGE_STATE * 9 / 10);

        onLoop(() -> {
            watches.add(watchState(pods, "", late));
            fast.drain(Integer.MAX_VALUE);
            return null;
        });

        awaitOnLoop(() -> watches.get(0).connection.phase == Phase.IN_STEP);
        onLoop(() -> {
            assertThat(watches.get(0).connection.heldMillis).isZero();
            watches.forEach(watch -> watch.dispatcher.closed(watch.connection));
            return null;
        });
        assertNothingLeft(pods);
    }

    private ResourceFeed largeState() throws Exception {
        for (int i = 0; i < LARGE_STATE; i++) {
            upstream.pods().putPadded("a/n" + i, LARGE, "color", i == 500 ? "red" : "blue");
        }
        return feed("pods");
    }

    /** On the loop: a watch that is sent the state first. */
    private Watch watchState(ResourceFeed feed, String labels, FakeStream stream) {
        FeedState state = feed.state();
        assertThat(feed.acquire()).isTrue();
        WatchConnection connection = new WatchConnection(
                        scope(labels),
                        feed.representations().whole(),
                        false,
                        Long.MAX_VALUE / 4,
                        state.position().resourceVersion(),
                        state.startAtEnd())
                .withInitial(state.position().objects(), false);
        FeedDispatcher dispatcher = loop.dispatcherOf(feed);
        dispatcher.open(connection, state);
        dispatcher.begin(connection, stream);
        return new Watch(connection, stream, dispatcher, state.position().sequence());
    }

    /** As of a watch whose state was listed ahead of the feed: what comes to the feed later, it knows in part. */
    @Test
    void shouldNotTellAWatchThatBeganAheadWhatItKnowsThoughItComesWithWhatIsNews() throws Exception {
        ResourceFeed pods = feed("pods");
        final int changes = 12;
        FeedState before = pods.state();
        Watch inStep = onLoop(() -> watch(pods, "", new FakeStream("in step", 0)));
        awaitOnLoop(() -> inStep.connection.phase == Phase.IN_STEP);
        // More than the loop takes from the log at once, of which newcomers have their turn in between.
        CountDownLatch hold = new CountDownLatch(1);
        loopContext.runOnContext(v -> awaitLatch(hold));
        List<FeedState> states = new ArrayList<>(List.of(before));
        List<Long> versions = new ArrayList<>(List.of(before.position().resourceVersion()));
        for (int i = 0; i < changes; i++) {
            long version = upstream.pods().putPadded("a/n" + i, 5 * LARGE, "color", "red");
            await().until(() -> pods.state().position().resourceVersion() == version);
            states.add(pods.state());
            versions.add(version);
        }
        List<Watch> ahead = new ArrayList<>();
        CompletableFuture<Void> opened = new CompletableFuture<>();
        loopContext.runOnContext(v -> {
            for (int at = 0; at <= changes; at++) {
                FeedState state = states.get(at);
                for (int known = at; known <= changes; known++) {
                    FakeStream stream = new FakeStream(Integer.toString(known), 0);
                    ahead.add(watch(pods, state, "", versions.get(known), state.startAtEnd(), stream));
                }
            }
            opened.complete(null);
        });

        hold.countDown();

        opened.get(30, TimeUnit.SECONDS);
        long first = before.position().sequence() + 1;
        long last = pods.state().position().sequence();
        upstream.pods().put("a/last");
        awaitOnLoop(() -> inStep.stream.seen.size() == changes + 1
                && ahead.stream().allMatch(watch -> watch.stream.seen.contains(last + 1)));
        onLoop(() -> {
            for (Watch watch : ahead) {
                long known = Long.parseLong(watch.stream.name);
                assertThat(watch.stream.seen)
                        .as("from %d on, with the first %d known", watch.from - first + 1, known)
                        .isEqualTo(LongStream.rangeClosed(first + known, last + 1)
                                .boxed()
                                .toList());
            }
            ahead.forEach(watch -> watch.dispatcher.closed(watch.connection));
            inStep.dispatcher.closed(inStep.connection);
            return null;
        });
        assertNothingLeft(pods);
    }

    /** A fault of ours costs the clients of the one feed a new connection, and leaves nothing half done. */
    @Test
    void shouldCutTheClientsOfAFeedWhoseWorkFailsAndServeTheOthers() throws Exception {
        ResourceFeed pods = feed("pods");
        ResourceFeed configMaps = feed("configmaps");
        List<Watch> broken = new ArrayList<>();
        Watch other = onLoop(() -> watch(configMaps, "", new FakeStream("other", 0)));
        onLoop(() -> {
            for (int i = 0; i < 5; i++) {
                FakeStream stream = new FakeStream("broken", 0);
                stream.breaks = i == 2;
                broken.add(watch(pods, "", stream));
            }
            return null;
        });
        awaitOnLoop(() -> broken.stream().allMatch(watch -> watch.connection.phase == Phase.IN_STEP));

        upstream.pods().put("a/one");
        upstream.resource("configmaps").put("a/one");

        awaitOnLoop(() -> broken.stream().allMatch(watch -> watch.stream.ended));
        awaitOnLoop(() -> other.stream.seen.size() == 1);
        assertThat(metrics.watcherCount()).isEqualTo(1);
        Watch again = onLoop(() -> watch(pods, "", new FakeStream("again", 0)));
        upstream.pods().put("a/two");
        awaitOnLoop(() -> again.stream.seen.size() == 1);
        onLoop(() -> {
            again.dispatcher.closed(again.connection);
            other.dispatcher.closed(other.connection);
            return null;
        });
        assertNothingLeft(pods, configMaps);
    }

    private static List<Long> expected(Watch watch, List<String> labelOf, long last) {
        return LongStream.rangeClosed(watch.from + 1, last)
                .filter(sequence ->
                        watch.stream.name.isEmpty() || watch.stream.name.endsWith("=" + labelOf.get((int) sequence)))
                .boxed()
                .toList();
    }

    @Test
    void shouldGoOnWithTheRestWhenWatchersLeaveDuringAPass() throws Exception {
        ResourceFeed pods = feed("pods");
        List<Watch> watches = new ArrayList<>();
        onLoop(() -> {
            for (int i = 0; i < 1000; i++) {
                watches.add(watch(pods, "", new FakeStream("w", 20_000)));
            }
            return null;
        });
        awaitOnLoop(() -> watches.stream().allMatch(watch -> watch.connection.phase == Phase.IN_STEP));
        AtomicInteger served = new AtomicInteger(-1);
        onLoop(() -> {
            order.clear();
            // Between two slices of the pass: every third goes, some that were served and some that were not.
            watches.get(10).stream.onWrite = () -> loop.execute(() -> {
                watches.get(10).stream.onWrite = () -> {};
                served.compareAndSet(-1, order.size());
                for (int i = 0; i < 1000; i += 3) {
                    watches.get(i).dispatcher.closed(watches.get(i).connection);
                }
            });
            return null;
        });
        upstream.pods().put("a/one");
        awaitOnLoop(() -> served.get() > 0);
        assertThat(served.get()).as("the pass is under way").isBetween(11, 999);
        upstream.pods().put("a/two");

        awaitOnLoop(() -> IntStream.range(0, 1000)
                .filter(i -> i % 3 != 0)
                .allMatch(i -> watches.get(i).stream.seen.equals(List.of(1L, 2L))));
        onLoop(() -> {
            assertThat(IntStream.range(0, 1000)
                            .filter(i -> i % 3 == 0)
                            .allMatch(i -> watches.get(i).stream.seen.size() <= 1))
                    .isTrue();
            for (int i = 0; i < 1000; i++) {
                watches.get(i).dispatcher.closed(watches.get(i).connection);
            }
            return null;
        });
        assertNothingLeft(pods);
    }

    private void assertNothingLeft(ResourceFeed... all) throws Exception {
        awaitOnLoop(() -> loop.size() == 0 && ((Map<?, ?>) ProxyFixture.field(loop, "dispatchers")).isEmpty());
        assertThat(metrics.watcherCount()).isZero();
        for (ResourceFeed feed : all) {
            assertThat(feed.users()).as("the test's own").isEqualTo(1);
        }
    }

    private static List<String> names(int count) {
        return IntStream.range(0, count).mapToObj(i -> "a/n" + i).toList();
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Task<T> {
        T run();
    }

    private <T> T onLoop(Task<T> task) throws Exception {
        CompletableFuture<T> done = new CompletableFuture<>();
        loopContext.runOnContext(v -> {
            try {
                done.complete(task.run());
            } catch (RuntimeException | AssertionError e) {
                done.completeExceptionally(e);
            }
        });
        return done.get(30, TimeUnit.SECONDS);
    }

    private void awaitOnLoop(Task<Boolean> condition) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> onLoop(condition));
    }
}
