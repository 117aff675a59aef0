package io.watchfan.loadtest.swarm;

import io.watchfan.loadtest.contract.Guarantee;
import io.watchfan.loadtest.contract.Scope;

/** A way to corrupt what one watcher receives, to show that the checks see it. */
public enum Sabotage {
    /** One event is left out. */
    DROP(Guarantee.RELIABLE),
    /** One event comes twice. */
    REPEAT(Guarantee.UNIQUE),
    /** Two events come in the wrong order. */
    REORDER(Guarantee.ORDERED),
    /** An event comes that is none of the scope. */
    INVENT(Guarantee.FILTERED),
    /** A bookmark names the version of an event that is yet to come. */
    BOOKMARK_AHEAD(Guarantee.BOOKMARKED),
    /** The end of the initial events is told twice. */
    END_TWICE(Guarantee.BOOKMARKED),
    /** One of the initial events comes twice. */
    INITIAL_TWICE(Guarantee.INITIAL),
    /** A watch that resumes is told once more what came last before. */
    GO_BACK(Guarantee.RESUMABLE),
    /** A change names another object. */
    MISNAME(Guarantee.CONVERGED),
    /** A line comes that is no event. */
    CORRUPT(Guarantee.READABLE),
    /** A watch is told 410 without a cause. */
    HANG_UP(Guarantee.UNBROKEN),
    /** A list is answered with what an earlier one was answered. No watcher is fooled. */
    STALE_LIST(Guarantee.LISTED);

    private final Guarantee broken;

    Sabotage(Guarantee broken) {
        this.broken = broken;
    }

    /** The promise that it breaks, and the only one. */
    public Guarantee broken() {
        return broken;
    }

    /** Whether a watcher can be fooled so. */
    boolean suits(WatcherProfile profile) {
        return profile.pace() == Pace.FAST
                && switch (this) {
                    case END_TWICE, INITIAL_TWICE, MISNAME ->
                        profile.initialEvents() && profile.scope().equals(Scope.EVERYTHING);
                    case INVENT ->
                        !profile.initialEvents() && !profile.scope().namespace().isEmpty();
                    case STALE_LIST -> false;
                    default -> !profile.initialEvents();
                };
    }
}
