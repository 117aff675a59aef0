package io.watchfan.loadtest.contract;

/**
 * Writes the journal of a scope from what a reference watcher sees, one that watches the API server itself. Once the
 * reference has lost its place, the journal says no more. Confined to the reference watcher's event loop.
 */
public final class JournalFeed implements StreamObserver {
    private final ScopeJournal journal;
    private volatile String trouble = "";

    /** Feeds a journal that knows events but no objects. */
    public JournalFeed(ScopeJournal journal) {
        this.journal = journal;
    }

    /** Why the journal can no longer be trusted; empty when it can. Any thread. */
    public String trouble() {
        return trouble;
    }

    @Override
    public void start(long fromVersion) {
        journal.advance(fromVersion);
    }

    @Override
    public void resume(long fromVersion) {
        // Goes on behind what is in the journal.
    }

    @Override
    public void startInitial() {
        fail("the reference was told 410 and does not know what it missed");
    }

    @Override
    public void initial(EventType type, long version, long objectKey) {
        // Only after trouble.
    }

    @Override
    public void event(EventType type, long version, long objectKey) {
        if (!trouble.isEmpty()) {
            return;
        }
        if (version <= journal.knownVersion()) {
            fail("the reference itself was told version " + version + " after " + journal.knownVersion());
        } else {
            journal.append(version, type);
        }
    }

    @Override
    public void bookmark(long version, boolean endOfInitialEvents) {
        if (trouble.isEmpty()) {
            journal.advance(version);
        }
    }

    @Override
    public void unreadable(String detail) {
        fail("the reference received " + detail);
    }

    private void fail(String why) {
        if (trouble.isEmpty()) {
            trouble = journal.scope() + ": " + why;
        }
    }
}
