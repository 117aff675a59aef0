package io.watchfan.loadtest.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Which faults happen when: single ones and periodic ones. Built first, then consumed in order by one thread. */
public final class FaultPlan {
    private record Repeated(Fault next, long periodNanos) {}

    private final PriorityQueue<Repeated> queue =
            new PriorityQueue<>(Comparator.comparingLong(repeated -> repeated.next.offsetNanos()));

    /** A plan without faults. */
    public static FaultPlan none() {
        return new FaultPlan();
    }

    /** Adds a fault that happens once. */
    public FaultPlan at(Duration offset, Fault.Kind kind, Duration length) {
        queue.add(new Repeated(new Fault(offset.toNanos(), kind, length.toNanos()), 0));
        return this;
    }

    /** Adds a fault that happens again and again, the first time after one period. */
    public FaultPlan every(Duration period, Fault.Kind kind, Duration length) {
        if (period.isZero() || period.isNegative()) {
            throw new IllegalArgumentException("the period must be positive: " + period);
        }
        queue.add(new Repeated(new Fault(period.toNanos(), kind, length.toNanos()), period.toNanos()));
        return this;
    }

    /** When the next fault is due; {@link Long#MAX_VALUE} when there is none. */
    public long nextOffsetNanos() {
        return queue.isEmpty() ? Long.MAX_VALUE : queue.peek().next.offsetNanos();
    }

    /** Takes all faults due up to an offset, in order. */
    public List<Fault> due(long offsetNanos) {
        List<Fault> due = new ArrayList<>();
        while (nextOffsetNanos() <= offsetNanos) {
            Repeated repeated = queue.remove();
            Fault fault = repeated.next;
            due.add(fault);
            if (repeated.periodNanos > 0) {
                queue.add(new Repeated(
                        new Fault(fault.offsetNanos() + repeated.periodNanos, fault.kind(), fault.lengthNanos()),
                        repeated.periodNanos));
            }
        }
        return due;
    }
}
