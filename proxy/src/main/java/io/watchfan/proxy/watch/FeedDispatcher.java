package io.watchfan.proxy.watch;

import io.micrometer.core.instrument.Counter;
import io.watchfan.fanout.group.FilterGroup;
import io.watchfan.fanout.group.FilterGroups;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.PollResult;
import io.watchfan.proxy.feed.FeedListener;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.stream.Frame;
import io.watchfan.proxy.stream.FrameFormat;
import io.watchfan.proxy.stream.ResponseStream;
import io.watchfan.proxy.upstream.UpstreamStatusException;
import io.watchfan.proxy.watch.WatchConnection.Phase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watches of one feed on one event loop. Takes the log in batches; of each batch, every filter group that it concerns gets
 * one pass: its lines framed once, and the frame written to all its watches. Between two batches nothing is half done, and
 * there watches that have caught up join their group, and bookmarks are sent.
 *
 * <p>Confined to its event loop, but for {@link #onFeedChanged}, which any thread may call: it rings at most once until the
 * loop has come to look. The loop clears {@code rung} before it takes the feed's state, so nothing published is overlooked.
 */
final class FeedDispatcher implements FeedListener {
    private static final Logger LOG = LoggerFactory.getLogger(FeedDispatcher.class);
    private static final long BATCH_BYTES = 256 << 10;

    private final LoopDispatcher loop;
    private final ResourceFeed feed;
    private final Counter deliveries;
    private final AtomicBoolean rung = new AtomicBoolean();
    /** By format, so that one frame fits all watches of a group. */
    private final Map<FrameFormat, FilterGroups<WatchConnection>> groups = new HashMap<>();

    private final ArrayList<WatchConnection> all = new ArrayList<>();
    private final ArrayList<WatchConnection> bookmarksDue = new ArrayList<>();
    private final ArrayList<FilterGroup<WatchConnection>> touched = new ArrayList<>();
    private final Pass pass;
    private final CatchUp catchUp;

    private FeedState state;
    private EventCursor cursor;
    private long batchFrom;
    private int nextGroup;
    private boolean othersTurn;
    private boolean queued;

    FeedDispatcher(LoopDispatcher loop, ResourceFeed feed) {
        this.loop = loop;
        this.feed = feed;
        this.deliveries = loop.metrics().deliveries(feed.key().toString());
        this.pass = new Pass(loop, this);
        this.catchUp = new CatchUp(loop, feed, this);
        feed.addListener(this);
    }

    // ---- from outside

    @Override
    public void onFeedChanged() {
        if (rung.compareAndSet(false, true)) {
            loop.execute(() -> {
                rung.set(false);
                loop.enqueue(this);
            });
        }
    }

    boolean markQueued() {
        boolean was = queued;
        queued = true;
        return !was;
    }

    void unmarkQueued() {
        queued = false;
    }

    /** A good while has passed. */
    void rest() {
        catchUp.rest(state);
    }

    /** The state that a newcomer begins at, {@code present} or one that is a moment older; not older than {@code atLeast}. */
    FeedState beginning(FeedState present, long atLeast) {
        return catchUp.beginning(present, atLeast);
    }

    /** The state that the dispatcher has come to see. */
    FeedState state() {
        return state;
    }

    /** Where the watches in step are in the log. */
    EventCursor cursor() {
        return cursor;
    }

    /** The sequence of the first event of the batch that is on its way. */
    long batchFrom() {
        return batchFrom;
    }

    /** Counts what has been written. */
    void delivered(long lines, long bytes) {
        deliveries.increment((double) lines);
        loop.metrics().bytesOut().increment((double) bytes);
    }

    /** All its watches, in no order; a copy. */
    List<WatchConnection> watches() {
        return new ArrayList<>(all);
    }

    /** Takes a watch in; its head is still to be sent. The feed has been acquired for it. */
    void open(WatchConnection connection, FeedState from) {
        connection.allIndex = all.size();
        all.add(connection);
        loop.opened(connection, this);
        if (state == null) {
            adopt(from);
        } else if (state.epoch() < from.epoch()) {
            newEpoch(from);
        }
    }

    /** The head is out: the watch begins. */
    void begin(WatchConnection connection, ResponseStream stream) {
        connection.stream = stream;
        connection.format = new FrameFormat(stream.framing(), connection.representation, connection.isCompressed);
        if (connection.phase == Phase.ENDED) {
            loop.end(stream);
            return;
        }
        stream.onDrain(() -> drained(connection));
        connection.phase = connection.initial == null ? Phase.BEHIND : Phase.INITIAL;
        if (connection.endReason != null) {
            end(connection, connection.endReason, connection.lastLine);
        } else {
            catchUp.enter(connection);
        }
    }

    /** The client is gone. */
    void closed(WatchConnection connection) {
        if (connection.phase != Phase.ENDED) {
            if (connection.endReason == null) {
                connection.endReason = EndReason.CLIENT;
            }
            leave(connection);
        }
    }

    void bookmarkDue(WatchConnection connection) {
        if (!connection.bookmarkDue) {
            connection.bookmarkDue = true;
            bookmarksDue.add(connection);
            loop.enqueue(this);
        }
    }

    /** Ends a watch as the process stops. */
    void drain(WatchConnection connection) {
        if (connection.phase == Phase.IN_STEP && connection.bookmarks && isUpToDate()) {
            bookmark(List.of(connection));
        }
        end(connection, EndReason.DRAIN, null);
    }

    /** Cuts watches whose clients have taken nothing for {@code timeoutMillis}, and ends those that cannot come through. */
    void cutStuck(long nowMillis, long timeoutMillis) {
        for (int i = all.size() - 1; i >= 0; i--) {
            WatchConnection connection = all.get(i);
            if (connection.phase == Phase.INITIAL && catchUp.isLapped(connection)) {
                // However slowly the client goes on taking it, the state is held no longer than the log is.
                expire(connection, EndReason.LAPPED);
            }
            ResponseStream stream = connection.stream;
            if (stream == null || stream.isWritable()) {
                connection.taken = -1;
                continue;
            }
            long taken = stream.taken();
            if (taken != connection.taken) {
                connection.taken = taken;
                connection.takenMillis = nowMillis;
            } else if (nowMillis - connection.takenMillis >= timeoutMillis) {
                connection.endReason = EndReason.WRITE_TIMEOUT;
                leave(connection);
                stream.abort();
            }
        }
    }

    // ---- the work

    /**
     * Works until {@code untilNanos} or until there is nothing to do.
     *
     * @return whether there is more
     */
    boolean runSlice(long untilNanos) {
        if (all.isEmpty()) {
            return false;
        }
        if (feed.ended() != null) {
            endAll(feed.ended());
            return false;
        }
        FeedState latest = feed.state();
        if (latest.epoch() != state.epoch()) {
            newEpoch(latest);
        }
        state = latest;
        while (true) {
            if (pass.isOpen() || nextGroup < touched.size()) {
                runPass(untilNanos);
            } else if (othersTurn) {
                othersTurn = false;
                catchUp.admitAhead();
                catchUp.advanceSome(untilNanos);
            } else if (pollBatch()) {
                othersTurn = true;
            } else {
                sendBookmarks();
                catchUp.admitAhead();
                if (catchUp.isIdle()) {
                    return false;
                }
                catchUp.advanceSome(untilNanos);
            }
            if (all.isEmpty()) {
                return false;
            }
            if (System.nanoTime() >= untilNanos) {
                return true;
            }
        }
    }

    private void adopt(FeedState from) {
        catchUp.startOver();
        state = from;
        cursor = from.startAtEnd();
    }

    /** Takes the next batch from the log and decides who gets what of it. */
    private boolean pollBatch() {
        if (isNobodyInStep()) {
            cursor.moveTo(state.position().sequence() + 1);
            return false;
        }
        EventBatch batch = loop.batch();
        PollResult result = cursor.poll(state.position().sequence(), batch, BATCH_BYTES);
        if (result == PollResult.EXPIRED) {
            lapAllInStep();
            return false;
        }
        if (result != PollResult.EVENTS) {
            return false;
        }
        touched.clear();
        nextGroup = 0;
        batchFrom = batch.get(0).sequence();
        for (FilterGroups<WatchConnection> ofFormat : groups.values()) {
            ofFormat.dispatch(batch, touched);
        }
        batch.clear();
        return true;
    }

    private boolean isNobodyInStep() {
        for (FilterGroups<WatchConnection> ofFormat : groups.values()) {
            if (ofFormat.size() > 0) {
                return false;
            }
        }
        return true;
    }

    private void runPass(long untilNanos) {
        if (!pass.isOpen()) {
            pass.open(touched.get(nextGroup));
        }
        if (pass.run(untilNanos)) {
            nextGroup++;
        }
    }

    private void drained(WatchConnection connection) {
        switch (connection.phase) {
            case INITIAL, MARK, BEHIND -> catchUp.drained(connection);
            case ENDING -> finish(connection);
            default -> {}
        }
    }

    // ---- in step

    /** Takes a watch in that has come to where the others are. */
    void join(WatchConnection connection) {
        assert connection.cursor.next() == cursor.next() : "joins where the others are, and nowhere else";
        connection.phase = Phase.IN_STEP;
        FilterGroup<WatchConnection> group = groups.computeIfAbsent(connection.format, format -> new FilterGroups<>())
                .join(connection.scope, connection);
        connection.group = group;
        connection.groupIndex = group.watchers().size() - 1;
    }

    /** Takes a watch out of its group; its events come from {@code next} on. */
    void fallBehind(WatchConnection connection, long next) {
        leaveGroup(connection);
        connection.phase = Phase.BEHIND;
        connection.cursor.moveTo(next);
        catchUp.enter(connection);
    }

    private void leaveGroup(WatchConnection connection) {
        FilterGroup<WatchConnection> group = connection.group;
        if (group == null) {
            return;
        }
        List<WatchConnection> watchers = group.watchers();
        if (pass.isOn(group)) {
            pass.takeOut(connection);
        } else {
            WatchConnection last = watchers.remove(watchers.size() - 1);
            if (last != connection) {
                watchers.set(connection.groupIndex, last);
                last.groupIndex = connection.groupIndex;
            }
            if (group.pending().isEmpty()) {
                group.closeIfEmpty();
            }
        }
        connection.group = null;
        connection.groupIndex = -1;
    }

    /** The loop has been lapped, and with it all that are in step. */
    private void lapAllInStep() {
        for (WatchConnection connection : new ArrayList<>(all)) {
            if (connection.phase == Phase.IN_STEP) {
                expire(connection, EndReason.LAPPED);
            }
        }
        cursor.moveTo(state.position().sequence() + 1);
    }

    private boolean isUpToDate() {
        return !pass.isOpen()
                && nextGroup >= touched.size()
                && cursor.next() == state.position().sequence() + 1;
    }

    /** Sends the bookmarks that are due: everything up to the position has been written to whoever is in step. */
    private void sendBookmarks() {
        if (bookmarksDue.isEmpty() || !isUpToDate()) {
            return;
        }
        List<WatchConnection> due = new ArrayList<>(bookmarksDue);
        bookmarksDue.clear();
        due.forEach(connection -> connection.bookmarkDue = false);
        bookmark(due);
    }

    private void bookmark(List<WatchConnection> due) {
        long version = state.position().resourceVersion();
        List<Line> bookmark = List.of(feed.bookmarks().line(version, false));
        for (FrameFormat format : groups.keySet()) {
            Frame frame = null;
            for (WatchConnection connection : due) {
                if (connection.phase == Phase.IN_STEP
                        && connection.format.equals(format)
                        && connection.stream.isWritable()
                        && version > connection.knownVersion) {
                    if (frame == null) {
                        frame = loop.frames().frame(format, bookmark);
                    }
                    connection.stream.write(frame, 0);
                    connection.shown = version;
                    if (!connection.stream.isWritable()) {
                        fallBehind(connection, cursor.next());
                    }
                }
            }
            if (frame != null) {
                frame.release();
            }
        }
    }

    // ---- ends

    /** Ends a watch with 410. */
    void expire(WatchConnection connection, EndReason reason) {
        long oldest = Math.max(state.window().oldest(), connection.shown + 1);
        end(
                connection,
                reason,
                connection.representation.error(StatusBody.tooOldResourceVersion(connection.shown, oldest)));
    }

    /** Ends a watch, after what its client has begun to take, and with {@code lastLine} if that is not null. */
    void end(WatchConnection connection, EndReason reason, byte[] lastLine) {
        if (connection.isEnded()) {
            return;
        }
        connection.endReason = reason;
        connection.lastLine = lastLine;
        if (connection.phase == Phase.OPENING) {
            return;
        }
        leaveGroup(connection);
        catchUp.leave(connection);
        connection.cursor = null;
        connection.phase = Phase.ENDING;
        if (connection.stream.isWritable()) {
            finish(connection);
        }
    }

    /** Sends the last line, and then, at once or when the client has taken that, the end. */
    private void finish(WatchConnection connection) {
        ResponseStream stream = connection.stream;
        if (connection.lastLine != null) {
            Frame frame = loop.frames().frame(connection.format, connection.lastLine, 0);
            connection.lastLine = null;
            stream.write(frame, 0);
            frame.release();
            if (!stream.isWritable()) {
                return;
            }
        }
        leave(connection);
        loop.end(stream);
    }

    /** The state does not follow from what the watches have: all of them start over. */
    private void newEpoch(FeedState latest) {
        abandonBatch();
        for (WatchConnection connection : new ArrayList<>(all)) {
            if (!connection.isEnded() && connection.cursor.log() != latest.log()) {
                expire(connection, EndReason.NEW_EPOCH);
            }
        }
        adopt(latest);
    }

    private void endAll(Throwable cause) {
        abandonBatch();
        for (WatchConnection connection : new ArrayList<>(all)) {
            if (cause instanceof UpstreamStatusException refusal && refusal.code() == 403) {
                end(connection, EndReason.FEED_ENDED, connection.representation.error(refusal));
            } else if (!connection.isEnded()) {
                expire(connection, EndReason.FEED_ENDED);
            }
        }
    }

    /** Its work has failed and left who knows what half done: the clients are cut, and go on from what they have seen. */
    void fail() {
        abandonBatch();
        for (WatchConnection connection : watches()) {
            ResponseStream stream = connection.stream;
            connection.endReason = EndReason.INTERNAL_ERROR;
            leave(connection);
            if (stream != null) {
                stream.abort();
            }
        }
    }

    private void abandonBatch() {
        if (pass.isOpen()) {
            pass.close();
        }
        for (; nextGroup < touched.size(); nextGroup++) {
            touched.get(nextGroup).clear();
            touched.get(nextGroup).closeIfEmpty();
        }
        touched.clear();
        nextGroup = 0;
    }

    /** The watch is over: it is let go of everywhere. */
    private void leave(WatchConnection connection) {
        leaveGroup(connection);
        catchUp.leave(connection);
        connection.phase = Phase.ENDED;
        connection.cursor = null;
        WatchConnection last = all.remove(all.size() - 1);
        if (last != connection) {
            all.set(connection.allIndex, last);
            last.allIndex = connection.allIndex;
        }
        loop.ended(connection);
        if (connection.stream != null) {
            connection.stream.onDrain(() -> {});
            connection.stream = null;
        }
        if (connection.endReason.isClientsOwn()) {
            LOG.debug("watch ended {} {} {}", feed.key(), connection.scope, connection.endReason.label());
        } else {
            LOG.info(
                    "watch ended resource={} scope={} resourceVersion={} reason={}",
                    feed.key(),
                    connection.scope,
                    connection.shown,
                    connection.endReason.label());
        }
        feed.release();
        if (all.isEmpty()) {
            abandonBatch();
            feed.removeListener(this);
            loop.forget(feed);
        }
    }
}
