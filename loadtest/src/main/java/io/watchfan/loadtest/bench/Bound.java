package io.watchfan.loadtest.bench;

/**
 * What a figure must be. Immutable.
 *
 * @param figure the name of the figure
 * @param kind whether the limit is the most or the least
 * @param limit in the figure's unit
 */
public record Bound(String figure, Kind kind, double limit) {
    /** Which side of the limit is the good one. */
    public enum Kind {
        AT_MOST,
        AT_LEAST
    }

    /** A figure that must not be above a limit. */
    public static Bound atMost(String figure, double limit) {
        return new Bound(figure, Kind.AT_MOST, limit);
    }

    /** A figure that must not be below a limit. */
    public static Bound atLeast(String figure, double limit) {
        return new Bound(figure, Kind.AT_LEAST, limit);
    }

    boolean isMetBy(double value) {
        return kind == Kind.AT_MOST ? value <= limit : value >= limit;
    }
}
