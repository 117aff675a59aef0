package io.watchfan.fanout.bookmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** When a bookmark is due (W-191). */
class BookmarkPolicyTest {
    private static final BookmarkPolicy MINUTE = new BookmarkPolicy(60_000, BookmarkPolicy.API_SERVER_LEAD_MILLIS);

    @Test
    void shouldBeDueAfterThePeriod() {
        assertThat(MINUTE.nextDue(1000, 1_000_000)).isEqualTo(61_000);
    }

    @Test
    void shouldBeDueOnceShortlyBeforeTheDeadline() {
        assertThat(MINUTE.nextDue(960_000, 1_000_000)).isEqualTo(998_000);
        assertThat(MINUTE.nextDue(998_000, 1_000_000)).isEqualTo(BookmarkPolicy.NEVER);
    }

    @Test
    void shouldNeverBeDueWhenTheDeadlineIsTooClose() {
        assertThat(MINUTE.nextDue(0, 2000)).isEqualTo(BookmarkPolicy.NEVER);
        assertThat(MINUTE.nextDue(0, 2001)).isEqualTo(1);
    }

    @Test
    void shouldNotOverflowWithAPeriodWithoutEnd() {
        assertThat(new BookmarkPolicy(Long.MAX_VALUE, 0).nextDue(5, 100)).isEqualTo(100);
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        assertThatThrownBy(() -> new BookmarkPolicy(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new BookmarkPolicy(1, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Property
    void shouldBeDueLaterThanNowAndNeverWithinTheLead(
            @ForAll @LongRange(min = 1, max = 1000) long interval,
            @ForAll @LongRange(min = 0, max = 500) long lead,
            @ForAll @LongRange(min = 0, max = 5000) long now,
            @ForAll @LongRange(min = 0, max = 5000) long deadline) {
        long due = new BookmarkPolicy(interval, lead).nextDue(now, deadline);

        if (due == BookmarkPolicy.NEVER) {
            assertThat(now).isGreaterThanOrEqualTo(deadline - lead);
        } else {
            assertThat(due)
                    .isGreaterThan(now)
                    .isLessThanOrEqualTo(now + interval)
                    .isLessThanOrEqualTo(deadline - lead);
        }
    }
}
