package io.watchfan.loadtest.swarm;

/**
 * The last lines that the watchers of an event loop have read, each with the line that came behind it. Watchers of one scope
 * get the same bytes in the same order: all but the first of them find that a line is the one they expect, which is a
 * comparison of all its bytes, and need not read it again. Confined to its event loop.
 */
final class KnownLines {
    /** Of so many versions in a row a line is remembered; who is further behind reads for itself. */
    private static final int LINES = 1024;

    /** Longer lines are read by everybody: so many of them would fill the heap. */
    static final int MOST_LINE_BYTES = 16 << 10;

    private final KnownLine[] byVersion = new KnownLine[LINES];

    /** The line that {@code head} has read from these bytes, remembered from now on unless it is too long. */
    KnownLine of(EventHead head, byte[] line, int from, int to) {
        if (to - from > MOST_LINE_BYTES) {
            return KnownLine.forgotten(head);
        }
        int place = (int) (head.resourceVersion() % LINES);
        KnownLine there = byVersion[place];
        if (there != null && there.is(line, from, to)) {
            return there;
        }
        if (there != null) {
            there.forget();
        }
        byVersion[place] = KnownLine.of(head, line, from, to);
        return byVersion[place];
    }
}
