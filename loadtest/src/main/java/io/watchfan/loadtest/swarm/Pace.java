package io.watchfan.loadtest.swarm;

/** How a watcher reads. */
public enum Pace {
    /** As fast as it can. */
    FAST,
    /** A little, then a pause, again and again. */
    SLOW,
    /** Not at all while it is told to stall; with a small receive buffer, so that the sender notices. */
    STALLED
}
