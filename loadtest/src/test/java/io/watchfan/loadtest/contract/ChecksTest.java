package io.watchfan.loadtest.contract;

import static io.watchfan.loadtest.contract.EventType.ADDED;
import static io.watchfan.loadtest.contract.EventType.DELETED;
import static io.watchfan.loadtest.contract.EventType.MODIFIED;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Each checker catches its fault, and lets pass what is none. */
class ChecksTest {
    private final Journals.Findings findings = new Journals.Findings();
    private final RecentEvents recent = new RecentEvents();

    private void receive(ContractCheck check, long... versions) {
        for (long version : versions) {
            check.onEvent(MODIFIED, version, 0);
            recent.add(MODIFIED, version, 0);
        }
    }

    @Test
    void shouldReportOrderedWhenAVersionFalls() {
        OrderedCheck check = new OrderedCheck(findings, recent);
        check.onStart(10, false);

        receive(check, 11, 13, 12);

        assertThat(findings.found).containsExactly("ORDERED@12");
    }

    @Test
    void shouldNotReportOrderedWhenAnEventIsMerelyRepeated() {
        OrderedCheck check = new OrderedCheck(findings, recent);
        check.onStart(10, false);

        receive(check, 11, 12, 11, 13);

        assertThat(findings.found).isEmpty();
    }

    @Test
    void shouldReportOrderedWhenAnEventComesBelowABookmark() {
        OrderedCheck check = new OrderedCheck(findings, recent);
        check.onStart(10, false);

        check.onBookmark(20, false);
        receive(check, 15);

        assertThat(findings.found).containsExactly("ORDERED@15");
    }

    @Test
    void shouldReportUniqueWhenAnEventComesTwice() {
        UniqueCheck check = new UniqueCheck(findings, recent);
        check.onStart(10, false);

        receive(check, 11, 12, 12, 13, 11);

        assertThat(findings.found).containsExactly("UNIQUE@12", "UNIQUE@11");
    }

    @Test
    void shouldNotReportUniqueWhenAnEventIsMerelyLate() {
        UniqueCheck check = new UniqueCheck(findings, recent);
        check.onStart(10, false);

        receive(check, 12, 11);

        assertThat(findings.found).isEmpty();
    }

    @Test
    void shouldReportReliableWhenAnEventIsLeftOut() {
        ReliableCheck check = new ReliableCheck(findings, Journals.of(11, 12, 13, 14, 15));
        check.onStart(10, false);

        receive(check, 11, 14, 15);
        check.onSettled(true);

        assertThat(findings.found).containsExactly("RELIABLE@12");
        assertThat(findings.details)
                .containsExactly("missed 2 events before MODIFIED of version 14: versions [12, 13]");
    }

    @Test
    void shouldNotReportReliableWhenTheEventComesLate() {
        ReliableCheck check = new ReliableCheck(findings, Journals.of(11, 12, 13));
        check.onStart(10, false);

        receive(check, 12, 11, 13);
        check.onSettled(true);

        assertThat(findings.found).isEmpty();
    }

    @Test
    void shouldReportReliableWhenTheTailIsMissing() {
        ReliableCheck check = new ReliableCheck(findings, Journals.of(11, 12, 13));
        check.onStart(10, false);
        receive(check, 11);

        boolean caughtUp = check.isCaughtUp();
        check.onSettled(true);

        assertThat(caughtUp).isFalse();
        assertThat(findings.found).containsExactly("RELIABLE@12");
    }

    @Test
    void shouldForgiveAMissingTailWhenItIsNotRequired() {
        ReliableCheck check = new ReliableCheck(findings, Journals.of(11, 12, 13));
        check.onStart(10, false);
        receive(check, 11);

        check.onSettled(false);

        assertThat(findings.found).isEmpty();
    }

    @Test
    void shouldReportReliableWhenAResumeSkips() {
        ReliableCheck check = new ReliableCheck(findings, Journals.of(11, 12, 13));
        check.onStart(10, false);
        receive(check, 11);

        // A bookmark at 12 promised that 12 had been delivered.
        check.onStart(12, true);
        receive(check, 13);
        check.onSettled(true);

        assertThat(findings.found).containsExactly("RELIABLE@12");
    }

    @Test
    void shouldBeginBehindTheInitialEvents() {
        ReliableCheck check = new ReliableCheck(findings, Journals.of(11, 12, 13));

        check.onInitialStart();
        check.onBookmark(12, true);
        receive(check, 13);
        check.onSettled(true);

        assertThat(findings.found).isEmpty();
        assertThat(check.isCaughtUp()).isTrue();
    }

    @Test
    void shouldReportFilteredWhenAnEventIsOfAnotherScope() {
        FilterCheck check = new FilterCheck(findings, Journals.of(11, 13));

        receive(check, 11, 12, 13);

        assertThat(findings.found).containsExactly("FILTERED@12");
    }

    @Test
    void shouldReportFilteredWhenTheTypeIsNotThatOfTheScope() {
        FilterCheck check = new FilterCheck(findings, Journals.of(11, 12));

        check.onEvent(ADDED, 11, 11);
        check.onEvent(MODIFIED, 12, 12);

        assertThat(findings.found).containsExactly("FILTERED@11");
    }

    @Test
    void shouldReportResumableWhenAnEventIsNotAboveTheStart() {
        ResumableCheck check = new ResumableCheck(findings, Journals.of(11, 12, 13));
        check.onStart(12, true);

        receive(check, 12, 13);

        assertThat(findings.found).containsExactly("RESUMABLE@12");
    }

    @Test
    void shouldReportResumableWhenTheFirstEventIsNotTheNext() {
        ResumableCheck check = new ResumableCheck(findings, Journals.of(11, 12, 13));
        check.onStart(11, true);

        receive(check, 13);

        assertThat(findings.found).containsExactly("RESUMABLE@13");
    }

    @Test
    void shouldReportBookmarkedWhenABookmarkIsAhead() {
        BookmarkCheck check = new BookmarkCheck(findings, Journals.of(11, 12, 13));
        check.onStart(10, false);
        receive(check, 11);

        check.onBookmark(12, false);

        assertThat(findings.found).containsExactly("BOOKMARKED@12");
    }

    @Test
    void shouldAcceptABookmarkBetweenTheEventsOfTheScope() {
        BookmarkCheck check = new BookmarkCheck(findings, Journals.of(11, 15));
        check.onStart(10, false);
        receive(check, 11);

        check.onBookmark(14, false);
        check.onBookmark(14, false);

        assertThat(findings.found).isEmpty();
    }

    @Test
    void shouldReportBookmarkedWhenABookmarkFalls() {
        BookmarkCheck check = new BookmarkCheck(findings, Journals.of(11, 12));
        check.onStart(10, false);
        receive(check, 11, 12);

        check.onBookmark(11, false);

        assertThat(findings.found).containsExactly("BOOKMARKED@11");
    }

    @Test
    void shouldReportBookmarkedWhenTheEndOfInitialEventsIsToldTwiceOrUnasked() {
        BookmarkCheck check = new BookmarkCheck(findings, Journals.of());

        check.onInitialStart();
        check.onBookmark(10, true);
        check.onBookmark(10, true);
        check.onStart(10, true);
        check.onBookmark(11, true);

        assertThat(findings.found).containsExactly("BOOKMARKED@10", "BOOKMARKED@11");
    }

    @Test
    void shouldReportBookmarkedWhenABookmarkComesAmongTheInitialEvents() {
        BookmarkCheck check = new BookmarkCheck(findings, Journals.of());

        check.onInitialStart();
        check.onBookmark(10, false);

        assertThat(findings.found).containsExactly("BOOKMARKED@10");
    }

    @Test
    void shouldReportInitialWhenAnObjectIsLeftOutOrAnotherIsTold() {
        ScopeJournal journal = new ScopeJournal(Scope.EVERYTHING, 100, true);
        journal.seed(Facts.of(5));
        journal.seed(Facts.of(6));
        InitialEventsCheck check = new InitialEventsCheck(findings, journal);

        check.onInitialStart();
        check.onInitial(ADDED, 5, 5);
        check.onBookmark(10, true);
        check.onInitialStart();
        check.onInitial(ADDED, 5, 5);
        check.onInitial(ADDED, 7, 7);
        check.onBookmark(10, true);
        check.onInitialStart();
        check.onInitial(ADDED, 6, 6);
        check.onInitial(ADDED, 5, 5);
        check.onBookmark(10, true);

        assertThat(findings.details)
                .containsExactly(
                        "1 objects told, there were 2 at version 10", "the 2 objects told are not those at version 10");
    }

    @Test
    void shouldReportInitialWhenADeletionIsAmongTheInitialEvents() {
        InitialEventsCheck check = new InitialEventsCheck(findings, null);

        check.onInitialStart();
        check.onInitial(DELETED, 5, 5);

        assertThat(findings.found).containsExactly("INITIAL@5");
    }

    @Test
    void shouldAcceptDeletionsOfSeveralObjectsAtOneVersion() {
        UniqueCheck unique = new UniqueCheck(findings, recent);
        OrderedCheck ordered = new OrderedCheck(findings, recent);
        for (long objectKey : new long[] {1, 2, 3, 2}) {
            unique.onEvent(DELETED, 11, objectKey);
            ordered.onEvent(DELETED, 11, objectKey);
            recent.add(DELETED, 11, objectKey);
        }

        assertThat(findings.found).containsExactly("UNIQUE@11");
    }

    @Test
    void shouldReportConvergedWhenAnObjectIsKnownThatIsGone() {
        ScopeJournal journal = new ScopeJournal(Scope.EVERYTHING, 100, true);
        journal.seed(Facts.of(5));
        journal.append(11, null, Facts.of(11));
        journal.append(12, Facts.of(5), null);
        journal.append(13, Facts.of(11), Facts.of(13));
        ConvergedCheck check = new ConvergedCheck(findings, journal);

        check.onInitialStart();
        check.onInitial(ADDED, 5, 1);
        check.onBookmark(10, true);
        check.onEvent(ADDED, 11, 2);
        check.onBookmark(11, false);
        assertThat(findings.found).isEmpty();
        // The deletion is not told.
        check.onEvent(MODIFIED, 13, 2);
        boolean caughtUp = check.isCaughtUp();
        check.onBookmark(13, false);
        // It is told late, at a version that is not its own: the state is right again.
        check.onEvent(DELETED, 13, 1);
        check.onSettled(true);

        assertThat(caughtUp).isFalse();
        assertThat(findings.found).containsExactly("CONVERGED@13");
    }
}
