package io.watchfan.fanout.log;

import io.watchfan.fanout.event.WatchEvent;

/**
 * One reader's place in a log. Confined to its reader's thread; costs the log nothing, and is dropped without a word.
 */
public final class EventCursor {
    private final EventLog log;
    private long next;

    EventCursor(EventLog log, long next) {
        this.log = log;
        this.next = next;
    }

    /** The sequence of the event that comes next. */
    public long next() {
        return next;
    }

    /** The log it reads. */
    public EventLog log() {
        return log;
    }

    /** Moves to {@code sequence}, which is to come next. */
    public void moveTo(long sequence) {
        next = sequence;
    }

    /**
     * Takes the next event; equal to {@code poll} of one.
     *
     * @param through the last sequence that may be taken: that of a position the reader has acquired
     * @return the event, or null, whereupon {@link #outcome} says why
     */
    public WatchEvent take(long through) {
        if (next > through || log.isClosed()) {
            return null;
        }
        WatchEvent event = log.eventAt(next);
        if (event != null) {
            next++;
        }
        return event;
    }

    /** Why {@link #take} with the same {@code through} gave nothing, or EVENTS if it would give something now. */
    public PollResult outcome(long through) {
        if (log.isClosed()) {
            return PollResult.CLOSED;
        }
        if (next > through) {
            return PollResult.CAUGHT_UP;
        }
        return log.eventAt(next) == null ? PollResult.EXPIRED : PollResult.EVENTS;
    }

    /**
     * Takes events until {@code into} is full, {@code maxBytes} are reached (the first event is taken whatever its size), or
     * there are no more.
     *
     * @param through the last sequence that may be taken: that of a position the reader has acquired
     * @param into receives the events; owned by the caller, cleared first
     * @param maxBytes bound on the events' serialized size
     * @return EVENTS when {@code into} holds at least one, else why not
     */
    public PollResult poll(long through, EventBatch into, long maxBytes) {
        into.clear();
        WatchEvent event;
        while (!into.isFull() && (into.isEmpty() || into.bytes() < maxBytes) && (event = take(through)) != null) {
            into.add(event);
        }
        return into.isEmpty() ? outcome(through) : PollResult.EVENTS;
    }
}
