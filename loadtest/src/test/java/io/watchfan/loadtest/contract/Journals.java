package io.watchfan.loadtest.contract;

import java.util.ArrayList;
import java.util.List;

/** Journals and reporters for tests of single checkers. */
final class Journals {
    private Journals() {}

    /** A journal of MODIFIED events at these versions. */
    static ScopeJournal of(long... versions) {
        ScopeJournal journal = new ScopeJournal(Scope.EVERYTHING, 10_000, true);
        for (long version : versions) {
            journal.append(version, EventType.MODIFIED);
        }
        return journal;
    }

    /** Keeps what is reported as {@code GUARANTEE@version}. */
    static final class Findings implements Reporter {
        final List<String> found = new ArrayList<>();
        final List<String> details = new ArrayList<>();

        @Override
        public void report(Guarantee guarantee, long version, String detail) {
            found.add(guarantee + "@" + version);
            details.add(detail);
        }
    }
}
