package io.watchfan.loadtest.contract;

/**
 * All checkers of one watcher. The watcher tells what it sees; what the journal does not know yet waits here until
 * it does, so that the checkers may take the journal for complete.
 *
 * <p>Confined to the watcher's event loop. Without a journal (the truth is not known) only what a stream shows by
 * itself is checked: order, repeats, the start, bookmarks that fall.
 */
public final class WatcherContract implements StreamObserver {
    private static final int EVENT = 0; // + code of the type
    private static final int INITIAL = 4; // + code of the type
    private static final int START = 8;
    private static final int RESUME = 9;
    private static final int INITIAL_START = 10;
    private static final int BOOKMARK = 11;
    private static final int INITIAL_END = 12;
    private static final int DESCRIBED_EVENTS = 8;

    private final int watcherId;
    private final String scope;
    private final ScopeJournal journal;
    private final Violations violations;
    private final RecentEvents recent = new RecentEvents();
    private final DeferredCalls deferred = new DeferredCalls();
    private final ReliableCheck reliable;
    private final ContractCheck[] checks;

    /**
     * The checkers of a watcher that has not started.
     *
     * @param journal what the scope should get; null when that is not known
     */
    public WatcherContract(int watcherId, String scope, ScopeJournal journal, Violations violations) {
        this.watcherId = watcherId;
        this.scope = scope;
        this.journal = journal;
        this.violations = violations;
        this.reliable = journal == null ? null : new ReliableCheck(this::report, journal);
        ContractCheck ordered = new OrderedCheck(this::report, recent);
        ContractCheck unique = new UniqueCheck(this::report, recent);
        ContractCheck resumable = new ResumableCheck(this::report, journal);
        ContractCheck bookmark = new BookmarkCheck(this::report, journal);
        ContractCheck initial = new InitialEventsCheck(this::report, journal);
        this.checks = journal == null
                ? new ContractCheck[] {ordered, unique, resumable, bookmark, initial}
                : new ContractCheck[] {
                    ordered, unique, resumable, bookmark, initial, reliable, new FilterCheck(this::report, journal)
                };
    }

    @Override
    public void start(long fromVersion) {
        accept(START, fromVersion);
    }

    @Override
    public void resume(long fromVersion) {
        accept(RESUME, fromVersion);
    }

    @Override
    public void startInitial() {
        accept(INITIAL_START, 0);
    }

    @Override
    public void initial(EventType type, long version) {
        accept(INITIAL + type.code(), version);
    }

    @Override
    public void event(EventType type, long version) {
        accept(EVENT + type.code(), version);
    }

    @Override
    public void bookmark(long version, boolean endOfInitialEvents) {
        accept(endOfInitialEvents ? INITIAL_END : BOOKMARK, version);
    }

    @Override
    public void unreadable(String detail) {
        report(Guarantee.READABLE, 0, detail);
    }

    /** Whether all that the truth holds for this watcher has arrived. True without a truth. */
    public boolean isCaughtUp() {
        drain();
        return reliable == null || (deferred.isEmpty() && reliable.isCaughtUp());
    }

    /**
     * The run is over.
     *
     * @param tailRequired whether what is still due counts as missed; otherwise only gaps do
     */
    public void settle(boolean tailRequired) {
        drain();
        while (!deferred.isEmpty()) {
            report(Guarantee.FILTERED, deferred.headVersion(), "a version that the API server never reached");
            deferred.remove();
        }
        for (ContractCheck check : checks) {
            check.onSettled(tailRequired);
        }
    }

    private void accept(int operation, long version) {
        drain();
        if (deferred.isEmpty() && isKnown(operation, version)) {
            apply(operation, version);
        } else if (!deferred.offer(operation, version)) {
            report(Guarantee.RELIABLE, version, "too far ahead of the truth to be checked");
            deferred.remove();
        }
    }

    private boolean isKnown(int operation, long version) {
        return journal == null || operation == INITIAL_START || version <= journal.knownVersion();
    }

    private void drain() {
        while (!deferred.isEmpty() && isKnown(deferred.headOperation(), deferred.headVersion())) {
            int operation = deferred.headOperation();
            long version = deferred.headVersion();
            deferred.remove();
            apply(operation, version);
        }
    }

    private void apply(int operation, long version) {
        switch (operation) {
            case START, RESUME -> {
                recent.clear();
                for (ContractCheck check : checks) {
                    check.onStart(version, operation == RESUME);
                }
            }
            case INITIAL_START -> {
                recent.clear();
                for (ContractCheck check : checks) {
                    check.onInitialStart();
                }
            }
            case BOOKMARK, INITIAL_END -> {
                for (ContractCheck check : checks) {
                    check.onBookmark(version, operation == INITIAL_END);
                }
            }
            default -> applyEvent(operation, version);
        }
    }

    private void applyEvent(int operation, long version) {
        EventType type = EventType.ofCode(operation & EventType.CODE_MASK);
        if (operation >= INITIAL) {
            for (ContractCheck check : checks) {
                check.onInitial(type, version);
            }
            return;
        }
        for (ContractCheck check : checks) {
            check.onEvent(type, version);
        }
        recent.add(type, version);
    }

    private void report(Guarantee guarantee, long version, String detail) {
        violations.add(new Violation(guarantee, watcherId, scope, version, detail, recent.describe(DESCRIBED_EVENTS)));
    }
}
