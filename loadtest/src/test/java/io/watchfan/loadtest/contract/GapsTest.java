package io.watchfan.loadtest.contract;

import static io.watchfan.loadtest.contract.EventType.ADDED;
import static io.watchfan.loadtest.contract.EventType.DELETED;
import static io.watchfan.loadtest.contract.EventType.MODIFIED;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Gaps, and what the checkers let pass for their sake, and nothing beyond. */
class GapsTest {
    private final Violations violations = new Violations();
    private final ScopeJournal journal = Journals.of(11, 12, 13, 14, 15, 16);

    private WatcherContract resumedAt(long version) {
        WatcherContract contract = new WatcherContract(1, "everything", journal, Strictness.EXACT, violations);
        contract.start(version);
        return contract;
    }

    private void gap(long from, long to) {
        journal.gaps().open(from);
        journal.gaps().close(to);
    }

    @Test
    void shouldHoldTheVersionsAboveItsStartUpToItsEnd() {
        Gaps gaps = new Gaps();
        gaps.open(10);
        assertThat(gaps.isOpen()).isTrue();
        assertThat(gaps.contains(1000)).isTrue();

        gaps.close(12);

        assertThat(gaps.isOpen()).isFalse();
        assertThat(gaps.contains(10)).isFalse();
        assertThat(gaps.contains(11)).isTrue();
        assertThat(gaps.contains(12)).isTrue();
        assertThat(gaps.contains(13)).isFalse();
        assertThat(gaps.isStrictlyInside(11)).isTrue();
        assertThat(gaps.isStrictlyInside(12)).isFalse();
        assertThat(gaps.isStart(10)).isTrue();
        assertThat(gaps.isStart(11)).isFalse();
    }

    @Test
    void shouldForgetAGapWithNothingInIt() {
        Gaps gaps = new Gaps();
        gaps.open(10);
        gaps.close(10);

        assertThat(gaps.all()).isEmpty();
    }

    @Test
    void shouldLetPassWhatTheDifferenceLeavesOut() {
        gap(11, 14);
        WatcherContract contract = resumedAt(10);

        contract.event(MODIFIED, 11, 1);
        contract.event(DELETED, 11, 2);
        contract.event(ADDED, 14, 3);
        contract.bookmark(14, false);
        contract.event(MODIFIED, 15, 1);
        contract.event(MODIFIED, 16, 1);
        boolean caughtUp = contract.isCaughtUp();
        contract.settle(true);

        assertThat(caughtUp).isTrue();
        assertThat(violations.first()).isEmpty();
    }

    @Test
    void shouldReportWhatIsLeftOutBesideAGap() {
        gap(12, 14);
        WatcherContract contract = resumedAt(10);

        contract.event(MODIFIED, 11, 1);
        contract.event(MODIFIED, 16, 1);
        contract.settle(true);

        assertThat(violations.first())
                .singleElement()
                .satisfies(violation -> assertThat(violation.detail()).contains("missed 2 events", "[12, 15]"));
    }

    @Test
    void shouldReportWhatIsLeftOutThoughAGapEndedSooner() {
        journal.gaps().open(11);
        WatcherContract contract = resumedAt(10);
        contract.event(MODIFIED, 11, 1);
        contract.event(MODIFIED, 16, 1);

        journal.gaps().close(14);
        contract.settle(true);

        assertThat(violations.first())
                .singleElement()
                .satisfies(violation -> assertThat(violation.detail()).contains("[15]"));
    }

    @Test
    void shouldLetDeletionsBeToldAgainAtTheStartOfAGapAndNowhereElse() {
        gap(12, 14);
        resumedAt(12).event(DELETED, 12, 1);
        assertThat(violations.total()).isZero();

        resumedAt(13).event(DELETED, 13, 1);
        resumedAt(12).event(MODIFIED, 12, 1);

        assertThat(violations.first())
                .filteredOn(violation -> violation.guarantee() == Guarantee.RESUMABLE)
                .hasSize(2);
    }

    @Test
    void shouldReportADeletionThatIsNoneAndABookmarkThatIsAheadBesideAGap() {
        gap(12, 14);
        WatcherContract contract = resumedAt(14);

        contract.bookmark(15, false);
        contract.event(DELETED, 15, 1);

        assertThat(violations.counts()).containsOnlyKeys(Guarantee.BOOKMARKED, Guarantee.FILTERED);
    }

    @Test
    void shouldWaitForWhatIsDueBehindAGap() {
        gap(10, 15);
        WatcherContract contract = resumedAt(10);
        assertThat(contract.isCaughtUp()).isFalse();

        contract.event(MODIFIED, 16, 1);

        assertThat(contract.isCaughtUp()).isTrue();
    }
}
