package io.watchfan.loadtest.apiserver;

/**
 * Something that goes wrong at a planned time. Immutable.
 *
 * @param offsetNanos when, from the start of the plan
 * @param kind what
 * @param lengthNanos for how long; 0 for what happens at once
 */
public record Fault(long offsetNanos, Kind kind, long lengthNanos) {
    /** What can go wrong. */
    public enum Kind {
        /** Every connection with an open watch is reset. */
        CUT,
        /** All history is forgotten and every watch is told 410. */
        EXPIRE,
        /** Open watches send nothing for a while. */
        STALL,
        /** Every watch is cut, and for a while every connection is reset. */
        REFUSE,
        /** For a while every request is answered with 429 or 5xx, some with {@code Retry-After}. */
        ERRORS,
        /** Open watches are sent something that is no event; for a while lists and new watches are answered so. */
        GARBAGE
    }
}
