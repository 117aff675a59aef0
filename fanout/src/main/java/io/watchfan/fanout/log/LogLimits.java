package io.watchfan.fanout.log;

/**
 * The bounds of the watch cache window of one feed.
 *
 * @param maxEvents most events kept; 1 or more
 * @param maxBytes most serialized bytes kept; 1 or more. The newest event is kept whatever its size
 * @param maxAgeNanos events older than this are let go, but only beyond the first {@value #AGELESS_EVENTS} events and a
 *     quarter of {@code maxBytes}, so that a quiet resource keeps its history; {@link Long#MAX_VALUE} for no bound
 */
public record LogLimits(int maxEvents, long maxBytes, long maxAgeNanos) {
    /** So many of the newest events are kept whatever their age. */
    public static final int AGELESS_EVENTS = 1000;

    /** Checks the ranges. */
    public LogLimits {
        if (maxEvents < 1 || maxBytes < 1 || maxAgeNanos < 1) {
            throw new IllegalArgumentException("every bound of a window must be positive: " + maxEvents + " events, "
                    + maxBytes + " bytes, " + maxAgeNanos + " ns");
        }
    }
}
