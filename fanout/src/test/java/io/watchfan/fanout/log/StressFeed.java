package io.watchfan.fanout.log;

import io.watchfan.fanout.TestObjects;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import java.util.List;
import java.util.stream.IntStream;

/** A small feed for the stress tests: event s writes {@code OBJECTS[s]}, all at one key, at version {@code START + 10 * s}. */
final class StressFeed {
    /** The version of the state that the log starts from. */
    static final long START = 100;

    /** The object that event s writes; shared by all trials, since it is immutable. */
    static final StoredObject[] OBJECTS = IntStream.range(0, 2000)
            .mapToObj(s -> TestObjects.object("a/x", versionOf(s)))
            .toArray(StoredObject[]::new);

    private StressFeed() {}

    static long versionOf(long sequence) {
        return START + 10 * sequence;
    }

    static FeedWriter of(int maxEvents) {
        FeedWriter writer = new FeedWriter(new LogLimits(maxEvents, Long.MAX_VALUE, Long.MAX_VALUE));
        writer.reset(START, List.of());
        return writer;
    }

    /** Writes the events of these sequences, and publishes each. */
    static void write(FeedWriter writer, int from, int to) {
        for (int s = from; s <= to; s++) {
            writer.upsert(OBJECTS[s], 0);
            writer.publish();
        }
    }

    static boolean isRight(WatchEvent event, long sequence) {
        return event.sequence() == sequence && event.object() == OBJECTS[(int) sequence];
    }

    /** What a start at {@code version} came to, when the first event unknown to its holder is that of {@code sequence}. */
    static String admission(FeedState state, long version, long sequence) {
        EventCursor cursor = state.startAt(version);
        if (cursor == null) {
            return "refused";
        }
        long through = state.position().sequence();
        WatchEvent event = cursor.take(through);
        while (event != null && event.knownAt() <= version) {
            event = cursor.take(through);
        }
        if (event == null) {
            return cursor.outcome(through).toString();
        }
        return event.sequence() == sequence ? "first" : "skipped";
    }
}
