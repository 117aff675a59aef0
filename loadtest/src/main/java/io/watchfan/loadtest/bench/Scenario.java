package io.watchfan.loadtest.bench;

import java.io.IOException;
import java.util.List;

/** Something to measure. Stateless. */
interface Scenario {
    /** What it measures, and how, in a sentence or two. */
    String about();

    /** How many watchers it takes for the figures that count. */
    int defaultWatchers();

    /** The fewest watchers that make sense. */
    default int leastWatchers() {
        return 10;
    }

    /** What its figures must be. */
    List<Bound> bounds();

    /**
     * One round, with processes of its own.
     *
     * @throws IOException when it cannot be measured: a process fails, or watchers do not get what they must
     */
    void round(Stage stage, Samples samples) throws IOException, InterruptedException;
}
