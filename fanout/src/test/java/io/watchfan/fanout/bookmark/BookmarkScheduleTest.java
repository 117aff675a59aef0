package io.watchfan.fanout.bookmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Watchers in time buckets. */
class BookmarkScheduleTest {
    private final List<String> due = new ArrayList<>();

    @Test
    void shouldHandOutNothingWhenEmpty() {
        BookmarkSchedule<String> schedule = new BookmarkSchedule<>(100);

        schedule.advance(Long.MAX_VALUE, due::add);

        assertThat(due).isEmpty();
        assertThat(schedule.isEmpty()).isTrue();
    }

    @Test
    void shouldHandOutOnTheEdgeOfABucket() {
        BookmarkSchedule<String> schedule = new BookmarkSchedule<>(100);
        schedule.schedule("edge", 200);
        schedule.schedule("beyond", 201);

        schedule.advance(199, due::add);
        assertThat(due).isEmpty();
        schedule.advance(200, due::add);
        assertThat(due).containsExactly("edge");
        schedule.advance(299, due::add);
        assertThat(due).containsExactly("edge");
        schedule.advance(300, due::add);
        assertThat(due).containsExactly("edge", "beyond");
        assertThat(schedule.isEmpty()).isTrue();
    }

    @Test
    void shouldHandOutAllBucketsThatHavePassedInOrder() {
        BookmarkSchedule<String> schedule = new BookmarkSchedule<>(10);
        schedule.schedule("late", 95);
        schedule.schedule("early", 5);
        schedule.schedule("future", 1000);

        schedule.advance(100, due::add);

        assertThat(due).containsExactly("early", "late");
    }

    @Test
    void shouldTakeAWatcherAgainFromItsCallback() {
        BookmarkSchedule<String> schedule = new BookmarkSchedule<>(10);
        schedule.schedule("w", 10);

        for (long now = 0; now <= 100; now += 10) {
            long at = now;
            schedule.advance(now, watcher -> {
                due.add(watcher + at);
                schedule.schedule(watcher, at + 30);
            });
        }

        assertThat(due).containsExactly("w10", "w40", "w70", "w100");
    }

    @Test
    void shouldHandOutAtOnceWhatACallbackSchedulesForNow() {
        BookmarkSchedule<String> schedule = new BookmarkSchedule<>(10);
        schedule.schedule("first", 10);

        schedule.advance(50, watcher -> {
            due.add(watcher);
            if (watcher.equals("first")) {
                schedule.schedule("second", 10);
            }
        });

        assertThat(due).containsExactly("first", "second");
    }

    @Test
    void shouldKeepNobodyWhoIsNeverDue() {
        BookmarkSchedule<String> schedule = new BookmarkSchedule<>(1000);

        schedule.schedule("w", BookmarkPolicy.NEVER);
        schedule.advance(1_000_000, due::add);

        assertThat(due).isEmpty();
        assertThat(schedule.isEmpty()).isTrue();
    }

    @Test
    void shouldNotOverflowWithTimesFarAhead() {
        BookmarkSchedule<String> schedule = new BookmarkSchedule<>(1000);

        schedule.schedule("w", Long.MAX_VALUE - 1);
        schedule.advance(1_000_000, due::add);

        assertThat(due).isEmpty();
    }

    @Test
    void shouldRefuseABucketWithoutWidth() {
        assertThatThrownBy(() -> new BookmarkSchedule<>(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Property
    void shouldHandOutEachOnceNeverEarlyAndAtMostOneBucketLate(
            @ForAll @LongRange(min = 1, max = 50) long width,
            @ForAll @Size(max = 40) List<@IntRange(min = 0, max = 400) Integer> times) {
        BookmarkSchedule<Integer> schedule = new BookmarkSchedule<>(width);
        Map<Integer, Long> handedOut = new HashMap<>();
        for (int i = 0; i < times.size(); i++) {
            schedule.schedule(i, times.get(i));
        }

        for (long now = 0; now <= 500; now++) {
            long at = now;
            schedule.advance(
                    now, watcher -> assertThat(handedOut.put(watcher, at)).isNull());
        }

        for (int i = 0; i < times.size(); i++) {
            assertThat(handedOut.get(i)).isBetween((long) times.get(i), times.get(i) + width - 1);
        }
        assertThat(schedule.isEmpty()).isTrue();
    }
}
