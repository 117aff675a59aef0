package io.watchfan.fanout.log;

/** What came of asking a cursor for events. All of these are expected outcomes. */
public enum PollResult {
    /** There are events, and the cursor has moved beyond them. */
    EVENTS,
    /** There is nothing newer than what the cursor has given already. */
    CAUGHT_UP,
    /** The next event has been let go: the reader was lapped and can only start anew. */
    EXPIRED,
    /** The log belongs to a past epoch: nothing in it is true any more. */
    CLOSED
}
