package io.watchfan.fanout.log;

import static io.watchfan.fanout.TestObjects.object;
import static io.watchfan.fanout.TestObjects.objectOfSize;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import java.util.ArrayList;
import java.util.List;

/** A feed for tests of the ring: event s changes one object at version {@code FIRST + STEP * s}. */
final class LogDriver {
    /** The version of the state that the log starts from. */
    static final long FIRST = 1000;

    /** The distance between versions: those between are not of this resource. */
    static final long STEP = 10;

    final FeedWriter writer;
    private long now;

    LogDriver(LogLimits limits) {
        writer = new FeedWriter(limits);
        writer.reset(FIRST, List.of());
    }

    static LogDriver ofEvents(int maxEvents) {
        return new LogDriver(new LogLimits(maxEvents, Long.MAX_VALUE, Long.MAX_VALUE));
    }

    static long versionOf(long sequence) {
        return FIRST + STEP * sequence;
    }

    /** Appends so many events, and publishes each. */
    LogDriver append(int count) {
        for (int i = 0; i < count; i++) {
            write(object("a/x", next()));
        }
        return this;
    }

    /** Appends one event of this size at this time, and publishes it. */
    LogDriver append(int bytes, long nowNanos) {
        now = nowNanos;
        write(objectOfSize("a/x", next(), bytes));
        return this;
    }

    private void write(StoredObject object) {
        writer.upsert(object, now);
        writer.publish();
    }

    private long next() {
        return writer.resourceVersion() + STEP;
    }

    FeedState state() {
        return writer.state();
    }

    /** The sequences from where a holder of {@code version} starts to the end; null when it cannot start. */
    static List<Long> sequencesFrom(FeedState state, long version) {
        EventCursor cursor = state.startAt(version);
        return cursor == null ? null : drain(state, cursor);
    }

    static List<Long> drain(FeedState state, EventCursor cursor) {
        List<Long> sequences = new ArrayList<>();
        WatchEvent event;
        while ((event = cursor.take(state.position().sequence())) != null) {
            sequences.add(event.sequence());
        }
        return sequences;
    }
}
