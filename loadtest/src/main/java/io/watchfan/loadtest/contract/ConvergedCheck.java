package io.watchfan.loadtest.contract;

/**
 * Converged: who begins with initial events and follows the changes knows, at every bookmark and at the end, exactly the
 * objects that there are. This holds also where single events may be left out, because the API server itself no longer
 * had them.
 */
final class ConvergedCheck implements ContractCheck {
    private final Reporter reporter;
    private final ScopeJournal journal;
    /** Null while the watcher has not begun with initial events, and so cannot know all. */
    private ObjectVersions known;

    private boolean initialEventsOpen;

    ConvergedCheck(Reporter reporter, ScopeJournal journal) {
        this.reporter = reporter;
        this.journal = journal;
    }

    @Override
    public void onInitialStart() {
        known = new ObjectVersions();
        initialEventsOpen = true;
    }

    @Override
    public void onInitial(EventType type, long version, long objectKey) {
        known.put(objectKey, version);
    }

    @Override
    public void onEvent(EventType type, long version, long objectKey) {
        if (known == null) {
            return;
        }
        if (type == EventType.DELETED) {
            known.remove(objectKey);
        } else {
            known.put(objectKey, version);
        }
    }

    @Override
    public void onBookmark(long version, boolean endOfInitialEvents) {
        initialEventsOpen &= !endOfInitialEvents;
        // InitialEventsCheck speaks of the end of initial events.
        if (!endOfInitialEvents) {
            compare(version);
        }
    }

    @Override
    public void onSettled(boolean tailRequired) {
        if (tailRequired && !initialEventsOpen) {
            compare(journal.knownVersion());
        }
    }

    /** Whether the watcher knows all there is; true where it cannot. */
    boolean isCaughtUp() {
        return known == null
                || (!initialEventsOpen
                        && journal.stateDifference(journal.knownVersion(), known.count(), known.hash()) == null);
    }

    private void compare(long version) {
        if (known == null) {
            return;
        }
        String difference = journal.stateDifference(version, known.count(), known.hash());
        if (difference != null) {
            reporter.report(Guarantee.CONVERGED, version, "knows another state: " + difference);
        }
    }
}
