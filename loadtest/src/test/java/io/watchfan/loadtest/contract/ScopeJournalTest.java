package io.watchfan.loadtest.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ScopeJournalTest {

    @Test
    void shouldTellTheTypeThatAScopeGivesAChange() {
        ScopeJournal journal = new ScopeJournal(Scope.ofLabel("app", "x"), 100, true);

        journal.append(11, null, Facts.of(11, "a", "x", ""));
        journal.append(12, Facts.of(11, "a", "x", ""), Facts.of(12, "a", "x", "n"));
        journal.append(13, Facts.of(12, "a", "x", "n"), Facts.of(13, "a", "y", "n"));
        journal.append(14, Facts.of(13, "a", "y", "n"), Facts.of(14, "a", "y", "n"));
        journal.append(15, Facts.of(14, "a", "y", "n"), Facts.of(15, "a", "x", "n"));
        journal.append(16, Facts.of(15, "a", "x", "n"), null);

        assertThat(journal.size()).isEqualTo(5);
        assertThat(journal.knownVersion()).isEqualTo(16);
        assertThat(LongStream.range(0, 5).mapToObj(i -> journal.versionAt(i) + " " + journal.typeAt(i)))
                .containsExactly("11 ADDED", "12 MODIFIED", "13 DELETED", "15 ADDED", "16 DELETED");
    }

    @Test
    void shouldFindTheFirstEntryAfterAVersion() {
        ScopeJournal journal = Journals.of(10, 20, 30);

        assertThat(journal.firstAfter(9)).isEqualTo(0);
        assertThat(journal.firstAfter(10)).isEqualTo(1);
        assertThat(journal.firstAfter(29)).isEqualTo(2);
        assertThat(journal.firstAfter(30)).isEqualTo(3);
        assertThat(Journals.of().firstAfter(5)).isEqualTo(0);
    }

    @Test
    void shouldDropTheOldestWhenFullAndSaySo() {
        int entries = 10_000;
        ScopeJournal journal = new ScopeJournal(Scope.EVERYTHING, 2000, true);

        for (int i = 1; i <= entries; i++) {
            journal.append(i, EventType.MODIFIED);
        }

        assertThat(journal.versionAt(0)).isEqualTo(ScopeJournal.GONE);
        assertThat(journal.typeAt(0)).isNull();
        assertThat(journal.versionAt(entries)).isEqualTo(ScopeJournal.NONE);
        for (int i = entries - 2000; i < entries; i++) {
            assertThat(journal.versionAt(i)).isEqualTo(i + 1);
            assertThat(journal.firstAfter(i)).isEqualTo(i);
        }
    }

    @Test
    void shouldKnowTheStateAtEveryVersion() {
        ScopeJournal journal = new ScopeJournal(Scope.ofNamespace("a"), 100, true);
        journal.seed(Facts.of(5));
        journal.seed(Facts.of(6, "b", "x", ""));
        long five = StateHash.of(5);
        journal.append(11, null, Facts.of(11));
        journal.append(12, Facts.of(5), Facts.of(12));

        assertThat(journal.stateDifference(10, 1, five)).isNull();
        assertThat(journal.stateDifference(11, 2, five + StateHash.of(11))).isNull();
        assertThat(journal.stateDifference(12, 2, StateHash.of(12) + StateHash.of(11)))
                .isNull();
        assertThat(journal.stateDifference(12, 2, five + StateHash.of(11))).isNotNull();
        assertThat(journal.stateDifference(11, 1, five)).isNotNull();
    }

    @Test
    void shouldRefuseVersionsThatFall() {
        ScopeJournal journal = Journals.of(10);

        assertThatThrownBy(() -> journal.append(10, EventType.ADDED)).isInstanceOf(IllegalArgumentException.class);
    }
}
