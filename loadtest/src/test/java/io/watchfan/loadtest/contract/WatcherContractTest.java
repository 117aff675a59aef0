package io.watchfan.loadtest.contract;

import static io.watchfan.loadtest.contract.EventType.ADDED;
import static io.watchfan.loadtest.contract.EventType.MODIFIED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checkers together: one fault is one finding, of the right kind, with all that is needed to find it. */
class WatcherContractTest {
    private final Violations violations = new Violations();

    private WatcherContract started(ScopeJournal journal) {
        WatcherContract contract = new WatcherContract(7, "everything", journal, Strictness.EXACT, violations);
        contract.start(10);
        return contract;
    }

    private static void receive(WatcherContract contract, long... versions) {
        for (long version : versions) {
            contract.event(MODIFIED, version, version);
        }
    }

    @Test
    void shouldFindNothingWhenAllIsRight() {
        WatcherContract contract = started(Journals.of(11, 12, 13, 14));

        receive(contract, 11, 12);
        contract.bookmark(12, false);
        contract.resume(12);
        receive(contract, 13, 14);
        boolean caughtUp = contract.isCaughtUp();
        contract.settle(true);

        assertThat(caughtUp).isTrue();
        assertThat(violations.total()).isZero();
    }

    @Test
    void shouldCallADroppedEventMissedAndNothingElse() {
        WatcherContract contract = started(Journals.of(11, 12, 13));

        receive(contract, 11, 13);
        contract.settle(true);

        assertThat(violations.counts()).isEqualTo(Map.of(Guarantee.RELIABLE, 1L));
        assertThat(violations.first().get(0).toString())
                .contains("watcher 7", "everything", "resourceVersion 12", "missed 1 event");
    }

    @Test
    void shouldCallARepeatedEventRepeatedAndNothingElse() {
        WatcherContract contract = started(Journals.of(11, 12, 13));

        receive(contract, 11, 12, 12, 13);
        contract.settle(true);

        assertThat(violations.counts()).isEqualTo(Map.of(Guarantee.UNIQUE, 1L));
        assertThat(violations.first().get(0).recent()).isEqualTo("11 MODIFIED, 12 MODIFIED");
    }

    @Test
    void shouldCallReorderedEventsReorderedAndNothingElse() {
        WatcherContract contract = started(Journals.of(11, 12, 13));

        receive(contract, 12, 11, 13);
        contract.settle(true);

        // The first event of the stream is also not the next after the start.
        assertThat(violations.counts()).isEqualTo(Map.of(Guarantee.ORDERED, 1L, Guarantee.RESUMABLE, 1L));
    }

    @Test
    void shouldCallAnEventOfAnotherScopeFiltered() {
        WatcherContract contract = started(Journals.of(11, 13));

        receive(contract, 11, 12, 13);
        contract.settle(true);

        assertThat(violations.counts()).isEqualTo(Map.of(Guarantee.FILTERED, 1L));
    }

    @Test
    void shouldWaitForATruthThatLags() {
        ScopeJournal journal = Journals.of(11);
        WatcherContract contract = started(journal);

        receive(contract, 11, 12, 14);
        boolean before = contract.isCaughtUp();
        journal.append(12, MODIFIED);
        journal.append(13, MODIFIED);
        journal.append(14, MODIFIED);
        boolean after = contract.isCaughtUp();
        contract.settle(true);

        assertThat(before).isFalse();
        assertThat(after).isTrue();
        assertThat(violations.counts()).isEqualTo(Map.of(Guarantee.RELIABLE, 1L));
    }

    @Test
    void shouldReportAVersionThatNeverWas() {
        WatcherContract contract = started(Journals.of(11));

        receive(contract, 11, 99);
        contract.settle(true);

        assertThat(violations.counts()).isEqualTo(Map.of(Guarantee.FILTERED, 1L));
    }

    @Test
    void shouldStartAnewWithInitialEvents() {
        ScopeJournal journal = new ScopeJournal(Scope.EVERYTHING, 100, true);
        journal.seed(Facts.of(5));
        journal.append(11, null, Facts.of(11));
        journal.append(12, Facts.of(11), Facts.of(12));
        WatcherContract contract = started(journal);

        contract.event(ADDED, 11, 2);
        // Told 410: what was missed until the state is told counts no more.
        contract.startInitial();
        contract.initial(ADDED, 5, 1);
        contract.initial(ADDED, 12, 2);
        contract.bookmark(12, true);
        contract.settle(true);

        assertThat(violations.first()).isEmpty();
    }

    @Test
    void shouldCheckWhatAStreamShowsByItselfWithoutATruth() {
        WatcherContract contract = started(null);

        receive(contract, 20, 15, 20);
        contract.bookmark(19, false);
        contract.resume(20);
        receive(contract, 20);
        contract.settle(true);

        assertThat(violations.counts())
                .isEqualTo(Map.of(
                        Guarantee.ORDERED,
                        1L,
                        Guarantee.UNIQUE,
                        1L,
                        Guarantee.BOOKMARKED,
                        1L,
                        Guarantee.RESUMABLE,
                        1L));
    }
}
