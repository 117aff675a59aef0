package io.watchfan.proxy.watch;

import io.watchfan.fanout.event.ObjectKey;

/**
 * A part of a list's bytes: where it begins, and, once it has been made, what it led to. Its bytes can be made again from that,
 * and are the same again. Confined to its event loop.
 */
final class ListSegment {
    // ---- immutable after construction: where it begins

    /** The last object before it; null when there is none. */
    final ObjectKey after;

    /** Whether it follows an item, or a part of one. */
    final boolean follows;

    /** How many bytes of the first item, with what separates it, are in what comes before. */
    final int skipped;

    // ---- known once it has been made
    boolean isMade;
    /** What comes after it; null at the end of the list. */
    ListSegment next;

    /** Of the list's bytes through its end. */
    long length;

    /** Of the list's bytes through its end; known once it has been compressed. */
    long crc;

    // ---- its bytes, while they are kept
    SharedLists.Kept plain;
    SharedLists.Kept compressed;

    ListSegment(ObjectKey after, boolean follows, int skipped) {
        this.after = after;
        this.follows = follows;
        this.skipped = skipped;
    }
}
