package io.watchfan.proxy.watch;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.watchfan.fanout.bookmark.BookmarkPolicy;
import io.watchfan.fanout.bookmark.BookmarkSchedule;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.stream.FrameBuilder;
import io.watchfan.proxy.stream.Gzip;
import io.watchfan.proxy.stream.ResponseStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All watches of one event loop. Feeds that have something to send take turns in small slices, so that none starves another,
 * nor the loop's own reading and accepting. Loops share nothing but the feeds' published states.
 *
 * <p>Confined to its event loop, but for {@link #execute}, {@link #call} and {@link #perform}.
 */
public final class LoopDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(LoopDispatcher.class);
    /** How long a turn of work may take. */
    static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long TICK_MILLIS = 100;
    private static final int BATCH_EVENTS = 1024;
    private static final long LOOK_AGAIN_MILLIS = 30_000;
    private static final int TICKS_PER_CHECK = 10;
    private static final int TICKS_PER_REST = 50;
    /** A list that is kept keeps the state that it is of, however much has changed since. */
    private static final int TICKS_PER_LISTS_REST = 10;
    /** Of framed portions, and of lists, what a loop keeps for others than the one they were made for. */
    private static final long PORTIONS_BYTES = 16 << 20;

    private final Vertx vertx;
    private final Context context;
    private final Thread thread = Thread.currentThread();
    private final ProxyMetrics metrics;
    private final BookmarkPolicy bookmarkPolicy;
    private final long writeTimeoutMillis;
    private final Gzip gzip = new Gzip();
    private final FrameBuilder frames = new FrameBuilder(gzip);
    private final SharedLists lists = new SharedLists(PORTIONS_BYTES, gzip);
    private final SharedPortions portions = new SharedPortions(PORTIONS_BYTES);
    private final EventBatch batch = new EventBatch(BATCH_EVENTS);
    private final BookmarkSchedule<Ticket> schedule = new BookmarkSchedule<>(TICK_MILLIS);
    private final Map<ResourceFeed, FeedDispatcher> dispatchers = new HashMap<>();
    private final ArrayDeque<FeedDispatcher> runnable = new ArrayDeque<>();
    private int size;
    private boolean scheduled;
    private boolean draining;
    private boolean closed;
    private int ticks;
    private long countedBytes;

    /**
     * Made on the loop itself.
     *
     * @param vertx the serving instance
     * @param context the loop's
     * @param metrics counts
     * @param bookmarkInterval between two bookmarks of a watch
     * @param writeTimeout a client that takes nothing for so long is cut
     */
    public LoopDispatcher(
            Vertx vertx, Context context, ProxyMetrics metrics, Duration bookmarkInterval, Duration writeTimeout) {
        this.vertx = vertx;
        this.context = context;
        this.metrics = metrics;
        this.bookmarkPolicy =
                new BookmarkPolicy(Math.max(1, bookmarkInterval.toMillis()), BookmarkPolicy.API_SERVER_LEAD_MILLIS);
        this.writeTimeoutMillis = writeTimeout.toMillis();
        vertx.setPeriodic(TICK_MILLIS, t -> unlessClosed(this::tick));
    }

    /** The loop's clock: monotonic milliseconds. */
    static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    /** Runs {@code task} on the loop, unless it has been closed by then. Any thread may call. */
    void execute(Runnable task) {
        context.runOnContext(v -> unlessClosed(task));
    }

    private void unlessClosed(Runnable task) {
        if (!closed) {
            task.run();
        }
    }

    /** Runs {@code task} on the loop; the future has what comes of it, and fails with what it throws. Any thread may call. */
    <T> Future<T> call(Supplier<Future<T>> task) {
        Promise<T> promise = Promise.promise();
        context.runOnContext(v -> {
            if (closed) {
                promise.fail("the proxy has stopped");
                return;
            }
            try {
                task.get().onComplete(promise);
            } catch (RuntimeException e) {
                promise.fail(e);
            }
        });
        return promise.future();
    }

    /** As {@link #call}, of a task that is done when it returns. Any thread may call. */
    Future<Void> perform(Runnable task) {
        return call(() -> {
            task.run();
            return Future.succeededFuture();
        });
    }

    /** Runs {@code action} on the loop after {@code millis}, unless it is cancelled by the number that this gives. */
    long after(long millis, Runnable action) {
        return vertx.setTimer(millis, t -> unlessClosed(action));
    }

    /** See {@link #after}. */
    void cancel(long timer) {
        vertx.cancelTimer(timer);
    }

    /** A client that takes nothing for so long is cut. */
    long writeTimeoutMillis() {
        return writeTimeoutMillis;
    }

    ProxyMetrics metrics() {
        return metrics;
    }

    /** What stands for a watch in the schedule: a watch that has ended leaves nothing but this. */
    static final class Ticket {
        private WatchConnection connection;

        private Ticket(WatchConnection connection) {
            this.connection = connection;
        }
    }

    /** For events that are taken and let go of in one go. */
    EventBatch batch() {
        return batch;
    }

    /** Builds the frames of this loop's streams. */
    FrameBuilder frames() {
        return frames;
    }

    /** Compresses for this loop's clients. */
    Gzip gzip() {
        return gzip;
    }

    /** The lists of this loop's clients. */
    SharedLists lists() {
        return lists;
    }

    /** What has been framed for watches that are not in step, and may serve others. */
    SharedPortions portions() {
        return portions;
    }

    /** Ends {@code stream}; a client that does not take what is left of it within the write timeout is cut. */
    void end(ResponseStream stream) {
        cutUnless(stream.end(), stream::abort);
    }

    /** Cuts a client, by {@code cut}, unless {@code sent} is complete within the write timeout. */
    void cutUnless(Future<?> sent, Runnable cut) {
        if (!sent.isComplete()) {
            long timer = vertx.setTimer(writeTimeoutMillis, t -> {
                metrics.responseCut("write_timeout");
                cut.run();
            });
            sent.onComplete(done -> vertx.cancelTimer(timer));
        }
    }

    /** The dispatcher of {@code feed} on this loop, there or made. */
    FeedDispatcher dispatcherOf(ResourceFeed feed) {
        assert onLoop();
        return dispatchers.computeIfAbsent(feed, f -> new FeedDispatcher(this, f));
    }

    /** The last watch of {@code feed} on this loop is gone. */
    void forget(ResourceFeed feed) {
        dispatchers.remove(feed);
    }

    /** How many watches there are on this loop. */
    public int size() {
        return size;
    }

    /** Whether the process is stopping: new watches are refused. */
    boolean isDraining() {
        return draining;
    }

    void opened(WatchConnection connection, FeedDispatcher owner) {
        connection.owner = owner;
        size++;
        long now = nowMillis();
        connection.ticket = new Ticket(connection);
        plan(connection, now);
        reschedule(connection, now);
        metrics.watchStarted();
    }

    void ended(WatchConnection connection) {
        connection.ticket.connection = null;
        size--;
        metrics.watchEnded(connection.endReason.label());
    }

    /** {@code dispatcher} has something to do. */
    void enqueue(FeedDispatcher dispatcher) {
        assert onLoop();
        if (dispatcher.markQueued()) {
            runnable.add(dispatcher);
            scheduleRun();
        }
    }

    private void scheduleRun() {
        if (!scheduled) {
            scheduled = true;
            execute(this::run);
        }
    }

    private void run() {
        scheduled = false;
        FeedDispatcher next = runnable.poll();
        if (next != null) {
            next.unmarkQueued();
            try {
                if (next.runSlice(System.nanoTime() + SLICE_NANOS)) {
                    enqueue(next);
                }
            } catch (RuntimeException | Error e) {
                // A fault of ours in one feed's work; the others have their turns all the same.
                LOG.error("a slice of work failed; the clients of its feed are cut", e);
                next.fail();
            }
        }
        if (!runnable.isEmpty()) {
            scheduleRun();
        }
    }

    // ---- time

    private void plan(WatchConnection connection, long now) {
        connection.nextBookmarkMillis =
                connection.bookmarks ? bookmarkPolicy.nextDue(now, connection.deadlineMillis) : BookmarkPolicy.NEVER;
    }

    private void reschedule(WatchConnection connection, long now) {
        // The ticket of a watch that ends early stays in its bucket until then, so no bucket is far away.
        long next = Math.min(connection.nextBookmarkMillis, connection.deadlineMillis);
        schedule.schedule(connection.ticket, Math.min(next, now + LOOK_AGAIN_MILLIS));
    }

    private void tick() {
        long now = nowMillis();
        schedule.advance(now, ticket -> {
            if (ticket.connection != null) {
                due(ticket.connection, now);
            }
        });
        metrics.bytesFramed(frames.framedBytes() - countedBytes);
        countedBytes = frames.framedBytes();
        if (++ticks % TICKS_PER_REST == 0) {
            dispatchers.values().forEach(FeedDispatcher::rest);
            portions.rest();
        }
        if (ticks % TICKS_PER_LISTS_REST == 0) {
            lists.rest();
        }
        if (ticks % TICKS_PER_CHECK == 0) {
            for (FeedDispatcher dispatcher : new ArrayList<>(dispatchers.values())) {
                dispatcher.cutStuck(now, writeTimeoutMillis);
            }
        }
    }

    private void due(WatchConnection connection, long now) {
        FeedDispatcher owner = connection.owner;
        if (now >= connection.deadlineMillis) {
            owner.end(connection, EndReason.DEADLINE, null);
            return;
        }
        if (now >= connection.nextBookmarkMillis) {
            owner.bookmarkDue(connection);
            plan(connection, now);
        }
        reschedule(connection, now);
    }

    /**
     * Ends all watches cleanly, each with a last bookmark where it may have one, spread over {@code grace} so that the clients
     * do not all come back at once.
     */
    public void drain(Duration grace) {
        assert onLoop();
        draining = true;
        for (FeedDispatcher dispatcher : dispatchers.values()) {
            for (WatchConnection connection : dispatcher.watches()) {
                long delay = ThreadLocalRandom.current().nextLong(Math.max(1, grace.toMillis()));
                after(Math.max(1, delay), () -> dispatcher.drain(connection));
            }
        }
    }

    /** Gives back what is not the heap's; on the loop. Nothing is done any more for clients that are still there. */
    public void close() {
        assert onLoop();
        closed = true;
        gzip.close();
    }

    private boolean onLoop() {
        return Thread.currentThread() == thread;
    }
}
