package io.watchfan.loadtest.swarm;

import java.util.concurrent.atomic.AtomicLong;

/** A count that one thread keeps and any thread may read, a little late. */
final class Counter {
    private final AtomicLong value = new AtomicLong();

    /** Adds; the owning thread only. */
    void add(long amount) {
        value.setRelease(value.getPlain() + amount);
    }

    long get() {
        return value.getAcquire();
    }
}
