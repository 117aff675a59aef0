package io.watchfan.proxy.watch;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.group.FilterGroup;
import io.watchfan.fanout.group.IndexTerm;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.fanout.store.StoreSnapshot;
import io.watchfan.proxy.representation.Representation;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.stream.FrameFormat;
import io.watchfan.proxy.stream.ResponseStream;

/**
 * One client's watch: where it stands, and what it still has to get. Its dispatcher moves it; confined to their event loop.
 *
 * <pre>
 *   OPENING --head sent--> INITIAL --state sent--> (MARK) --> BEHIND --caught up--> IN_STEP
 *                             \________________________________^  \        |
 *                                                          ^       \--short write
 *                                                          +---------------+       any --> ENDING --> ENDED
 * </pre>
 *
 * <p>INITIAL: the state is being sent, in portions; MARK: the bookmark that ends it is due. BEHIND: events come from the log by a cursor of its own, in portions.
 * IN_STEP: it is in a filter group, and gets what the group gets. ENDING: a last line waits for the client to take what it has
 * begun.
 */
final class WatchConnection {
    /** Where the watch stands. */
    enum Phase {
        OPENING,
        INITIAL,
        MARK,
        BEHIND,
        IN_STEP,
        ENDING,
        ENDED
    }

    // ---- immutable after construction
    final WatchScope scope;

    /** How its objects are written. */
    final Representation representation;

    /** What its events are found by when it is behind; null when any may be its. */
    final IndexTerm term;

    final boolean bookmarks;
    final long deadlineMillis;

    /** Events known at this version or before are not for this watch: its client, or its initial state, has them. */
    final long knownVersion;

    // ---- set when the head is made
    /** Whether its client gets gzip members. */
    boolean isCompressed;

    // ---- set when the head is out
    ResponseStream stream;
    FrameFormat format;

    // ---- where it stands
    Phase phase = Phase.OPENING;
    EventCursor cursor;
    /** The state that it is being sent; null when there is none, or no more of it. */
    StoreSnapshot initial;

    /** How far it has been sent; null at the beginning. */
    ObjectKey initialAfter;

    /** How many bytes of it have been sent. */
    long initialBytes;

    /** When that began. */
    long initialNanos;

    /** How long it has been held meanwhile, about, for others to keep up. */
    int heldMillis;

    boolean marksEnd;
    byte[] lastLine;
    EndReason endReason;

    /** The highest version that the client has been shown, or came with. */
    long shown;

    // ---- its places in its dispatcher's lists
    FeedDispatcher owner;
    SharedPortions.Party party;
    FilterGroup<WatchConnection> group;
    int groupIndex = -1;
    int allIndex = -1;
    boolean queued;
    boolean bookmarkDue;
    LoopDispatcher.Ticket ticket;
    long nextBookmarkMillis;

    // ---- for the write timeout
    long taken = -1;
    long takenMillis;

    /**
     * @param scope what it sees
     * @param representation how its objects are written
     * @param bookmarks whether it gets bookmarks
     * @param deadlineMillis when it ends, in the loop's milliseconds
     * @param knownVersion events known at this version or before are not for it
     * @param cursor where its events begin
     */
    WatchConnection(
            WatchScope scope,
            Representation representation,
            boolean bookmarks,
            long deadlineMillis,
            long knownVersion,
            EventCursor cursor) {
        this.scope = scope;
        this.representation = representation;
        this.term = IndexTerm.of(scope);
        this.bookmarks = bookmarks;
        this.deadlineMillis = deadlineMillis;
        this.knownVersion = knownVersion;
        this.shown = knownVersion;
        this.cursor = cursor;
    }

    /** It begins with these objects, of which those in its scope are sent, and then the mark if {@code marked}. */
    WatchConnection withInitial(StoreSnapshot objects, boolean marked) {
        initial = objects;
        marksEnd = marked;
        return this;
    }

    /** It does not begin at all, but with this error. */
    WatchConnection refused(EndReason reason, StatusBody error) {
        endReason = reason;
        lastLine = representation.error(error);
        return this;
    }

    boolean isEnded() {
        return phase == Phase.ENDING || phase == Phase.ENDED;
    }
}
