package io.watchfan.loadtest.swarm;

/**
 * The end of a stream, or of the attempt to get one. Immutable.
 *
 * @param reason how it ended
 * @param beganNanos when it was asked for, in {@link System#nanoTime()} terms
 * @param established whether the server had accepted the watch, and sent all initial events if there were any
 * @param atDeadline whether the time was over that the watcher had asked for
 * @param heldUp whether the watcher had stopped reading for a while
 * @param version the version that the watcher holds; negative for none
 * @param detail what the server said last, as far as it said anything
 */
public record StreamEnd(
        EndReason reason,
        long beganNanos,
        boolean established,
        boolean atDeadline,
        boolean heldUp,
        long version,
        String detail) {}
