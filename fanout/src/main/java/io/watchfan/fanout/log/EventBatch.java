package io.watchfan.fanout.log;

import io.watchfan.fanout.event.WatchEvent;
import java.util.Arrays;

/** A reusable array of events that one reader takes at a time. Confined to that reader's thread. */
public final class EventBatch {
    private final WatchEvent[] events;
    private int size;
    private long bytes;

    /** A batch of at most {@code capacity} events, 1 or more. */
    public EventBatch(int capacity) {
        events = new WatchEvent[capacity];
    }

    /** Adds an event; there must be room. */
    public void add(WatchEvent event) {
        events[size++] = event;
        bytes += event.bytes();
    }

    /** Lets go of the events. */
    public void clear() {
        Arrays.fill(events, 0, size, null);
        size = 0;
        bytes = 0;
    }

    /** How many events it holds. */
    public int size() {
        return size;
    }

    /** The event at {@code index}, from 0. */
    public WatchEvent get(int index) {
        if (index >= size) {
            throw new IndexOutOfBoundsException(index);
        }
        return events[index];
    }

    /** The events' serialized size. */
    public long bytes() {
        return bytes;
    }

    /** Whether it holds none. */
    public boolean isEmpty() {
        return size == 0;
    }

    /** Whether there is no more room. */
    public boolean isFull() {
        return size == events.length;
    }
}
