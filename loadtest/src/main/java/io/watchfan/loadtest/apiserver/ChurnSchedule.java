package io.watchfan.loadtest.apiserver;

import java.util.SplittableRandom;

/**
 * Which changes are due when: an open model, evenly spaced, fixed by its seed, and blind to how fast they are carried
 * out. Of ten changes about seven modify an object, one creates, one deletes and one moves an object to other labels.
 * Confined to one thread.
 */
public final class ChurnSchedule {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final double changesPerSecond;
    private final SplittableRandom random;
    private final boolean modifyOnly;
    private long index;

    /**
     * A schedule from its start.
     *
     * @param changesPerSecond above 0
     */
    public ChurnSchedule(double changesPerSecond, long seed) {
        this(changesPerSecond, seed, false);
    }

    private ChurnSchedule(double changesPerSecond, long seed, boolean modifyOnly) {
        if (!(changesPerSecond > 0)) {
            throw new IllegalArgumentException("changesPerSecond must be positive: " + changesPerSecond);
        }
        this.changesPerSecond = changesPerSecond;
        this.random = new SplittableRandom(seed);
        this.modifyOnly = modifyOnly;
    }

    /** A schedule that only modifies objects, and moves none to other labels. */
    public static ChurnSchedule ofModifications(double changesPerSecond, long seed) {
        return new ChurnSchedule(changesPerSecond, seed, true);
    }

    /** When the next change is due, from the start. */
    public long nextOffsetNanos() {
        // From the index rather than step by step, so that rounding does not add up.
        return (long) ((index + 1) / changesPerSecond * NANOS_PER_SECOND);
    }

    /** Takes the next change. */
    public PlannedChange next() {
        long offsetNanos = nextOffsetNanos();
        return new PlannedChange(index++, offsetNanos, nextKind(), random.nextInt(Integer.MAX_VALUE));
    }

    private PlannedChange.Kind nextKind() {
        if (modifyOnly) {
            return PlannedChange.Kind.MODIFY;
        }
        return switch (random.nextInt(10)) {
            case 0 -> PlannedChange.Kind.CREATE;
            case 1 -> PlannedChange.Kind.DELETE;
            case 2 -> PlannedChange.Kind.RELABEL;
            default -> PlannedChange.Kind.MODIFY;
        };
    }
}
