package io.watchfan.loadtest.contract;

/**
 * What a watcher tells of what it sees, in the order in which it sees it. All calls come from the watcher's event loop.
 */
public interface StreamObserver {
    /** The watcher's first watch begins, from a version. */
    void start(long fromVersion);

    /** The watcher goes on from a version it was told. */
    void resume(long fromVersion);

    /** The watcher begins with initial events, at first or anew. */
    void startInitial();

    /** An object of the initial events arrived; {@code objectKey} identifies it. */
    void initial(EventType type, long version, long objectKey);

    /** A change arrived; {@code objectKey} identifies the object. */
    void event(EventType type, long version, long objectKey);

    /** A bookmark arrived. */
    void bookmark(long version, boolean endOfInitialEvents);

    /** A line that is no event arrived. */
    void unreadable(String detail);

    /** A stream that had come to a version ended, and nothing explains why. */
    default void unexplainedEnd(long version, String detail) {}
}
