package io.watchfan.loadtest.swarm;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.watchfan.loadtest.contract.EventType;
import io.watchfan.loadtest.contract.StreamObserver;
import io.watchfan.loadtest.net.Transport;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * One watcher, over all its connections: it watches, tells its observer what it sees, and goes on from the last version
 * when a stream ends, as clients do. Told 410, it begins anew with initial events. Confined to its event loop.
 */
final class Watcher implements LineSink {
    private static final int STALLED_RECEIVE_BUFFER_BYTES = 16 << 10;
    /** One read per channel and turn of the loop: a channel with much to read must not hold up thousands of others. */
    private static final RecvByteBufAllocator RECEIVE =
            new FixedRecvByteBufAllocator(SwarmLoop.SCRATCH_BYTES).maxMessagesPerRead(1);

    private static final long ANSWER_TIMEOUT_SECONDS = 30;
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
    private static final long CLEAN_PAUSE_MILLIS = 20;
    private static final long MIN_BACKOFF_MILLIS = 50;
    private static final long MAX_BACKOFF_MILLIS = 5_000;
    private static final int GONE = 410;
    private static final long DEADLINE_TOLERANCE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long NO_VERSION = -1;

    private final WatcherProfile profile;
    private final SwarmLoop loop;
    private final Target target;
    private final StreamObserver observer;
    private final EndJudge ends;
    private final Saboteur saboteur;

    /** The version to go on from; none when the next watch begins with initial events. */
    private long version;

    private boolean started;
    private boolean closed;
    private boolean stalled;
    private boolean inTurn;
    private boolean initialEventsOpen;
    private boolean heldUp;
    private boolean anew;
    private long awayMillis;
    private int failures;
    private int timeoutSeconds;
    private long requestedNanos;
    private WatcherConnection connection;
    private boolean open;
    /** The last line that told a change; null before the first. */
    private KnownLine last;

    /**
     * A watcher that has not connected.
     *
     * @param ends says which ends of its streams are in order
     * @param version the version it starts from, unless its profile wants initial events
     * @param saboteur corrupts what it receives; null for nobody
     */
    Watcher(
            WatcherProfile profile,
            SwarmLoop loop,
            Target target,
            StreamObserver observer,
            EndJudge ends,
            long version,
            Saboteur saboteur) {
        this.profile = profile;
        this.loop = loop;
        this.target = target;
        this.observer = observer;
        this.ends = ends;
        this.version = profile.initialEvents() ? NO_VERSION : version;
        this.saboteur = saboteur;
    }

    Pace pace() {
        return profile.pace();
    }

    /** Connects; called by the loop when it is this watcher's turn. */
    void connect() {
        inTurn = true;
        if (closed) {
            turnOver();
            return;
        }
        requestedNanos = System.nanoTime();
        boolean http2 = loop.http2 != null;
        String pathAndQuery = pathAndQuery();
        WatcherConnection next = new WatcherConnection(
                this, loop, http2 ? null : target.request(pathAndQuery), saboteur == null ? this : saboteur);
        if (saboteur != null) {
            saboteur.restart(this, version == NO_VERSION, this::reconnect);
        }
        connection = next;
        open = false;
        heldUp = false;
        if (http2) {
            openStream(next, pathAndQuery);
        } else {
            openConnection(next);
        }
        loop.executor
                .schedule(() -> giveUp(next), ANSWER_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .addListener(done -> {});
    }

    private void openConnection(WatcherConnection next) {
        Bootstrap bootstrap = new Bootstrap()
                .group(loop.executor)
                .channel(Transport.clientChannel())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.RECVBUF_ALLOCATOR, RECEIVE)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (target.ssl() != null) {
                            channel.pipeline()
                                    .addLast(target.ssl().newHandler(channel.alloc(), target.host(), target.port()));
                        }
                        channel.pipeline().addLast(next);
                    }
                });
        if (profile.pace() == Pace.STALLED) {
            bootstrap.option(ChannelOption.SO_RCVBUF, STALLED_RECEIVE_BUFFER_BYTES);
        }
        bootstrap.connect(target.host(), target.port()).addListener(done -> {
            if (!done.isSuccess()) {
                loop.lastError = String.valueOf(done.cause().getMessage());
                next.leave(EndReason.NO_CONNECTION);
            }
        });
    }

    private void openStream(WatcherConnection next, String pathAndQuery) {
        ChannelInitializer<Channel> stream = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new Http2Stream(target, pathAndQuery, next), next);
            }
        };
        loop.http2.open(target, profile.id() / loop.tuning.eventLoops(), stream).addListener(done -> {
            if (!done.isSuccess()) {
                loop.lastError = String.valueOf(done.cause().getMessage());
                next.leave(EndReason.NO_CONNECTION);
            }
        });
    }

    /** Leaves a server that takes connections and does not answer, so that it does not hold up the others' turn. */
    private void giveUp(WatcherConnection unanswered) {
        if (unanswered == connection && !open) {
            loop.lastError = "no answer within " + ANSWER_TIMEOUT_SECONDS + " s";
            unanswered.leave(EndReason.CUT);
        }
    }

    private String pathAndQuery() {
        int least = loop.tuning.leastWatchSeconds();
        timeoutSeconds = least + loop.random.nextInt(least);
        String start = version == NO_VERSION
                ? "&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
                : "&resourceVersion=" + version;
        return profile.scope().pathOf(target.collection()) + "?allowWatchBookmarks=true"
                + profile.scope().query() + start + "&timeoutSeconds=" + timeoutSeconds + "&watch=true";
    }

    /** The server has accepted the watch. */
    void onOpen() {
        open = true;
        loop.streams.add(1);
        loop.streaming.add(1);
        initialEventsOpen = version == NO_VERSION;
        if (initialEventsOpen) {
            observer.startInitial();
        } else if (started) {
            observer.resume(version);
        } else {
            observer.start(version);
        }
        started = true;
        if (!initialEventsOpen) {
            onEstablished();
        }
    }

    private void onEstablished() {
        failures = 0;
        turnOver();
        if (stalled) {
            heldUp = true;
            connection.setReading(false);
        }
    }

    private void turnOver() {
        if (inTurn) {
            inTurn = false;
            loop.turnOver();
        }
    }

    @Override
    public byte[] expectedLine() {
        return last == null || last.next() == null ? null : last.next().bytes();
    }

    @Override
    public void onExpectedLine() {
        last = last.next();
        onChange(last);
    }

    @Override
    public void onLine(byte[] bytes, int from, int to) {
        KnownLine expected = last == null ? null : last.next();
        if (expected != null && expected.is(bytes, from, to)) {
            // It came in two parts.
            onExpectedLine();
            return;
        }
        EventHead head = loop.head;
        if (!head.parse(bytes, from, to)) {
            onUnreadable("a line that is no event: "
                    + new String(bytes, from, Math.min(to - from, 200), StandardCharsets.UTF_8));
            return;
        }
        switch (head.type()) {
            case BOOKMARK -> onBookmark(head);
            case ERROR -> onError(head, bytes, from, to);
            default -> {
                KnownLine line = loop.lines.of(head, bytes, from, to);
                if (last != null) {
                    last.setNext(line);
                }
                last = line;
                onChange(line);
            }
        }
    }

    private void onChange(KnownLine line) {
        if (initialEventsOpen) {
            loop.initialEvents.add(1);
            observer.initial(line.type(), line.resourceVersion(), line.objectKey());
            return;
        }
        loop.events.add(1);
        version = line.resourceVersion();
        observer.event(line.type(), version, line.objectKey());
        // A deletion shows the object as it was, and so another change's time. What was due before this watch was
        // asked for is no live event.
        if (line.isPlanned()
                && line.type() != EventType.DELETED
                && profile.pace() == Pace.FAST
                && line.plannedNanos() - requestedNanos >= 0) {
            loop.latencies.recordNanos(connection.receivedNanos() - line.plannedNanos());
        }
    }

    private void onBookmark(EventHead head) {
        loop.bookmarks.add(1);
        observer.bookmark(head.resourceVersion(), head.isInitialEventsEnd());
        if (!initialEventsOpen || head.isInitialEventsEnd()) {
            version = head.resourceVersion();
        }
        if (head.isInitialEventsEnd() && initialEventsOpen) {
            initialEventsOpen = false;
            onEstablished();
        }
    }

    private void onError(EventHead head, byte[] bytes, int from, int to) {
        loop.lastError = new String(bytes, from, Math.min(to - from, 500), StandardCharsets.UTF_8);
        connection.leave(head.code() == GONE ? EndReason.EXPIRED : EndReason.ERROR);
    }

    void onUnreadable(String detail) {
        observer.unreadable(detail);
    }

    /** A connection is over. */
    void onEnd(WatcherConnection ended, EndReason reason) {
        if (ended != connection) {
            return;
        }
        connection = null;
        boolean established = open && !initialEventsOpen;
        if (open) {
            open = false;
            loop.streaming.add(-1);
        }
        turnOver();
        if (closed) {
            return;
        }
        loop.count(reason);
        judge(reason, established);
        if (reason == EndReason.EXPIRED || initialEventsOpen || anew) {
            version = NO_VERSION;
        }
        initialEventsOpen = false;
        anew = false;
        reconnectLater(reason);
    }

    private void judge(EndReason reason, boolean established) {
        if (reason == EndReason.LEFT) {
            return;
        }
        boolean atDeadline = System.nanoTime() - requestedNanos
                >= TimeUnit.SECONDS.toNanos(timeoutSeconds) - DEADLINE_TOLERANCE_NANOS;
        String detail = loop.lastError;
        String objection =
                ends.objection(new StreamEnd(reason, requestedNanos, established, atDeadline, heldUp, version, detail));
        if (objection != null) {
            observer.unexplainedEnd(version, objection);
        }
    }

    private void reconnectLater(EndReason reason) {
        long delayMillis;
        if (awayMillis > 0) {
            delayMillis = awayMillis;
            awayMillis = 0;
        } else if (reason == EndReason.CLEAN || reason == EndReason.EXPIRED || reason == EndReason.LEFT) {
            delayMillis = loop.random.nextLong(CLEAN_PAUSE_MILLIS + 1);
        } else {
            long most = Math.min(MAX_BACKOFF_MILLIS, MIN_BACKOFF_MILLIS << Math.min(failures, 16));
            failures++;
            delayMillis = most / 2 + loop.random.nextLong(most / 2 + 1);
        }
        loop.executor
                .schedule(() -> loop.connectInTurn(this), delayMillis, TimeUnit.MILLISECONDS)
                .addListener(done -> {});
    }

    /** Gives up the stream and comes back from the last version. */
    void reconnect() {
        if (connection != null && open) {
            connection.leave(EndReason.LEFT);
        }
    }

    /**
     * Vanishes, and comes back later.
     *
     * @param millis after how long
     * @param forgetting whether without a version
     */
    void vanish(long millis, boolean forgetting) {
        if (connection != null && open) {
            awayMillis = millis;
            anew = forgetting;
            connection.reset();
        }
    }

    /** Stops reading, or reads on. */
    void setStalled(boolean stall) {
        stalled = stall;
        if (connection != null && open && !initialEventsOpen) {
            heldUp |= stall;
            connection.setReading(!stall);
        }
    }

    @Override
    public String toString() {
        return "watcher " + profile.id() + " (" + profile.scope() + ", " + profile.pace() + ") at "
                + (version == NO_VERSION ? "no version" : "version " + version)
                + (connection == null ? ", not connected" : open ? "" : ", waiting for an answer")
                + (initialEventsOpen ? ", at its initial events" : "");
    }

    /** Leaves for good. */
    void close() {
        closed = true;
        if (connection != null) {
            connection.leave(EndReason.LEFT);
        }
    }
}
