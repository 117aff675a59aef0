package io.watchfan.loadtest.swarm;

/** A way to corrupt what one watcher receives, to show that the checks see it. */
public enum Sabotage {
    /** One event is left out. */
    DROP,
    /** One event comes twice. */
    REPEAT,
    /** Two events come in the wrong order. */
    REORDER
}
