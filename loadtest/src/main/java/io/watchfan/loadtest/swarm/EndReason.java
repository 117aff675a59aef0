package io.watchfan.loadtest.swarm;

/** Why a stream ended. */
public enum EndReason {
    /** The response ended properly. */
    CLEAN,
    /** The connection was lost in the middle of the response, or spoke no HTTP. */
    CUT,
    /** The server said that the version is too old. */
    EXPIRED,
    /** The server answered with an error. */
    ERROR,
    /** There was no connection. */
    NO_CONNECTION,
    /** The watcher itself left. */
    LEFT
}
