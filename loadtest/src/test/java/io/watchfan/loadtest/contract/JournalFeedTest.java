package io.watchfan.loadtest.contract;

import static io.watchfan.loadtest.contract.EventType.ADDED;
import static io.watchfan.loadtest.contract.EventType.MODIFIED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A truth made from the stream of a reference watcher. */
class JournalFeedTest {
    private final Truth truth = Truth.ofEvents(List.of(Scope.EVERYTHING), 1000);
    private final ScopeJournal journal = truth.journal(Scope.EVERYTHING);
    private final JournalFeed feed = new JournalFeed(journal);
    private final Violations violations = new Violations();
    private final WatcherContract watcher = new WatcherContract(1, "everything", journal, Strictness.EXACT, violations);

    @Test
    void shouldFindWhatAWatcherMissesThatIsAheadOfTheReference() {
        feed.start(10);
        watcher.start(10);

        watcher.event(ADDED, 11, 11);
        watcher.event(MODIFIED, 13, 13);
        feed.event(ADDED, 11, 11);
        feed.event(MODIFIED, 12, 12);
        feed.resume(12);
        feed.event(MODIFIED, 13, 13);
        watcher.settle(false);

        assertThat(feed.trouble()).isEmpty();
        assertThat(violations.counts()).isEqualTo(Map.of(Guarantee.RELIABLE, 1L));
    }

    @Test
    void shouldKnowFromBookmarksThatNothingHappened() {
        feed.start(10);
        watcher.start(10);

        watcher.bookmark(20, false);
        boolean before = watcher.isCaughtUp();
        feed.bookmark(25, false);
        boolean after = watcher.isCaughtUp();

        assertThat(before).isFalse();
        assertThat(after).isTrue();
        assertThat(violations.total()).isZero();
    }

    @Test
    void shouldAcceptInitialEventsOfAStateItDoesNotKnow() {
        feed.start(10);
        feed.event(ADDED, 11, 11);

        watcher.startInitial();
        watcher.initial(ADDED, 5, 5);
        watcher.bookmark(11, true);
        watcher.settle(true);

        assertThat(violations.total()).isZero();
    }

    @Test
    void shouldSayWhenTheReferenceHasLostItsPlace() {
        feed.start(10);

        feed.startInitial();
        feed.event(ADDED, 30, 30);

        assertThat(feed.trouble()).contains("410");
        assertThat(journal.size()).isZero();
    }
}
