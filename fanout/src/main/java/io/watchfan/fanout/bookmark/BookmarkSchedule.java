package io.watchfan.fanout.bookmark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Watchers in time buckets: each is handed out once its time has come, not before, and at most one bucket's width after it.
 * A watcher that has ended meanwhile stays in its bucket until then; the caller passes over it. Bounded by the watchers
 * scheduled. Confined to one thread; time is the caller's.
 *
 * @param <W> what the caller keeps for a watcher
 */
public final class BookmarkSchedule<W> {
    private final long widthMillis;
    private final Map<Long, ArrayList<W>> buckets = new HashMap<>();
    private final PriorityQueue<Long> order = new PriorityQueue<>();

    /** A schedule with buckets of this width in milliseconds, 1 or more. */
    public BookmarkSchedule(long widthMillis) {
        if (widthMillis < 1) {
            throw new IllegalArgumentException("bucket width " + widthMillis + " ms");
        }
        this.widthMillis = widthMillis;
    }

    /**
     * Hands {@code watcher} out at the first {@link #advance} with a time of {@code atMillis} or later, or up to one bucket's
     * width later. {@link BookmarkPolicy#NEVER} keeps nothing.
     */
    public void schedule(W watcher, long atMillis) {
        if (atMillis == BookmarkPolicy.NEVER) {
            return;
        }
        long bucket = -Math.floorDiv(-atMillis, widthMillis);
        ArrayList<W> there = buckets.get(bucket);
        if (there == null) {
            there = new ArrayList<>(4);
            buckets.put(bucket, there);
            order.add(bucket);
        }
        there.add(watcher);
    }

    /** Hands out every watcher whose time has come; the callback may schedule again. */
    public void advance(long nowMillis, Consumer<W> due) {
        long current = Math.floorDiv(nowMillis, widthMillis);
        while (!order.isEmpty() && order.peek() <= current) {
            buckets.remove(order.poll()).forEach(due);
        }
    }

    /** Whether nothing is scheduled. */
    public boolean isEmpty() {
        return order.isEmpty();
    }
}
