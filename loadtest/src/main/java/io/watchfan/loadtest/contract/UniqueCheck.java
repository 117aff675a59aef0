package io.watchfan.loadtest.contract;

/** Unique: within a stream no event comes twice.
 * Deletions of several objects at one version are not the same event. Looks back as far as {@link RecentEvents} reaches. */
final class UniqueCheck implements ContractCheck {
    private final Reporter reporter;
    private final RecentEvents recent;
    private long highest;

    UniqueCheck(Reporter reporter, RecentEvents recent) {
        this.reporter = reporter;
        this.recent = recent;
    }

    @Override
    public void onStart(long fromVersion, boolean resumed) {
        highest = 0;
    }

    @Override
    public void onInitialStart() {
        highest = 0;
    }

    @Override
    public void onEvent(EventType type, long version, long objectKey) {
        if (version > highest) {
            highest = version;
        } else if (recent.contains(type, version, objectKey)) {
            reporter.report(Guarantee.UNIQUE, version, "repeated: " + type + " came before in this stream");
        }
    }
}
