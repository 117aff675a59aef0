package io.watchfan.fanout.bookmark;

/**
 * When a watcher is due for a bookmark: a period after it began and after every bookmark, and once shortly before its
 * deadline, so that a client resumes from close to where it ended (W-191). All times are milliseconds of one monotonic clock.
 *
 * @param intervalMillis the period; 1 or more
 * @param leadMillis how long before the deadline the last bookmark is due; 0 or more
 */
public record BookmarkPolicy(long intervalMillis, long leadMillis) {
    /** No more bookmarks. */
    public static final long NEVER = Long.MAX_VALUE;

    /** How long before its deadline the API server sends a watch its last bookmark. */
    public static final long API_SERVER_LEAD_MILLIS = 2000;

    /** Checks the ranges. */
    public BookmarkPolicy {
        if (intervalMillis < 1 || leadMillis < 0) {
            throw new IllegalArgumentException("interval " + intervalMillis + " ms, lead " + leadMillis + " ms");
        }
    }

    /**
     * When the next bookmark is due.
     *
     * @param nowMillis now
     * @param deadlineMillis when the watch ends
     * @return the time, not before {@code nowMillis}; {@link #NEVER} when the last one before the deadline has been due
     */
    public long nextDue(long nowMillis, long deadlineMillis) {
        long last = deadlineMillis - leadMillis;
        return nowMillis >= last ? NEVER : nowMillis + Math.min(intervalMillis, last - nowMillis);
    }
}
