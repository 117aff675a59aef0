package io.watchfan.fanout.group;

import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.log.PollResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds, for watches that replay the log, the events that may concern their scopes, without looking at all the others. The log
 * is cut into segments; of a segment that is replayed a posting list is made for each axis that is asked for, at most once,
 * however many watches come. A replay by a term then costs what its events cost.
 *
 * <p>Segments are kept for a number of the last ones used, and let go of by {@link #clear} when nobody replays any more; what
 * they hold besides the posting lists are events of the log. Confined to one event loop.
 */
public final class ReplayIndex {
    /** Events in a segment. */
    static final int SEGMENT = 1024;

    private static final int MOST_SEGMENTS = 128;

    private final Map<Long, Segment> segments = new LinkedHashMap<>(16, 0.75f, true);
    private final EventBatch reading = new EventBatch(SEGMENT);

    /** The events of a segment, and where the values of each axis asked for stand among them. */
    private static final class Segment {
        private static final int[] NOWHERE = {};

        final WatchEvent[] events;
        final Map<IndexTerm.Axis, Map<String, int[]>> postings = new HashMap<>();

        Segment(WatchEvent[] events) {
            this.events = events;
        }

        int[] positions(IndexTerm term) {
            return postings.computeIfAbsent(term.axis(), this::build).getOrDefault(term.value(), NOWHERE);
        }

        private Map<String, int[]> build(IndexTerm.Axis axis) {
            Map<String, List<Integer>> found = new HashMap<>();
            for (int i = 0; i < events.length; i++) {
                WatchEvent event = events[i];
                String now = axis.valueOf(event.object());
                if (now != null) {
                    found.computeIfAbsent(now, v -> new ArrayList<>(4)).add(i);
                }
                String before = event.previous() == null ? null : axis.valueOf(event.previous());
                if (before != null && !before.equals(now)) {
                    found.computeIfAbsent(before, v -> new ArrayList<>(4)).add(i);
                }
            }
            Map<String, int[]> lists = new HashMap<>();
            found.forEach((value, positions) -> lists.put(
                    value, positions.stream().mapToInt(Integer::intValue).toArray()));
            return lists;
        }
    }

    /**
     * Moves {@code cursor} on, and gives the events that it has passed and that may concern {@code term}.
     *
     * @param through the last sequence that may be taken: that of a position the reader has acquired
     * @param term the term of the scope, not null
     * @param into receives the events, cleared first; the cursor stops behind the last one when it is full
     * @return EVENTS when the cursor has moved, even if none of what it passed concerns the term; else why it has not
     */
    public PollResult poll(EventCursor cursor, long through, IndexTerm term, EventBatch into) {
        into.clear();
        PollResult outcome = cursor.outcome(through);
        if (outcome != PollResult.EVENTS) {
            return outcome;
        }
        long number = cursor.next() / SEGMENT;
        Segment segment = (number + 1) * SEGMENT - 1 <= through ? segment(cursor, number) : null;
        if (segment == null) {
            return cursor.poll(through, into, Long.MAX_VALUE);
        }
        int[] positions = segment.positions(term);
        int at = Arrays.binarySearch(positions, (int) (cursor.next() - segment.events[0].sequence()));
        for (int i = at < 0 ? -at - 1 : at; i < positions.length; i++) {
            if (into.isFull()) {
                return PollResult.EVENTS;
            }
            WatchEvent event = segment.events[positions[i]];
            into.add(event);
            cursor.moveTo(event.sequence() + 1);
        }
        cursor.moveTo((number + 1) * SEGMENT);
        return PollResult.EVENTS;
    }

    /** The segment, made if need be; null when part of it has been let go, or the log has not been replayed from so far back. */
    private Segment segment(EventCursor cursor, long number) {
        Segment known = segments.get(number);
        if (known != null) {
            return known;
        }
        EventCursor reader = cursor.log().cursorAt(Math.max(1, number * SEGMENT));
        long last = (number + 1) * SEGMENT - 1;
        if (reader.poll(last, reading, Long.MAX_VALUE) != PollResult.EVENTS || reader.next() != last + 1) {
            reading.clear();
            return null;
        }
        WatchEvent[] events = new WatchEvent[reading.size()];
        for (int i = 0; i < events.length; i++) {
            events[i] = reading.get(i);
        }
        reading.clear();
        Segment segment = new Segment(events);
        segments.put(number, segment);
        if (segments.size() > MOST_SEGMENTS) {
            segments.remove(segments.keySet().iterator().next());
        }
        return segment;
    }

    /** Lets go of segments that the log has let go of. */
    public void trim(long oldest) {
        segments.keySet().removeIf(number -> number * SEGMENT < oldest);
    }

    /** Lets go of everything, as when the log is another one, or nobody replays any more. */
    public void clear() {
        segments.clear();
    }

    /** Whether there is anything to let go of. */
    public boolean isEmpty() {
        return segments.isEmpty();
    }
}
