package io.watchfan.proxy.watch;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.group.EventTransition;
import io.watchfan.fanout.group.IndexTerm;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.group.ReplayIndex;
import io.watchfan.fanout.group.SnapshotIndex;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.PollResult;
import io.watchfan.fanout.log.Position;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.fanout.store.StoreSnapshot;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.stream.Frame;
import io.watchfan.proxy.stream.FrameBuilder;
import io.watchfan.proxy.stream.FrameFormat;
import io.watchfan.proxy.stream.ResponseStream;
import io.watchfan.proxy.watch.WatchConnection.Phase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The watches of one feed on one event loop that are not in step: those that are being sent a state, and those that are behind
 * in the log. Each gets a portion at a time, in turns, as its client takes them, until it has come to where the others are.
 * What is looked up and framed for one serves all of its scope that come to the same place, while they do. Those that are sent
 * the same large state are kept together for that: they wait a moment for each other at the beginning, and who gets so far
 * ahead that what was framed for it would be let go of before others have come for it is held, for a bounded time.
 *
 * <p>Confined to its event loop.
 */
final class CatchUp {
    /** What a watch that is behind gets at a time. */
    private static final int PORTION_BYTES = 64 << 10;
    /** How many objects of a state are looked at for a portion at most. */
    private static final int PORTION_OBJECTS = 4096;
    /** Newcomers to a state of so many objects may begin at one that is a moment old, to have company. */
    private static final int LARGE_STATE = 1024;

    /** So long the first that is to be sent the whole of a state too large to be kept as portions waits for others. */
    private static final int GATHER_MILLIS = 50;
    /** So long a watch is held at a time that is about to leave others of its party too far behind. */
    private static final int HOLD_MILLIS = 10;
    /** So long it is held in all, about, and a part of the time that it has taken: those behind may take nothing, or little. */
    private static final int MOST_HELD_MILLIS = 1000;

    private static final int HELD_PART = 4;

    private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LoopDispatcher loop;
    private final ResourceFeed feed;
    private final FeedDispatcher inStep;
    private final SharedPortions shared;
    private final SharedPortions.Parties parties;
    private final ReplayIndex replays = new ReplayIndex();
    private final SnapshotIndex states = new SnapshotIndex();
    private final ArrayDeque<WatchConnection> ready = new ArrayDeque<>();
    private final ArrayList<WatchConnection> ahead = new ArrayList<>();
    private final WaitingWatches gathering;
    private final WaitingWatches held;
    /** The lines of the portion that is being made. */
    private final ArrayList<Line> lines = new ArrayList<>();

    /** The least version that one must not know who is to get the events of the log from one sequence through another. */
    private long leastPending = Long.MAX_VALUE;

    private long pendingFrom = -1;
    private long pendingThrough = -1;

    private FeedState lastBegin;
    private long lastBeginNanos;
    private boolean used;

    /**
     * A place in a state.
     *
     * @param after the object before it; null at the beginning
     */
    private record StatePlace(StoreSnapshot state, ObjectKey after) {}

    CatchUp(LoopDispatcher loop, ResourceFeed feed, FeedDispatcher inStep) {
        this.loop = loop;
        this.feed = feed;
        this.inStep = inStep;
        this.shared = loop.portions();
        this.parties = shared.new Parties();
        this.gathering = new WaitingWatches(loop, GATHER_MILLIS, this::goOn);
        this.held = new WaitingWatches(loop, HOLD_MILLIS, this::goOn);
    }

    /**
     * The state that a newcomer begins at.
     *
     * @param present a state that would do
     * @param atLeast the least version that it may be of
     */
    FeedState beginning(FeedState present, long atLeast) {
        long now = System.nanoTime();
        if (lastBegin != null
                && now - lastBeginNanos < MOMENT_NANOS
                && lastBegin.epoch() == present.epoch()
                && lastBegin.position().resourceVersion() >= atLeast
                && lastBegin.position().sequence() + 1 >= present.log().oldest()
                && present.position().objects().size() >= LARGE_STATE) {
            return lastBegin;
        }
        lastBegin = present;
        lastBeginNanos = now;
        return present;
    }

    /** Takes in a watch that is to be sent a state, or events from its own cursor on. */
    void enter(WatchConnection connection) {
        connection.party = parties.join(connection.format, connection.scope, connection.initial);
        connection.initialNanos = System.nanoTime();
        if (connection.phase == Phase.INITIAL && connection.term == null && feed.bytes() > shared.mostBytes()) {
            gathering.add(connection);
        } else if (connection.stream.isWritable()) {
            makeReady(connection);
        }
    }

    /** It has waited for others that are being sent the same state. */
    private void goOn(WatchConnection connection) {
        if (connection.phase == Phase.INITIAL && connection.stream.isWritable()) {
            makeReady(connection);
        }
    }

    /** Lets go of a watch, if it is here. */
    void leave(WatchConnection connection) {
        if (connection.party != null) {
            shared.leave(connection.party, connection.initialBytes);
            connection.party = null;
        }
        connection.initial = null;
    }

    /** The client of a watch that is here has taken what it was sent. */
    void drained(WatchConnection connection) {
        makeReady(connection);
    }

    private void makeReady(WatchConnection connection) {
        if (!connection.queued) {
            connection.queued = true;
            ready.add(connection);
        }
        loop.enqueue(inStep);
    }

    /** Whether no watch could go on. */
    boolean isIdle() {
        return ready.isEmpty();
    }

    /** The log, or what it told, is another one. */
    void startOver() {
        replays.clear();
        states.clear();
        parties.clear();
        lastBegin = null;
        pendingFrom = -1;
    }

    /** Lets go of what was made for watches that were behind, when none has been for a while. */
    void rest(FeedState state) {
        if (!used) {
            replays.clear();
            states.clear();
            lastBegin = null;
        } else if (state != null) {
            replays.trim(state.log().oldest());
        }
        used = false;
    }

    /**
     * Whether what the watch has to get next has left the log. Where that is what it knows, as may be when its state was listed
     * ahead of the feed, it goes on behind that.
     */
    boolean isLapped(WatchConnection connection) {
        EventCursor cursor = connection.cursor;
        if (cursor.next() >= cursor.log().oldest()) {
            return false;
        }
        EventCursor behind =
                connection.shown > connection.knownVersion || feed.state().log() != cursor.log()
                        ? null
                        : feed.state().startAt(connection.knownVersion);
        if (behind == null || behind.next() < cursor.log().oldest()) {
            return true;
        }
        connection.cursor = behind;
        return false;
    }

    /** Lets some of the watches that are ready go on. */
    void advanceSome(long untilNanos) {
        for (int n = ready.size(); n > 0; n--) {
            WatchConnection connection = ready.poll();
            if (connection == null) {
                return;
            }
            connection.queued = false;
            if (connection.isEnded() || !connection.stream.isWritable()) {
                continue;
            }
            used = true;
            switch (connection.phase) {
                case INITIAL -> sendState(connection);
                case MARK -> sendMark(connection);
                case BEHIND -> sendBehind(connection);
                default -> {}
            }
            if (System.nanoTime() >= untilNanos) {
                return;
            }
        }
    }

    /** Sends the next portion of a state: a unit, which the stream takes whole, if not at once. */
    private void sendState(WatchConnection connection) {
        if (isLapped(connection)) {
            inStep.expire(connection, EndReason.LAPPED);
            return;
        }
        SharedPortions.Party party = connection.party;
        StatePlace place = new StatePlace(connection.initial, connection.initialAfter);
        Portion.OfState portion = (Portion.OfState) shared.take(party, place);
        if (portion == null && isAboutToLeaveOthers(connection) && mayBeHeld(connection)) {
            connection.heldMillis += HOLD_MILLIS;
            held.add(connection);
            return;
        }
        if (portion == null) {
            portion = frameState(connection.format, connection.scope, place);
            if (party.isShared()) {
                shared.keep(party, place, portion);
            }
        }
        int bytes = portion.frame().capacity();
        write(connection, portion.frame());
        portion.frame().release();
        if (connection.isEnded()) {
            return;
        }
        connection.initialAfter = portion.through();
        party.movesOn(connection.initialBytes, bytes);
        connection.initialBytes += bytes;
        if (portion.isLast()) {
            shared.leave(party, connection.initialBytes);
            connection.party = parties.join(connection.format, connection.scope, null);
            connection.initial = null;
            connection.initialAfter = null;
            connection.phase = connection.marksEnd ? Phase.MARK : Phase.BEHIND;
        }
        if (connection.stream.isWritable()) {
            makeReady(connection);
        }
    }

    /** Whether what was framed for it would be let go of before others have come for it who are near enough to be served by it. */
    private boolean isAboutToLeaveOthers(WatchConnection connection) {
        long most = shared.mostBytes();
        return connection.party.isFirstAndFollowed(connection.initialBytes, most - most / 4, most);
    }

    private static boolean mayBeHeld(WatchConnection connection) {
        long taken = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - connection.initialNanos);
        return connection.heldMillis < MOST_HELD_MILLIS + taken / HELD_PART;
    }

    private Portion.OfState frameState(FrameFormat format, WatchScope scope, StatePlace from) {
        ObjectKey through = from.after();
        Iterator<StoredObject> objects = objects(from, scope);
        int bytes = 0;
        boolean full = false;
        for (int seen = 0; seen < PORTION_OBJECTS && objects.hasNext(); seen++) {
            StoredObject object = objects.next();
            if (scope.matches(object.namespace(), object.name(), object.labels(), object.fieldValues())) {
                Line line = Line.initial(object);
                bytes += format.lines().mostBytes(line);
                full = bytes > FrameBuilder.UNIT_BYTES && !lines.isEmpty();
                if (full) {
                    break;
                }
                lines.add(line);
            }
            through = object.key();
        }
        return new Portion.OfState(framed(format), through, !full && !objects.hasNext());
    }

    private Frame framed(FrameFormat format) {
        try {
            return loop.frames().frame(format, lines);
        } finally {
            lines.clear();
        }
    }

    /** The objects that those of {@code scope} are among, in key order. */
    private Iterator<StoredObject> objects(StatePlace from, WatchScope scope) {
        String namespace = feed.resource().namespaced() ? scope.namespace() : "";
        if (scope.name() == null || namespace == null) {
            return states.objects(from.state(), IndexTerm.of(scope), from.after());
        }
        StoredObject only = from.after() == null ? from.state().get(new ObjectKey(namespace, scope.name())) : null;
        return only == null ? Collections.emptyIterator() : List.of(only).iterator();
    }

    /** Sends the bookmark that says that the state has been sent. */
    private void sendMark(WatchConnection connection) {
        Line mark = feed.bookmarks().line(connection.knownVersion, true);
        Frame frame = loop.frames().frame(connection.format, List.of(mark));
        write(connection, frame);
        frame.release();
        if (connection.isEnded()) {
            return;
        }
        connection.phase = Phase.BEHIND;
        if (connection.stream.isWritable()) {
            makeReady(connection);
        }
    }

    private void sendBehind(WatchConnection connection) {
        if (inStep.state().gaps().strictlyInside(connection.knownVersion)) {
            inStep.expire(connection, EndReason.EXPIRED);
            return;
        }
        SharedPortions.Party party = connection.party;
        Long place = connection.cursor.next();
        Portion.OfLog portion = (Portion.OfLog) shared.take(party, place);
        if (portion != null && !portion.isFor(connection)) {
            portion.frame().release();
            portion = null;
        }
        if (portion == null) {
            EventBatch batch = loop.batch();
            PollResult outcome = poll(connection, batch);
            if (outcome != PollResult.EVENTS) {
                comeThrough(connection, outcome);
                return;
            }
            portion = frameLog(connection, batch);
            batch.clear();
            if (party.isShared() && portion.leastKnownAt() > 0) {
                shared.keep(party, place, portion);
            }
        }
        Frame frame = portion.frame();
        int unit = write(connection, frame);
        boolean whole = unit == frame.units();
        long next = whole ? portion.next() : unit > 0 ? frame.sequence(unit - 1) + 1 : place;
        frame.release();
        if (connection.isEnded()) {
            return;
        }
        connection.cursor.moveTo(next);
        if (connection.stream.isWritable()) {
            makeReady(connection);
        }
    }

    private PollResult poll(WatchConnection connection, EventBatch into) {
        long through = inStep.cursor().next() - 1;
        return connection.term == null
                ? connection.cursor.poll(through, into, PORTION_BYTES)
                : replays.poll(connection.cursor, through, connection.term, into);
    }

    /** Frames what the watch gets of {@code events}. A portion that is for nobody else has 0 as what must not be known. */
    private Portion.OfLog frameLog(WatchConnection connection, EventBatch events) {
        long next = connection.cursor.next();
        long leastKnownAt = Long.MAX_VALUE;
        long leastShown = Long.MAX_VALUE;
        boolean isForOthers = true;
        int bytes = 0;
        for (int i = 0; i < events.size(); i++) {
            WatchEvent event = events.get(i);
            if (bytes >= PORTION_BYTES) {
                next = event.sequence();
                break;
            }
            Line line = EventTransition.of(event, connection.scope, connection.shown);
            if (line == null) {
                continue;
            }
            if (event.knownAt() <= connection.knownVersion) {
                isForOthers = false;
                continue;
            }
            isForOthers &= line.resourceVersion() == event.resourceVersion();
            leastKnownAt = Math.min(leastKnownAt, event.knownAt());
            leastShown = Math.min(leastShown, event.resourceVersion());
            bytes += connection.format.lines().mostBytes(line);
            lines.add(line);
        }
        return new Portion.OfLog(framed(connection.format), next, isForOthers ? leastKnownAt : 0, leastShown);
    }

    private void comeThrough(WatchConnection connection, PollResult outcome) {
        if (outcome == PollResult.EXPIRED && !isLapped(connection)) {
            makeReady(connection);
        } else if (outcome != PollResult.CAUGHT_UP) {
            inStep.expire(connection, EndReason.LAPPED);
        } else if (connection.cursor.next() > inStep.cursor().next() || !mayJoin(connection)) {
            // Who began at a state that the others have not come to yet must not get what leads to it.
            ahead.add(connection);
        } else {
            leave(connection);
            inStep.join(connection);
        }
    }

    /** Whether all that those in step are still to get is news to the watch: in step nobody looks whether it is. */
    private boolean mayJoin(WatchConnection connection) {
        Position position = inStep.state().position();
        long next = inStep.cursor().next();
        if (next != pendingFrom || position.sequence() != pendingThrough) {
            pendingFrom = next;
            pendingThrough = position.sequence();
            leastPending = Long.MAX_VALUE;
            EventCursor pending = inStep.cursor().log().cursorAt(next);
            for (WatchEvent event = pending.take(pendingThrough); event != null; event = pending.take(pendingThrough)) {
                leastPending = Math.min(leastPending, event.knownAt());
            }
        }
        return connection.knownVersion <= position.resourceVersion() && connection.knownVersion < leastPending;
    }

    /** Watches that are ahead of those in step, or of the feed, are looked at again when there is something new. */
    void admitAhead() {
        if (ahead.isEmpty()) {
            return;
        }
        long others = inStep.cursor().next();
        ahead.removeIf(connection -> {
            if (connection.phase != Phase.BEHIND) {
                return true;
            }
            long next = connection.cursor.next();
            boolean due = next < others || next == others && mayJoin(connection);
            if (due) {
                makeReady(connection);
            }
            return due;
        });
    }

    /** Writes what the stream takes of {@code frame}; the first unit that it did not take. */
    private int write(WatchConnection connection, Frame frame) {
        ResponseStream stream = connection.stream;
        int unit = 0;
        while (unit < frame.units() && stream.isWritable()) {
            unit = stream.write(frame, unit);
        }
        if (unit > 0) {
            connection.shown = Math.max(connection.shown, frame.version(unit - 1));
            inStep.delivered(frame.linesOf(unit), frame.bytesOf(unit));
        }
        return unit;
    }
}
