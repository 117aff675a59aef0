package io.watchfan.loadtest.contract;

/**
 * What a checker is told of the life of one watcher, in the order in which the watcher saw it. All calls come from
 * one thread at a time, the watcher's event loop.
 */
interface ContractCheck {
    /** A watch from a version begins: the first of the watcher, or one that resumes. */
    default void onStart(long fromVersion, boolean resumed) {}

    /** A watch with initial events begins: what the watcher knew counts no more. */
    default void onInitialStart() {}

    /** An object of the initial events; {@code objectKey} identifies it. */
    default void onInitial(EventType type, long version, long objectKey) {}

    /** A change; {@code objectKey} identifies the object. */
    default void onEvent(EventType type, long version, long objectKey) {}

    /** A bookmark; {@code endOfInitialEvents} when it is the annotated one. */
    default void onBookmark(long version, boolean endOfInitialEvents) {}

    /** The run is over; {@code tailRequired} when all that was to come has had its time. */
    default void onSettled(boolean tailRequired) {}
}
