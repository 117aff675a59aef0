package io.watchfan.proxy.representation;

/** How far the objects of a list must be known before its first byte can be written. */
public enum ListSurvey {
    /** Not at all. */
    NOTHING,
    /** Whether there are any. */
    ANY,
    /** How many bytes all of them are. */
    BYTES
}
