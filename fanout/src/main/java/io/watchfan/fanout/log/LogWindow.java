package io.watchfan.fanout.log;

/**
 * The resourceVersions that a new watch can start from.
 *
 * @param oldest the least version from which nothing has been let go: a watch may start at it, and not below
 * @param latest the version up to which everything is known
 * @param events how many events are kept
 * @param bytes their serialized size
 */
public record LogWindow(long oldest, long latest, long events, long bytes) {}
