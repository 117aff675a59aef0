package io.watchfan.loadtest.swarm;

import io.netty.channel.EventLoopGroup;
import io.watchfan.loadtest.contract.ScopeJournal;
import io.watchfan.loadtest.contract.Violations;
import io.watchfan.loadtest.contract.WatcherContract;
import io.watchfan.loadtest.net.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * Many watchers of one target on a few event loops, each checked as it goes.
 *
 * <p>Public methods are for one controlling thread; what they order is carried out on the event loops.
 */
public final class WatcherSwarm implements AutoCloseable {
    private static final long POLL_MILLIS = 20;
    private static final long CLOSE_TIMEOUT_SECONDS = 5;
    private static final long SETTLE_TIMEOUT_SECONDS = 60;

    private final EventLoopGroup group;
    private final List<SwarmLoop> loops = new ArrayList<>();
    private final Violations violations = new Violations();
    private final int watchers;
    private final Random random;

    /**
     * A swarm that has not started.
     *
     * @param startVersion the version that watchers without initial events start from
     * @param expected what they are held to
     * @param sabotage how the first watcher fit for it is to be fooled; null for not at all
     */
    public WatcherSwarm(
            Target target,
            List<WatcherProfile> profiles,
            long startVersion,
            Expectations expected,
            int eventLoops,
            long seed,
            Sabotage sabotage) {
        this(target, profiles, startVersion, expected, SwarmTuning.ofLoops(eventLoops), seed, sabotage);
    }

    /** A swarm that has not started, and goes about its connections in a way of its own. */
    public WatcherSwarm(
            Target target,
            List<WatcherProfile> profiles,
            long startVersion,
            Expectations expected,
            SwarmTuning tuning,
            long seed,
            Sabotage sabotage) {
        this.random = new Random(seed);
        this.watchers = profiles.size();
        this.group = Transport.newGroup("swarm", tuning.eventLoops());
        for (int i = 0; i < tuning.eventLoops(); i++) {
            loops.add(new SwarmLoop(group.next(), random.nextLong(), tuning));
        }
        boolean sabotaged = sabotage == null;
        for (WatcherProfile profile : profiles) {
            SwarmLoop loop = loops.get(profile.id() % tuning.eventLoops());
            boolean victim = !sabotaged && sabotage.suits(profile);
            sabotaged |= victim;
            ScopeJournal journal =
                    expected.truth() == null ? null : expected.truth().journal(profile.scope());
            WatcherContract contract = new WatcherContract(
                    profile.id(), profile.scope().toString(), journal, expected.strictness(), violations);
            Watcher watcher = new Watcher(
                    profile,
                    loop,
                    target,
                    contract,
                    expected.ends(),
                    startVersion,
                    victim ? new Saboteur(sabotage) : null);
            loop.members.add(new SwarmLoop.Member(watcher, contract));
        }
    }

    /** Lets all watchers connect, some at a time. */
    public void start() {
        onEach(loop -> loop.members.forEach(member -> loop.connectInTurn(member.watcher())));
    }

    /**
     * Waits until all watchers have an open stream.
     *
     * @return whether that was so before the time was up
     */
    public boolean awaitStreaming(Duration most) throws InterruptedException {
        return await(most, () -> sum(loop -> loop.streaming.get()) == watchers);
    }

    /**
     * Waits until all watchers have received what the truth holds for them.
     *
     * @param stalledToo whether those that stalled are waited for as well
     * @return whether that was so before the time was up
     */
    public boolean awaitCaughtUp(Duration most, boolean stalledToo) throws InterruptedException {
        return await(most, () -> behind(stalledToo) == 0);
    }

    /** How many watchers have not received yet what the truth holds for them. */
    private long behind(boolean stalledToo) {
        AtomicLong behind = new AtomicLong();
        onEach(loop -> behind.addAndGet(loop.members.stream()
                .filter(member -> (stalledToo || member.watcher().pace() != Pace.STALLED)
                        && !member.contract().isCaughtUp())
                .count()));
        return behind.get();
    }

    /** Some of the watchers that have not received yet what the truth holds for them, in words. */
    public List<String> lagging(int most) {
        List<String> lagging = Collections.synchronizedList(new ArrayList<>());
        onEach(loop -> loop.members.stream()
                .filter(member -> !member.contract().isCaughtUp())
                .limit(most)
                .forEach(member -> lagging.add(member.watcher().toString())));
        return lagging.stream().limit(most).toList();
    }

    private interface Condition {
        boolean holds();
    }

    private static boolean await(Duration most, Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return true;
    }

    /** Lets a share of the watchers, chosen at random, give up their streams and come back from the last version. */
    public void reconnect(double share) {
        forShare(share, Pace.values(), (watcher, choice) -> watcher.reconnect());
    }

    /**
     * Lets a share of the watchers, chosen at random, vanish: their connections are reset, and they come back later.
     *
     * @param mostAway the longest that one stays away
     * @param anew whether they come back without a version; otherwise with the one that they hold
     */
    public void vanish(double share, Duration mostAway, boolean anew) {
        forShare(
                share,
                Pace.values(),
                (watcher, choice) -> watcher.vanish(choice.nextLong(mostAway.toMillis() + 1), anew));
    }

    /** Lets the watchers that stall stop reading, or read on. */
    public void setStalled(boolean stalled) {
        setStalled(stalled, 1);
    }

    /** Lets a share of the watchers that stall, chosen at random, stop reading, or read on. */
    public void setStalled(boolean stalled, double share) {
        forShare(share, new Pace[] {Pace.STALLED}, (watcher, choice) -> watcher.setStalled(stalled));
    }

    private void forShare(double share, Pace[] paces, BiConsumer<Watcher, Random> action) {
        long seed = random.nextLong();
        List<Pace> wanted = List.of(paces);
        onEach(loop -> {
            Random choice = new Random(seed ^ loops.indexOf(loop));
            for (SwarmLoop.Member member : loop.members) {
                if (wanted.contains(member.watcher().pace()) && choice.nextDouble() < share) {
                    action.accept(member.watcher(), choice);
                }
            }
        });
    }

    /**
     * Ends the run for the checks.
     *
     * @param tailRequired whether what the watchers have not received by now, they have missed; never so for those that
     *     stall
     */
    public void settle(boolean tailRequired) {
        onEach(loop -> loop.members.forEach(member ->
                member.contract().settle(tailRequired && member.watcher().pace() != Pace.STALLED)));
    }

    /** Holds every watcher to the truth of now, at which the API server rests. The run may go on. */
    public void settleAll() {
        onEach(loop -> loop.members.forEach(member -> member.contract().settle(true)));
    }

    /** What was promised and not kept. */
    public Violations violations() {
        return violations;
    }

    /** The counts so far. */
    public SwarmStats stats() {
        return new SwarmStats(
                watchers,
                sum(loop -> loop.streaming.get()),
                sum(loop -> loop.events.get()),
                sum(loop -> loop.initialEvents.get()),
                sum(loop -> loop.bookmarks.get()),
                sum(loop -> loop.bytes.get()),
                sum(loop -> loop.reads.get()),
                sum(loop -> loop.streams.get()),
                sum(loop -> loop.endedClean.get()),
                sum(loop -> loop.endedCut.get()),
                sum(loop -> loop.expired.get()),
                sum(loop -> loop.errors.get()),
                sum(loop -> loop.connectFailures.get()),
                sum(loop -> loop.left.get()));
    }

    /** Adds the latencies since the last call, in microseconds, to a histogram. */
    public void drainLatencies(Histogram sum) {
        loops.forEach(loop -> loop.latencies.drainInto(sum));
    }

    /** The last thing that went wrong with a connection; empty when nothing did. */
    public String lastError() {
        return loops.stream()
                .map(loop -> loop.lastError)
                .filter(error -> !error.isEmpty())
                .findFirst()
                .orElse("");
    }

    private long sum(ToLongFunction<SwarmLoop> value) {
        return loops.stream().mapToLong(value).sum();
    }

    /** Does something on every event loop, and waits for it. */
    private void onEach(Consumer<SwarmLoop> action) {
        loops.stream()
                .map(loop -> loop.executor.submit(() -> action.accept(loop)))
                .toList()
                .forEach(future -> {
                    if (!future.awaitUninterruptibly(SETTLE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                        throw new IllegalStateException("an event loop of the swarm does not answer");
                    }
                    if (future.cause() != null) {
                        throw new IllegalStateException(future.cause());
                    }
                });
    }

    @Override
    public void close() {
        onEach(loop -> {
            loop.members.forEach(member -> member.watcher().close());
            if (loop.http2 != null) {
                loop.http2.close();
            }
        });
        group.shutdownGracefully(0, CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
}
