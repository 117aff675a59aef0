package io.watchfan.fanout.event;

/** The types of a watch event, spelled as on the wire (W-091). */
public enum EventType {
    /** The object appeared, or entered the selector. */
    ADDED,
    /** The object changed and was, and is, in the selector. */
    MODIFIED,
    /** The object was deleted, or left the selector. */
    DELETED,
    /** Progress only: a resourceVersion up to which everything has been sent. */
    BOOKMARK,
    /** A Status; always the last event of a stream. */
    ERROR
}
