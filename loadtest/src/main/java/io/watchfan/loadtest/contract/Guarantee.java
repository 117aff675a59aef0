package io.watchfan.loadtest.contract;

/** What a watch promises; each has one checker. */
public enum Guarantee {
    /** Versions never fall within a stream. */
    ORDERED,
    /** No event comes twice within a stream. */
    UNIQUE,
    /** Nothing the scope saw is left out. */
    RELIABLE,
    /** A watch that resumes from a version goes on exactly behind it. */
    RESUMABLE,
    /** A bookmark is never ahead of what was delivered, and the initial events end with exactly one. */
    BOOKMARKED,
    /** Only events of the scope, each with the type the scope gives it. */
    FILTERED,
    /** Initial events are exactly the state at the version their end bookmark names. */
    INITIAL,
    /** Who began with initial events knows the state at every bookmark and at the end. */
    CONVERGED,
    /** Every line is one event. */
    READABLE,
    /** A list is exactly the state at the version it names, and that is as new as it was asked to be. */
    LISTED,
    /** A stream goes on as long as nothing has happened that explains its end. */
    UNBROKEN
}
