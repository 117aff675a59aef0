package io.watchfan.loadtest.contract;

/** Resumable: a watch from a version delivers nothing up to it, and the next event after it first. */
final class ResumableCheck implements ContractCheck {
    private final Reporter reporter;
    private final ScopeJournal journal;
    private long fromVersion;
    private boolean firstDue;

    /** Without a journal (null) only what comes at or below the start is seen. */
    ResumableCheck(Reporter reporter, ScopeJournal journal) {
        this.reporter = reporter;
        this.journal = journal;
    }

    @Override
    public void onStart(long version, boolean resumed) {
        fromVersion = version;
        firstDue = true;
    }

    @Override
    public void onInitialStart() {
        fromVersion = 0;
        firstDue = false;
    }

    @Override
    public void onEvent(EventType type, long version, long objectKey) {
        if (isOfGapRepair(type, version)) {
            return;
        }
        if (version <= fromVersion) {
            reporter.report(
                    Guarantee.RESUMABLE, version, type + " is not above the version started from, " + fromVersion);
            return;
        }
        if (firstDue && journal != null) {
            long wanted = journal.versionAt(journal.firstRequired(journal.firstAfter(fromVersion)));
            if (wanted >= 0 && wanted < version) {
                reporter.report(
                        Guarantee.RESUMABLE,
                        version,
                        "the first event after " + fromVersion + " should be that of version " + wanted);
            }
        }
        firstDue = false;
    }

    /**
     * Whether the event may be a deletion that was missed upstream, whose true version is unknown: it is told at the last
     * version there was, again to who resumes from there. With a journal it is known where that was.
     */
    private boolean isOfGapRepair(EventType type, long version) {
        return type == EventType.DELETED
                && version == fromVersion
                && (journal == null || journal.gaps().isStart(version));
    }
}
