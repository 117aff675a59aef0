package io.watchfan.loadtest.contract;

/** What watchers are held to. */
public enum Strictness {
    /** To every single event. */
    EXACT,
    /**
     * To the state they come to, and to the order: for runs in which the API server itself forgets its history. What
     * nobody can know any more is told as differences: single events may be left out, and deletions come at the last
     * version that was told.
     */
    CONVERGING
}
