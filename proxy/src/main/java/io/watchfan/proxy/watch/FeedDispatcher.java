package io.watchfan.proxy.watch;

import io.micrometer.core.instrument.Counter;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.group.EventTransition;
import io.watchfan.fanout.group.FilterGroup;
import io.watchfan.fanout.group.FilterGroups;
import io.watchfan.fanout.group.IndexTerm;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.group.ReplayIndex;
import io.watchfan.fanout.group.SnapshotIndex;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.PollResult;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.fanout.store.StoreSnapshot;
import io.watchfan.proxy.feed.FeedListener;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.stream.Frame;
import io.watchfan.proxy.stream.FrameBuilder;
import io.watchfan.proxy.stream.Framing;
import io.watchfan.proxy.stream.ResponseStream;
import io.watchfan.proxy.upstream.UpstreamStatusException;
import io.watchfan.proxy.watch.WatchConnection.Phase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
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
    /** What a watch that is behind gets at a time. */
    private static final int PORTION_BYTES = 64 << 10;
    /** How many objects of an initial state are sent at a time at most. */
    private static final int PORTION_EVENTS = 4096;

    private final LoopDispatcher loop;
    private final ResourceFeed feed;
    private final Counter deliveries;
    private final AtomicBoolean rung = new AtomicBoolean();
    /** By framing, so that one frame fits all watches of a group. */
    private final Map<Framing, FilterGroups<WatchConnection>> groups = new EnumMap<>(Framing.class);

    private final ArrayList<WatchConnection> all = new ArrayList<>();
    private final ArrayDeque<WatchConnection> ready = new ArrayDeque<>();
    private final ArrayList<WatchConnection> ahead = new ArrayList<>();
    private final ArrayList<WatchConnection> bookmarksDue = new ArrayList<>();
    private final ReplayIndex replays = new ReplayIndex();
    private final SnapshotIndex states = new SnapshotIndex();
    private final ArrayList<FilterGroup<WatchConnection>> touched = new ArrayList<>();
    private final Pass pass = new Pass();

    private FeedState state;
    private EventCursor cursor;
    private long batchFrom;
    private int nextGroup;
    private boolean othersTurn;
    private boolean replaying;
    private boolean queued;

    FeedDispatcher(LoopDispatcher loop, ResourceFeed feed) {
        this.loop = loop;
        this.feed = feed;
        this.deliveries = loop.metrics().deliveries(feed.key().toString());
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

    /** The objects that an initial state of {@code scope} is among, in key order. */
    Iterator<StoredObject> initial(StoreSnapshot objects, WatchScope scope) {
        replaying = true;
        String namespace = feed.resource().namespaced() ? scope.namespace() : "";
        return scope.name() != null && namespace != null
                ? SnapshotIndex.only(objects, new ObjectKey(namespace, scope.name()))
                : states.objects(objects, IndexTerm.of(scope));
    }

    /** Lets go of what was made for watches that were behind, when none has been for a while. */
    void rest() {
        if (!replaying) {
            replays.clear();
            states.clear();
        } else if (state != null) {
            replays.trim(state.log().oldest());
        }
        replaying = false;
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
        if (connection.phase == Phase.ENDED) {
            stream.end();
            return;
        }
        stream.onDrain(() -> drained(connection));
        connection.phase = connection.initial == null ? Phase.BEHIND : Phase.INITIAL;
        if (connection.endReason != null) {
            end(connection, connection.endReason, connection.lastLine);
        } else {
            makeReady(connection);
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

    /** Cuts watches whose clients have taken nothing for {@code timeoutMillis}. */
    void cutStuck(long nowMillis, long timeoutMillis) {
        for (int i = all.size() - 1; i >= 0; i--) {
            WatchConnection connection = all.get(i);
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
                admitAhead();
                advanceSome(untilNanos);
            } else if (pollBatch()) {
                othersTurn = true;
            } else {
                sendBookmarks();
                admitAhead();
                if (ready.isEmpty()) {
                    return false;
                }
                advanceSome(untilNanos);
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
        replays.clear();
        states.clear();
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
        for (FilterGroups<WatchConnection> ofFraming : groups.values()) {
            ofFraming.dispatch(batch, touched);
        }
        batch.clear();
        return true;
    }

    private boolean isNobodyInStep() {
        for (FilterGroups<WatchConnection> ofFraming : groups.values()) {
            if (ofFraming.size() > 0) {
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

    /** Lets some of the watches that are ready go on. */
    private void advanceSome(long untilNanos) {
        for (int n = ready.size(); n > 0; n--) {
            WatchConnection connection = ready.poll();
            if (connection == null) {
                return;
            }
            connection.queued = false;
            if (connection.isEnded() || !connection.stream.isWritable()) {
                continue;
            }
            switch (connection.phase) {
                case INITIAL -> sendInitial(connection);
                case MARK -> sendMark(connection);
                case BEHIND -> sendBehind(connection);
                default -> {}
            }
            if (System.nanoTime() >= untilNanos) {
                return;
            }
        }
    }

    private void makeReady(WatchConnection connection) {
        if (!connection.queued) {
            connection.queued = true;
            ready.add(connection);
        }
        loop.enqueue(this);
    }

    private void drained(WatchConnection connection) {
        switch (connection.phase) {
            case INITIAL, MARK, BEHIND -> makeReady(connection);
            case ENDING -> finish(connection);
            default -> {}
        }
    }

    /**
     * Sends the next portion of an initial state: one unit, which the stream takes whole, since there is no log to take it
     * from again.
     */
    private void sendInitial(WatchConnection connection) {
        FrameBuilder frames = loop.frames();
        frames.begin(connection.stream.framing(), FrameBuilder.UNIT_BYTES);
        int seen = 0;
        while (seen++ < PORTION_EVENTS) {
            StoredObject object = connection.nextInitial();
            if (object == null) {
                break;
            }
            Line line = Line.initial(object);
            if (!frames.fits(line)) {
                connection.carried = object;
                break;
            }
            frames.add(line);
        }
        write(connection, frames.end());
        frames.release();
        if (connection.isEnded()) {
            return;
        }
        if (connection.carried == null && !connection.initial.hasNext()) {
            connection.initial = null;
            connection.phase = connection.marksEnd ? Phase.MARK : Phase.BEHIND;
        }
        if (connection.stream.isWritable()) {
            makeReady(connection);
        }
    }

    private void sendMark(WatchConnection connection) {
        FrameBuilder frames = loop.frames();
        frames.begin(connection.stream.framing(), 1024);
        frames.add(feed.bookmarks().line(connection.knownVersion, true), connection.knownVersion);
        write(connection, frames.end());
        frames.release();
        if (connection.isEnded()) {
            return;
        }
        connection.phase = Phase.BEHIND;
        if (connection.stream.isWritable()) {
            makeReady(connection);
        }
    }

    /** Writes what the stream takes of {@code frame}; the first unit that it did not take. */
    private int write(WatchConnection connection, Frame frame) {
        int unit = 0;
        while (unit < frame.units() && connection.stream.isWritable()) {
            unit = connection.stream.write(frame, unit);
        }
        if (unit > 0) {
            connection.shown = Math.max(connection.shown, frame.version(unit - 1));
            deliveries.increment(frame.linesOf(unit));
            loop.metrics().bytesOut().increment(frame.bytesOf(unit));
        }
        return unit;
    }

    private void sendBehind(WatchConnection connection) {
        if (state.gaps().strictlyInside(connection.knownVersion)) {
            expire(connection, EndReason.EXPIRED);
            return;
        }
        long through = cursor.next() - 1;
        EventBatch replayed = loop.batch();
        PollResult outcome = connection.term == null
                ? connection.cursor.poll(through, replayed, PORTION_BYTES)
                : replays.poll(connection.cursor, through, connection.term, replayed);
        replaying = true;
        FrameBuilder frames = loop.frames();
        frames.begin(connection.stream.framing(), PORTION_BYTES);
        for (int i = 0; i < replayed.size(); i++) {
            WatchEvent event = replayed.get(i);
            if (frames.bytes() >= PORTION_BYTES) {
                connection.cursor.moveTo(event.sequence());
                break;
            }
            if (event.knownAt() > connection.knownVersion) {
                Line line = EventTransition.of(event, connection.scope, connection.shown);
                if (line != null) {
                    frames.add(line);
                }
            }
        }
        replayed.clear();
        Frame frame = frames.end();
        int unit = write(connection, frame);
        boolean whole = unit == frame.units();
        if (connection.isEnded()) {
            frames.release();
            return;
        }
        if (!whole && unit > 0) {
            connection.cursor.moveTo(frame.sequence(unit - 1) + 1);
        }
        frames.release();
        if (!whole || !connection.stream.isWritable()) {
            return;
        }
        switch (outcome) {
            case EXPIRED, CLOSED -> expire(connection, EndReason.LAPPED);
            case CAUGHT_UP -> {
                // Who began at a state that the others have not come to yet must not get what leads to it.
                if (connection.knownVersion > state.position().resourceVersion()
                        || connection.cursor.next() > cursor.next()) {
                    ahead.add(connection);
                } else {
                    join(connection);
                }
            }
            case EVENTS -> makeReady(connection);
        }
    }

    /** Watches that are ahead of those in step, or of the feed, are looked at again when there is something new. */
    private void admitAhead() {
        if (ahead.isEmpty()) {
            return;
        }
        long version = state.position().resourceVersion();
        ahead.removeIf(connection -> {
            if (connection.phase != Phase.BEHIND) {
                return true;
            }
            long next = connection.cursor.next();
            boolean due = next < cursor.next() || next == cursor.next() && connection.knownVersion <= version;
            if (due) {
                makeReady(connection);
            }
            return due;
        });
    }

    // ---- in step

    private void join(WatchConnection connection) {
        assert connection.cursor.next() == cursor.next() : "joins where the others are, and nowhere else";
        connection.phase = Phase.IN_STEP;
        FilterGroup<WatchConnection> group = groups.computeIfAbsent(
                        connection.stream.framing(), framing -> new FilterGroups<>())
                .join(connection.scope, connection);
        connection.group = group;
        connection.groupIndex = group.watchers().size() - 1;
    }

    /** Takes a watch out of its group; its events come from {@code next} on. */
    private void fallBehind(WatchConnection connection, long next) {
        leaveGroup(connection);
        connection.phase = Phase.BEHIND;
        connection.cursor.moveTo(next);
        if (connection.stream.isWritable()) {
            makeReady(connection);
        }
    }

    private void leaveGroup(WatchConnection connection) {
        FilterGroup<WatchConnection> group = connection.group;
        if (group == null) {
            return;
        }
        List<WatchConnection> watchers = group.watchers();
        if (pass.isOn(group)) {
            // The pass walks this list: the place stays, empty, until it is through.
            watchers.set(connection.groupIndex, null);
            pass.leftPlaces = true;
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
        for (Framing framing : Framing.values()) {
            FrameBuilder frames = loop.frames();
            Frame frame = null;
            for (WatchConnection connection : due) {
                if (connection.phase == Phase.IN_STEP
                        && connection.stream.framing() == framing
                        && connection.stream.isWritable()
                        && version > connection.knownVersion) {
                    if (frame == null) {
                        frames.begin(framing, 1024);
                        frames.add(feed.bookmarks().line(version, false), version);
                        frame = frames.end();
                    }
                    connection.stream.write(frame, 0);
                    connection.shown = version;
                    if (!connection.stream.isWritable()) {
                        fallBehind(connection, cursor.next());
                    }
                }
            }
            if (frame != null) {
                frames.release();
            }
        }
    }

    // ---- ends

    private void expire(WatchConnection connection, EndReason reason) {
        long oldest = Math.max(state.window().oldest(), connection.shown + 1);
        end(
                connection,
                reason,
                StatusBody.tooOldResourceVersion(connection.shown, oldest).errorEventLine());
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
        connection.initial = null;
        connection.carried = null;
        connection.cursor = null;
        connection.phase = Phase.ENDING;
        if (connection.stream.isWritable()) {
            finish(connection);
        }
    }

    private void finish(WatchConnection connection) {
        ResponseStream stream = connection.stream;
        if (connection.lastLine != null) {
            FrameBuilder frames = loop.frames();
            frames.begin(stream.framing(), 1024);
            frames.add(connection.lastLine, 0);
            stream.write(frames.end(), 0);
            frames.release();
        }
        leave(connection);
        stream.end();
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
                end(connection, EndReason.FEED_ENDED, Answers.errorLine(refusal));
            } else if (!connection.isEnded()) {
                expire(connection, EndReason.FEED_ENDED);
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
        connection.phase = Phase.ENDED;
        connection.initial = null;
        connection.carried = null;
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

    /** One frame on its way to the watches of a group. */
    private final class Pass {
        private final FrameBuilder builder = new FrameBuilder();
        private FilterGroup<WatchConnection> group;
        private Frame frame;
        private int next;
        private boolean leftPlaces;
        private long sentLines;
        private long sentBytes;

        boolean isOpen() {
            return group != null;
        }

        boolean isOn(FilterGroup<WatchConnection> which) {
            return group == which;
        }

        void open(FilterGroup<WatchConnection> which) {
            group = which;
            leftPlaces = false;
            next = 0;
            sentLines = 0;
            sentBytes = 0;
            if (which.watchers().isEmpty()) {
                return;
            }
            int bytes = 0;
            for (Line line : which.pending()) {
                bytes += line.source().bytes().length + 64;
            }
            builder.begin(which.watchers().get(0).stream.framing(), bytes);
            for (Line line : which.pending()) {
                builder.add(line);
            }
            frame = builder.end();
        }

        /** Goes on until {@code untilNanos}; whether it is through. */
        boolean run(long untilNanos) {
            List<WatchConnection> watchers = group.watchers();
            while (next < watchers.size()) {
                WatchConnection connection = watchers.get(next++);
                if (connection != null) {
                    deliver(connection);
                }
                if (next % 16 == 0 && System.nanoTime() >= untilNanos) {
                    return false;
                }
            }
            close();
            return true;
        }

        private void deliver(WatchConnection connection) {
            ResponseStream stream = connection.stream;
            int unit = 0;
            while (unit < frame.units() && stream.isWritable()) {
                unit = stream.write(frame, unit);
            }
            if (connection.isEnded()) {
                return;
            }
            if (unit == 0) {
                // Closed, and its end not heard of yet.
                fallBehind(connection, batchFrom);
                return;
            }
            sentLines += frame.linesOf(unit);
            sentBytes += frame.bytesOf(unit);
            connection.shown = frame.version(unit - 1);
            if (unit < frame.units()) {
                fallBehind(connection, frame.sequence(unit - 1) + 1);
            } else if (!stream.isWritable()) {
                fallBehind(connection, cursor.next());
            }
        }

        void close() {
            FilterGroup<WatchConnection> done = group;
            group = null;
            if (frame != null) {
                deliveries.increment((double) sentLines);
                loop.metrics().bytesOut().increment((double) sentBytes);
                builder.release();
                frame = null;
            }
            done.clear();
            if (leftPlaces) {
                closePlaces(done.watchers());
            }
            done.closeIfEmpty();
        }

        private void closePlaces(List<WatchConnection> watchers) {
            int kept = 0;
            for (WatchConnection connection : watchers) {
                if (connection != null) {
                    connection.groupIndex = kept;
                    watchers.set(kept++, connection);
                }
            }
            watchers.subList(kept, watchers.size()).clear();
        }
    }
}
