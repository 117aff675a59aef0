package io.watchfan.loadtest.contract;

/**
 * Bookmarked: a bookmark never falls, is never ahead of what was delivered, and initial events end with exactly one
 * annotated bookmark, before any other.
 */
final class BookmarkCheck implements ContractCheck {
    private final Reporter reporter;
    private final ScopeJournal journal;
    private long delivered;
    private boolean initialEventsOpen;
    private boolean initialEventsAsked;

    /** Without a journal (null) a bookmark that is ahead is not noticed. */
    BookmarkCheck(Reporter reporter, ScopeJournal journal) {
        this.reporter = reporter;
        this.journal = journal;
    }

    @Override
    public void onStart(long fromVersion, boolean resumed) {
        delivered = fromVersion;
        initialEventsOpen = false;
        initialEventsAsked = false;
    }

    @Override
    public void onInitialStart() {
        delivered = 0;
        initialEventsOpen = true;
        initialEventsAsked = true;
    }

    @Override
    public void onEvent(EventType type, long version, long objectKey) {
        delivered = Math.max(delivered, version);
    }

    @Override
    public void onBookmark(long version, boolean endOfInitialEvents) {
        if (endOfInitialEvents != initialEventsOpen) {
            reporter.report(
                    Guarantee.BOOKMARKED,
                    version,
                    endOfInitialEvents
                            ? "the end of initial events was told "
                                    + (initialEventsAsked ? "twice" : "where none were asked")
                            : "a bookmark came before the end of the initial events");
        }
        if (version < delivered) {
            reporter.report(Guarantee.BOOKMARKED, version, "the bookmark is below " + delivered + ", told before");
        } else if (!endOfInitialEvents && !initialEventsOpen && journal != null) {
            checkNotAhead(version);
        }
        initialEventsOpen &= !endOfInitialEvents;
        delivered = Math.max(delivered, version);
    }

    private void checkNotAhead(long version) {
        long due = journal.versionAt(journal.firstRequired(journal.firstAfter(delivered)));
        if (due >= 0 && due <= version) {
            reporter.report(
                    Guarantee.BOOKMARKED, version, "the bookmark is ahead: version " + due + " was not delivered");
        }
    }
}
