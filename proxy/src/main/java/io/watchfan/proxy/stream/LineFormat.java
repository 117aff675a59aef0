package io.watchfan.proxy.stream;

import io.watchfan.fanout.group.Line;

/**
 * How the lines of a stream are written, before they are wrapped for the wire. Streams of one format, which is one instance,
 * get the same bytes. Safe for all threads.
 */
public interface LineFormat {
    /**
     * The bytes of a line, in pieces that are written one after another. Some are shared with the line's object, and none may
     * be changed.
     */
    byte[][] pieces(Line line);

    /** A bound on how many bytes {@link #pieces} has for a line; cheap. */
    int mostBytes(Line line);

    /**
     * Whether lines are binary: on a stream each comes behind its length in four bytes, and a WebSocket has it as a binary
     * message (W-106, W-128). Others end with a line feed.
     */
    boolean isBinary();
}
