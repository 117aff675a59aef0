package io.watchfan.loadtest.contract;

import java.util.TreeSet;

/**
 * Reliable: every event of the scope arrives, but for those of {@link Gaps}. Walks the journal beside the stream; what is skipped counts as missed
 * unless it arrives late, which is then a reordering.
 */
final class ReliableCheck implements ContractCheck {
    private static final int MAX_SKIPPED = 10_000;
    private static final long NO_CURSOR = -1;

    private final Reporter reporter;
    private final ScopeJournal journal;
    /** The journal entry that is due next; none while the initial events come. */
    private long cursor = NO_CURSOR;
    /** Skipped so far; allocated on the first fault only. */
    private TreeSet<Long> skipped;
    /** When the first of them was skipped. */
    private String context;

    ReliableCheck(Reporter reporter, ScopeJournal journal) {
        this.reporter = reporter;
        this.journal = journal;
    }

    @Override
    public void onStart(long fromVersion, boolean resumed) {
        long start = journal.firstAfter(fromVersion);
        if (cursor != NO_CURSOR && resumed) {
            skipTo(start, "before the watch resumed from " + fromVersion);
        } else {
            cursor = start;
        }
    }

    @Override
    public void onInitialStart() {
        reportSkipped();
        cursor = NO_CURSOR;
    }

    @Override
    public void onEvent(EventType type, long version, long objectKey) {
        if (cursor == NO_CURSOR) {
            return;
        }
        long due = journal.versionAt(cursor);
        if (due == version) {
            cursor++;
        } else if (due == ScopeJournal.GONE) {
            reporter.report(
                    Guarantee.RELIABLE, version, "is so far behind that the journal no longer tells what was due");
            cursor = journal.firstAfter(version);
        } else if (due != ScopeJournal.NONE && version > due) {
            long found = journal.firstAfter(version - 1);
            skipTo(found, "before " + type + " of version " + version);
            cursor = journal.versionAt(found) == version ? found + 1 : found;
        } else if (skipped != null) {
            skipped.remove(version);
        }
    }

    @Override
    public void onBookmark(long version, boolean endOfInitialEvents) {
        if (endOfInitialEvents && cursor == NO_CURSOR) {
            cursor = journal.firstAfter(version);
        }
    }

    @Override
    public void onSettled(boolean tailRequired) {
        if (cursor != NO_CURSOR && tailRequired) {
            skipTo(journal.size(), "up to the end of the run");
        }
        reportSkipped();
    }

    /** Whether nothing is due. */
    boolean isCaughtUp() {
        return cursor != NO_CURSOR && journal.firstRequired(cursor) >= journal.size();
    }

    private void skipTo(long index, String when) {
        for (; cursor < index; cursor++) {
            long version = journal.versionAt(cursor);
            if (skipped == null) {
                skipped = new TreeSet<>();
                context = when;
            }
            if (version >= 0 && skipped.size() < MAX_SKIPPED) {
                skipped.add(version);
            }
        }
    }

    private void reportSkipped() {
        if (skipped != null) {
            // What was left out for a gap's sake; the gap may have been longer, as long as it was open.
            skipped.removeIf(journal.gaps()::contains);
        }
        if (skipped == null || skipped.isEmpty()) {
            skipped = null;
            return;
        }
        reporter.report(
                Guarantee.RELIABLE,
                skipped.first(),
                "missed " + skipped.size() + (skipped.size() == 1 ? " event " : " events ") + context + ": versions "
                        + skipped.stream().limit(10).toList() + (skipped.size() > 10 ? " and on" : ""));
        skipped = null;
    }
}
