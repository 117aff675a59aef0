package io.watchfan.proxy.upstream;

import java.util.function.DoubleSupplier;

/**
 * Growing, jittered, bounded pauses between attempts. Confined to one thread.
 */
final class Backoff {
    private final long firstMillis;
    private final long mostMillis;
    private final DoubleSupplier random;
    private long nextMillis;

    /**
     * @param firstMillis the first pause, 1 or more
     * @param mostMillis no pause is longer, but for one that the other side asks for
     * @param random uniform in [0, 1)
     */
    Backoff(long firstMillis, long mostMillis, DoubleSupplier random) {
        this.firstMillis = firstMillis;
        this.mostMillis = mostMillis;
        this.random = random;
        this.nextMillis = firstMillis;
    }

    /** The next pause in milliseconds: between half of the current step and all of it; each step is twice the last. */
    long next() {
        long step = nextMillis;
        nextMillis = Math.min(mostMillis, 2 * step);
        return step / 2 + (long) (random.getAsDouble() * (step - step / 2)) + 1;
    }

    /** The next pause, at least {@code askedMillis} long and never asked to be longer than five minutes. */
    long next(long askedMillis) {
        return Math.max(next(), Math.min(askedMillis, 300_000));
    }

    /** Begins anew with the first pause. */
    void reset() {
        nextMillis = firstMillis;
    }
}
