package io.watchfan.fanout.log;

import java.util.Arrays;

/**
 * Stretches of versions of which the feed knows the ends only: the upstream watch had expired and a list told of the
 * difference. Whoever holds a version strictly inside may know an object that was created and deleted within, of which
 * nobody here has heard; it cannot be served from here. Immutable; bounded: the oldest of more than {@value #MOST} gaps is
 * merged with the next, which only widens it.
 */
public final class Gaps {
    /** No gaps. */
    public static final Gaps NONE = new Gaps(new long[0]);

    private static final int MOST = 64;

    /** Pairs of the last version before, and the first after. */
    private final long[] ends;

    private Gaps(long[] ends) {
        this.ends = ends;
    }

    /** These gaps and one more, which follows them; those that end at or before {@code oldest} are dropped. */
    Gaps with(long before, long after, long oldest) {
        int from = 0;
        while (from < ends.length && ends[from + 1] <= oldest) {
            from += 2;
        }
        long[] next = Arrays.copyOfRange(ends, from, ends.length + 2);
        next[next.length - 2] = before;
        next[next.length - 1] = after;
        if (next.length > 2 * MOST) {
            long least = next[0];
            next = Arrays.copyOfRange(next, 2, next.length);
            next[0] = least;
        }
        return new Gaps(next);
    }

    /** Whether {@code version} lies strictly between the ends of a gap. */
    public boolean strictlyInside(long version) {
        for (int i = 0; i < ends.length; i += 2) {
            if (ends[i] < version && version < ends[i + 1]) {
                return true;
            }
        }
        return false;
    }
}
