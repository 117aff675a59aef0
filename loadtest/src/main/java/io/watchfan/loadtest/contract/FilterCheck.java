package io.watchfan.loadtest.contract;

/** Filtered: only events of the scope arrive, each with the type that the scope gives it. */
final class FilterCheck implements ContractCheck {
    private final Reporter reporter;
    private final ScopeJournal journal;
    /** Where the next event is likely to be found. */
    private long hint;

    FilterCheck(Reporter reporter, ScopeJournal journal) {
        this.reporter = reporter;
        this.journal = journal;
    }

    @Override
    public void onEvent(EventType type, long version, long objectKey) {
        long index = journal.versionAt(hint) == version ? hint : journal.firstAfter(version - 1);
        hint = index + 1;
        long found = journal.versionAt(index);
        if (found == ScopeJournal.GONE) {
            return;
        }
        if (found != version && type == EventType.DELETED && journal.gaps().isStart(version)) {
            return;
        }
        if (found != version) {
            reporter.report(Guarantee.FILTERED, version, type + " is no event of this scope");
            return;
        }
        EventType wanted = journal.typeAt(index);
        if (wanted != null && wanted != type && !isDifference(type, wanted, version)) {
            reporter.report(Guarantee.FILTERED, version, type + " should be " + wanted + " in this scope");
        }
    }

    /** Whether the type is that of the difference that closes a gap: of what changed there, only the last is told. */
    private boolean isDifference(EventType type, EventType wanted, long version) {
        return type == EventType.DELETED
                ? journal.gaps().isStart(version)
                : wanted != EventType.DELETED && journal.gaps().contains(version);
    }
}
