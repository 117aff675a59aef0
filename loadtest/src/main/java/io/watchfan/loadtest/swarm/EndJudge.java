package io.watchfan.loadtest.swarm;

/** Says of ends of streams whether something explains them. Called on any event loop. */
public interface EndJudge {
    /** Accepts every end. */
    EndJudge LENIENT = end -> null;

    /** What is wrong with an end; null when nothing is. */
    String objection(StreamEnd end);
}
