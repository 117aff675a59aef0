package io.watchfan.loadtest.contract;

/** Ordered: within a stream versions never fall, neither of events nor from bookmark to event. */
final class OrderedCheck implements ContractCheck {
    private final Reporter reporter;
    private final RecentEvents recent;
    private long highest;

    OrderedCheck(Reporter reporter, RecentEvents recent) {
        this.reporter = reporter;
        this.recent = recent;
    }

    @Override
    public void onStart(long fromVersion, boolean resumed) {
        // What comes at or below the start is the business of ResumableCheck.
        highest = 0;
    }

    @Override
    public void onInitialStart() {
        highest = 0;
    }

    @Override
    public void onEvent(EventType type, long version, long objectKey) {
        // An event that came before is repeated, not reordered.
        if (version < highest && !recent.contains(type, version, objectKey)) {
            reporter.report(Guarantee.ORDERED, version, "reordered: " + type + " came after version " + highest);
        }
        highest = Math.max(highest, version);
    }

    @Override
    public void onBookmark(long version, boolean endOfInitialEvents) {
        highest = Math.max(highest, version);
    }
}
