package io.watchfan.fanout.log;

import static io.watchfan.fanout.log.LogDriver.FIRST;
import static io.watchfan.fanout.log.LogDriver.drain;
import static io.watchfan.fanout.log.LogDriver.ofEvents;
import static io.watchfan.fanout.log.LogDriver.sequencesFrom;
import static io.watchfan.fanout.log.LogDriver.versionOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchfan.fanout.TestObjects;
import io.watchfan.fanout.event.WatchEvent;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The edges of the ring, and what a cursor says at them. */
class EventLogTest {
    private static final long SECOND = 1_000_000_000L;

    // ---- empty, one, full, one over, across the wrap

    @Test
    void shouldBeCaughtUpWhenEmpty() {
        FeedState state = ofEvents(4).state();

        EventCursor cursor = state.startAt(FIRST);

        assertThat(cursor.next()).isEqualTo(1);
        assertThat(cursor.take(state.position().sequence())).isNull();
        assertThat(cursor.outcome(state.position().sequence())).isEqualTo(PollResult.CAUGHT_UP);
        assertThat(state.window()).isEqualTo(new LogWindow(FIRST, FIRST, 0, 0));
        assertThat(state.startAt(FIRST - 1)).isNull();
    }

    @Test
    void shouldHandOutTheOnlyEvent() {
        FeedState state = ofEvents(4).append(1).state();

        EventCursor cursor = state.startAt(FIRST);
        WatchEvent event = cursor.take(1);

        assertThat(event.sequence()).isEqualTo(1);
        assertThat(event.resourceVersion()).isEqualTo(versionOf(1));
        assertThat(cursor.outcome(1)).isEqualTo(PollResult.CAUGHT_UP);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 1000, 1024, 1025})
    void shouldKeepEverythingWhenExactlyFull(int capacity) {
        FeedState state = ofEvents(capacity).append(capacity).state();

        assertThat(sequencesFrom(state, FIRST)).isEqualTo(range(1, capacity));
        assertThat(state.window().events()).isEqualTo(capacity);
        assertThat(state.window().oldest()).isEqualTo(FIRST);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 1000, 1024, 1025})
    void shouldLetGoOfTheOldestWhenOneOver(int capacity) {
        FeedState state = ofEvents(capacity).append(capacity + 1).state();

        assertThat(state.startAt(FIRST)).isNull();
        assertThat(sequencesFrom(state, versionOf(1))).isEqualTo(range(2, capacity + 1));
        assertThat(state.window().oldest()).isEqualTo(versionOf(1));
        assertThat(state.window().latest()).isEqualTo(versionOf(capacity + 1));
    }

    @ParameterizedTest
    @CsvSource({"1,7", "2,9", "3,10", "4,11", "5,23", "1024,5000", "1500,7000"})
    void shouldKeepTheNewestAcrossTheWrap(int capacity, int appended) {
        FeedState state = ofEvents(capacity).append(appended).state();

        long oldest = (long) appended - capacity + 1;
        assertThat(sequencesFrom(state, versionOf(oldest - 1))).isEqualTo(range(oldest, appended));
        assertThat(sequencesFrom(state, versionOf(oldest - 1) - 1)).isNull();
        assertThat(state.window().events()).isEqualTo(capacity);
    }

    @Test
    void shouldGrowBeyondItsFirstSlots() {
        LogDriver log = ofEvents(5000);
        EventCursor early = log.state().startAt(FIRST);

        for (int i = 0; i < 50; i++) {
            log.append(100);
            assertThat(sequencesFrom(log.state(), FIRST))
                    .isEqualTo(range(1, log.state().position().sequence()));
        }

        assertThat(drain(log.state(), early)).isEqualTo(range(1, 5000));
        log.append(1);
        assertThat(log.state().startAt(FIRST)).isNull();
    }

    @Test
    void shouldGrowWhenTheRingHasWrappedBefore() {
        LogDriver log = new LogDriver(new LogLimits(5000, 10_000, Long.MAX_VALUE));
        for (int i = 0; i < 1500; i++) {
            log.append(100, 0);
        }
        for (int i = 0; i < 50; i++) {
            log.append(10_000, 0);
        }
        for (int i = 0; i < 100; i++) {
            log.append(100, 0);
        }
        LogDriver small = ofEvents(3000).append(700);
        small.append(2000);

        assertThat(sequencesFrom(small.state(), FIRST)).isEqualTo(range(1, 2700));
        assertThat(sequencesFrom(log.state(), versionOf(1550))).isEqualTo(range(1551, 1650));
    }

    @Test
    void shouldTakeTheLargestBoundThereIs() {
        FeedState state = ofEvents(Integer.MAX_VALUE).append(3).state();

        assertThat(sequencesFrom(state, FIRST)).isEqualTo(range(1, 3));
    }

    // ---- readers early, late and lapped

    @Test
    void shouldStartALateReaderWhereItsVersionSays() {
        FeedState state = ofEvents(100).append(60).state();

        assertThat(sequencesFrom(state, versionOf(42))).isEqualTo(range(43, 60));
        assertThat(state.startAt(versionOf(60)).next()).isEqualTo(61);
        assertThat(state.startAtEnd().next()).isEqualTo(61);
    }

    @Test
    void shouldReportExpiredWhenCursorIsLapped() {
        LogDriver log = ofEvents(4).append(4);
        EventCursor cursor = log.state().startAt(FIRST);

        log.append(1);

        assertThat(cursor.take(5)).isNull();
        assertThat(cursor.outcome(5)).isEqualTo(PollResult.EXPIRED);
        assertThat(cursor.next()).isEqualTo(1);
    }

    @Test
    void shouldReportExpiredWhenLappedWhileReading() {
        LogDriver log = ofEvents(4).append(4);
        EventCursor cursor = log.state().startAt(FIRST);
        assertThat(cursor.take(4).sequence()).isEqualTo(1);

        log.append(2);

        assertThat(cursor.take(6)).isNull();
        assertThat(cursor.outcome(6)).isEqualTo(PollResult.EXPIRED);
    }

    @Test
    void shouldGoOnWhenOnlyWhatWasReadIsLetGo() {
        LogDriver log = ofEvents(4).append(4);
        EventCursor cursor = log.state().startAt(FIRST);
        assertThat(drain(log.state(), cursor)).isEqualTo(range(1, 4));

        log.append(4);

        assertThat(drain(log.state(), cursor)).isEqualTo(range(5, 8));
    }

    @Test
    void shouldGiveAReaderOfAnOldStateOnlyWhatThatStateCovers() {
        LogDriver log = ofEvents(10).append(2);
        FeedState old = log.state();
        log.append(2);

        assertThat(sequencesFrom(old, FIRST)).isEqualTo(range(1, 2));
        assertThat(old.window().latest()).isEqualTo(versionOf(2));
        assertThat(old.startAtEnd().outcome(log.state().position().sequence())).isEqualTo(PollResult.EVENTS);
    }

    @Test
    void shouldNotShowWhatIsNotPublished() {
        LogDriver log = ofEvents(10).append(1);

        log.writer.upsert(TestObjects.object("a/y", versionOf(2)), 0);

        assertThat(sequencesFrom(log.state(), FIRST)).isEqualTo(range(1, 1));
        log.writer.publish();
        assertThat(sequencesFrom(log.state(), FIRST)).isEqualTo(range(1, 2));
    }

    // ---- start positions

    @Test
    void shouldStartAtTheFloorAndNotBelow() {
        FeedState state = ofEvents(4).append(10).state();

        assertThat(state.window().oldest()).isEqualTo(versionOf(6));
        assertThat(state.startAt(versionOf(6)).next()).isEqualTo(7);
        assertThat(state.startAt(versionOf(6) + 1).next()).isEqualTo(7);
        assertThat(state.startAt(versionOf(6) - 1)).isNull();
        assertThat(state.startAt(0)).isNull();
    }

    @Test
    void shouldStartAheadOfThePosition() {
        LogDriver log = ofEvents(10).append(3);

        EventCursor cursor = log.state().startAt(versionOf(5));

        assertThat(cursor.next()).isEqualTo(4);
        log.append(3);
        assertThat(drain(log.state(), cursor)).isEqualTo(range(4, 6));
        assertThat(sequencesFrom(log.state(), versionOf(5))).isEqualTo(range(6, 6));
    }

    @Test
    void shouldStartBetweenVersionsThatHaveGaps() {
        FeedState state = ofEvents(10).append(5).state();

        assertThat(sequencesFrom(state, versionOf(2) + 1)).isEqualTo(range(3, 5));
        assertThat(sequencesFrom(state, versionOf(3) - 1)).isEqualTo(range(3, 5));
        assertThat(sequencesFrom(state, versionOf(3))).isEqualTo(range(4, 5));
    }

    @Test
    void shouldMoveOnlyTheVersionWithProgress() {
        LogDriver log = ofEvents(10).append(2);
        Position before = log.state().position();

        log.writer.progress(5000);
        log.writer.progress(4000);
        log.writer.publish();

        Position after = log.state().position();
        assertThat(after.resourceVersion()).isEqualTo(5000);
        assertThat(after.sequence()).isEqualTo(before.sequence());
        assertThat(after.objects()).isSameAs(before.objects());
        assertThat(log.state().startAt(5000).next()).isEqualTo(3);
    }

    // ---- bytes and age

    @Test
    void shouldKeepWithinTheBytes() {
        LogDriver log = new LogDriver(new LogLimits(100, 1000, Long.MAX_VALUE));

        for (int i = 0; i < 10; i++) {
            log.append(100, 0);
        }
        assertThat(sequencesFrom(log.state(), FIRST)).isEqualTo(range(1, 10));
        assertThat(log.state().window().bytes()).isEqualTo(1000);

        log.append(250, 0);

        assertThat(log.state().startAt(versionOf(2))).isNull();
        assertThat(sequencesFrom(log.state(), versionOf(3))).isEqualTo(range(4, 11));
        assertThat(log.state().window().bytes()).isEqualTo(950);
    }

    @Test
    void shouldKeepTheNewestEventWhateverItsSize() {
        LogDriver log = new LogDriver(new LogLimits(100, 1000, Long.MAX_VALUE));
        log.append(100, 0).append(5000, 0);

        assertThat(sequencesFrom(log.state(), versionOf(1))).isEqualTo(range(2, 2));
        assertThat(log.state().startAt(FIRST)).isNull();

        log.append(100, 0);

        assertThat(sequencesFrom(log.state(), versionOf(2))).isEqualTo(range(3, 3));
    }

    @Test
    void shouldKeepAQuietResourceWhateverItsAge() {
        LogDriver log = new LogDriver(new LogLimits(5000, 1000, SECOND));
        for (int i = 0; i < 9; i++) {
            log.append(100, 0);
        }

        log.writer.tick(1000 * SECOND);
        log.writer.publish();

        assertThat(sequencesFrom(log.state(), FIRST)).isEqualTo(range(1, 9));
    }

    @Test
    void shouldLetGoOfTheAgedBeyondTheFirstThousand() {
        LogDriver log = new LogDriver(new LogLimits(5000, 200_000, SECOND));
        for (int i = 0; i < 1200; i++) {
            log.append(100, i < 150 ? 0 : 10 * SECOND);
        }

        log.writer.tick(10 * SECOND + 1);

        assertThat(log.state().window().events()).isEqualTo(1050);
        assertThat(log.state().window().oldest()).isEqualTo(versionOf(150));

        log.writer.tick(11 * SECOND);
        assertThat(log.state().window().events()).isEqualTo(1050);
        log.writer.tick(11 * SECOND + 1);
        assertThat(log.state().window().events()).isEqualTo(LogLimits.AGELESS_EVENTS);
    }

    @Test
    void shouldKeepAQuarterOfTheBytesWhateverTheirAge() {
        LogDriver log = new LogDriver(new LogLimits(5000, 600_000, SECOND));
        for (int i = 0; i < 2000; i++) {
            log.append(100, 0);
        }

        log.writer.tick(100 * SECOND);

        assertThat(log.state().window().events()).isEqualTo(1500);
        assertThat(log.state().window().bytes()).isEqualTo(150_000);
    }

    @Test
    void shouldLetGoOfTheAgedWhenAppending() {
        LogDriver log = new LogDriver(new LogLimits(5000, 200_000, SECOND));
        for (int i = 0; i < 1100; i++) {
            log.append(100, 0);
        }

        log.append(100, 2 * SECOND);

        assertThat(log.state().window().events()).isEqualTo(LogLimits.AGELESS_EVENTS);
    }

    @ParameterizedTest
    @CsvSource({"0,1,1", "1,0,1", "1,1,0"})
    void shouldRefuseAWindowWithoutABound(int events, long bytes, long age) {
        assertThatThrownBy(() -> new LogLimits(events, bytes, age)).isInstanceOf(IllegalArgumentException.class);
    }

    // ---- epochs

    @Test
    void shouldCloseTheLogWithANewEpoch() {
        LogDriver log = ofEvents(10).append(3);
        FeedState old = log.state();
        EventCursor cursor = old.startAt(FIRST);
        cursor.take(3);

        log.writer.reset(500, List.of(TestObjects.object("a/z", 400)));

        assertThat(cursor.take(3)).isNull();
        assertThat(cursor.outcome(3)).isEqualTo(PollResult.CLOSED);
        assertThat(cursor.poll(3, new EventBatch(3), 1000)).isEqualTo(PollResult.CLOSED);
        FeedState state = log.state();
        assertThat(state.epoch()).isEqualTo(old.epoch() + 1);
        assertThat(state.log().isClosed()).isFalse();
        assertThat(state.position().sequence()).isZero();
        assertThat(state.position().resourceVersion()).isEqualTo(500);
        assertThat(state.position().objects().size()).isEqualTo(1);
        assertThat(state.startAt(499)).isNull();
        assertThat(state.startAt(500).next()).isEqualTo(1);
        assertThat(log.writer.storeBytes())
                .isEqualTo(TestObjects.object("a/z", 400).bytes().length);
    }

    // ---- batches

    @Test
    void shouldFillABatchUpToItsBounds() {
        LogDriver log = new LogDriver(new LogLimits(100, 10_000, Long.MAX_VALUE));
        for (int i = 0; i < 10; i++) {
            log.append(100, 0);
        }
        EventBatch batch = new EventBatch(4);
        EventCursor cursor = log.state().startAt(FIRST);

        assertThat(cursor.poll(10, batch, 1000)).isEqualTo(PollResult.EVENTS);
        assertThat(batch.size()).isEqualTo(4);
        assertThat(batch.bytes()).isEqualTo(400);
        assertThat(batch.get(3).sequence()).isEqualTo(4);
        assertThat(cursor.poll(10, batch, 200)).isEqualTo(PollResult.EVENTS);
        assertThat(batch.size()).isEqualTo(2);
        assertThatThrownBy(() -> batch.get(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(cursor.poll(10, batch, 1)).isEqualTo(PollResult.EVENTS);
        assertThat(batch.size()).isEqualTo(1);
        assertThat(cursor.poll(10, batch, 1000)).isEqualTo(PollResult.EVENTS);
        assertThat(batch.size()).isEqualTo(3);
        assertThat(cursor.poll(10, batch, 1000)).isEqualTo(PollResult.CAUGHT_UP);
        assertThat(batch.isEmpty()).isTrue();
    }

    @Test
    void shouldTakeTheFirstEventWhateverTheBytesAllowed() {
        LogDriver log = ofEvents(10).append(2);
        EventBatch batch = new EventBatch(4);

        assertThat(log.state().startAt(FIRST).poll(2, batch, 0)).isEqualTo(PollResult.EVENTS);
        assertThat(batch.size()).isEqualTo(1);
    }

    @Test
    void shouldSayExpiredOnlyAfterWhatWasTakenBefore() {
        LogDriver log = ofEvents(4).append(6);
        EventBatch batch = new EventBatch(4);
        EventCursor cursor = log.state().startAt(versionOf(2));
        cursor.moveTo(2);

        assertThat(cursor.poll(6, batch, 1000)).isEqualTo(PollResult.EXPIRED);
        assertThat(batch.isEmpty()).isTrue();
    }

    // ---- random

    @Property(tries = 300)
    void shouldKeepTheNewestWithinAnyBounds(
            @ForAll @IntRange(min = 1, max = 40) int maxEvents,
            @ForAll @IntRange(min = 60, max = 2000) int maxBytes,
            @ForAll List<@IntRange(min = 60, max = 300) Integer> sizes) {
        LogDriver log = new LogDriver(new LogLimits(maxEvents, maxBytes, Long.MAX_VALUE));
        sizes.forEach(size -> log.append(size, 0));

        int oldest = sizes.size();
        long bytes = 0;
        while (oldest > 0
                && sizes.size() - oldest < maxEvents
                && (oldest == sizes.size() || bytes + sizes.get(oldest - 1) <= maxBytes)) {
            oldest--;
            bytes += sizes.get(oldest);
        }
        assertThat(log.state().window())
                .isEqualTo(new LogWindow(
                        versionOf(oldest),
                        versionOf(sizes.size()),
                        sizes.size() - oldest,
                        sizes.isEmpty() ? 0 : bytes));
        assertThat(sequencesFrom(log.state(), versionOf(oldest))).isEqualTo(range(oldest + 1, sizes.size()));
        assertThat(sequencesFrom(log.state(), versionOf(oldest) - 1)).isNull();
    }

    private static List<Long> range(long from, long to) {
        return LongStream.rangeClosed(from, to).boxed().toList();
    }
}
