package io.watchfan.loadtest.contract;

/** Initial events are ADDED alone and exactly the objects there are at the version of their end bookmark. */
final class InitialEventsCheck implements ContractCheck {
    private final Reporter reporter;
    private final ScopeJournal journal;
    private int count;
    private long hash;

    /** Without a journal (null) only the types are checked. */
    InitialEventsCheck(Reporter reporter, ScopeJournal journal) {
        this.reporter = reporter;
        this.journal = journal;
    }

    @Override
    public void onInitialStart() {
        count = 0;
        hash = 0;
    }

    @Override
    public void onInitial(EventType type, long version, long objectKey) {
        if (type != EventType.ADDED) {
            reporter.report(Guarantee.INITIAL, version, type + " among the initial events");
        }
        count++;
        hash += StateHash.of(version);
    }

    @Override
    public void onBookmark(long version, boolean endOfInitialEvents) {
        if (endOfInitialEvents && journal != null) {
            String difference = journal.stateDifference(version, count, hash);
            if (difference != null) {
                reporter.report(Guarantee.INITIAL, version, difference);
            }
        }
    }
}
