package io.watchfan.loadtest.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

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
    /** Null where single events are not known or do not count. */
    private final ReliableCheck reliable;

    /** Null where states are not known. */
    private final ConvergedCheck converged;

    private final ContractCheck[] checks;

    /**
     * The checkers of a watcher that has not started.
     *
     * @param journal what the scope should get; null when that is not known
     */
    public WatcherContract(
            int watcherId, String scope, ScopeJournal journal, Strictness strictness, Violations violations) {
        this.watcherId = watcherId;
        this.scope = scope;
        this.journal = journal;
        this.violations = violations;
        ScopeJournal events = strictness == Strictness.EXACT ? journal : null;
        List<ContractCheck> all = new ArrayList<>();
        all.add(new OrderedCheck(this::report, recent));
        all.add(new UniqueCheck(this::report, recent));
        all.add(new ResumableCheck(this::report, events));
        all.add(new BookmarkCheck(this::report, events));
        all.add(new InitialEventsCheck(this::report, journal));
        reliable = events == null ? null : new ReliableCheck(this::report, events);
        converged = journal == null ? null : new ConvergedCheck(this::report, journal);
        if (events != null) {
            all.add(reliable);
            all.add(new FilterCheck(this::report, events));
        }
        if (journal != null) {
            all.add(converged);
        }
        checks = all.toArray(ContractCheck[]::new);
    }

    @Override
    public void start(long fromVersion) {
        accept(START, fromVersion, 0);
    }

    @Override
    public void resume(long fromVersion) {
        accept(RESUME, fromVersion, 0);
    }

    @Override
    public void startInitial() {
        accept(INITIAL_START, 0, 0);
    }

    @Override
    public void initial(EventType type, long version, long objectKey) {
        accept(INITIAL + type.code(), version, objectKey);
    }

    @Override
    public void event(EventType type, long version, long objectKey) {
        accept(EVENT + type.code(), version, objectKey);
    }

    @Override
    public void bookmark(long version, boolean endOfInitialEvents) {
        accept(endOfInitialEvents ? INITIAL_END : BOOKMARK, version, 0);
    }

    @Override
    public void unreadable(String detail) {
        report(Guarantee.READABLE, 0, detail);
    }

    /** Whether all that the truth holds for this watcher has arrived. True where that cannot be told. */
    public boolean isCaughtUp() {
        drain();
        if (journal == null) {
            return true;
        }
        return deferred.isEmpty() && (reliable == null || reliable.isCaughtUp()) && converged.isCaughtUp();
    }

    @Override
    public void unexplainedEnd(long version, String detail) {
        report(Guarantee.UNBROKEN, version, detail);
    }

    /**
     * The run is over, or at rest.
     *
     * @param tailRequired whether what is still due counts as missed; otherwise only gaps do
     */
    public void settle(boolean tailRequired) {
        drain();
        // Where the tail is not required, the truth may be behind.
        while (tailRequired && !deferred.isEmpty()) {
            report(Guarantee.FILTERED, deferred.headVersion(), "a version that the API server never reached");
            deferred.remove();
        }
        for (ContractCheck check : checks) {
            check.onSettled(tailRequired);
        }
    }

    private void accept(int operation, long version, long objectKey) {
        drain();
        if (deferred.isEmpty() && isKnown(operation, version)) {
            apply(operation, version, objectKey);
        } else if (!deferred.offer(operation, version, objectKey)) {
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
            long objectKey = deferred.headKey();
            deferred.remove();
            apply(operation, version, objectKey);
        }
    }

    private void apply(int operation, long version, long objectKey) {
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
            default -> applyEvent(operation, version, objectKey);
        }
    }

    private void applyEvent(int operation, long version, long objectKey) {
        EventType type = EventType.ofCode(operation & EventType.CODE_MASK);
        if (operation >= INITIAL) {
            for (ContractCheck check : checks) {
                check.onInitial(type, version, objectKey);
            }
            return;
        }
        for (ContractCheck check : checks) {
            check.onEvent(type, version, objectKey);
        }
        recent.add(type, version, objectKey);
    }

    private void report(Guarantee guarantee, long version, String detail) {
        violations.add(new Violation(
                guarantee, watcherId, scope, version, detail, Instant.now(), recent.describe(DESCRIBED_EVENTS)));
    }
}
