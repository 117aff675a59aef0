package io.watchfan.fanout.log;

import static io.watchfan.fanout.TestObjects.key;
import static io.watchfan.fanout.TestObjects.object;
import static io.watchfan.fanout.TestObjects.objectOfSize;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.log.FeedWriter.Repair;
import io.watchfan.fanout.selector.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Named cases of writing and of gap repair; {@link GapRepairPropertyTest} has the random ones. */
class FeedWriterTest {
    private static final LogLimits LIMITS = new LogLimits(40, 100_000, Long.MAX_VALUE);

    private final FeedWriter writer = new FeedWriter(LIMITS);

    @BeforeEach
    void start() {
        writer.reset(100, List.of(object("a/x", 10), object("a/y", 20)));
    }

    @Test
    void shouldHaveNoStateBeforeTheFirst() {
        FeedWriter fresh = new FeedWriter(LIMITS);

        fresh.tick(1);

        assertThat(fresh.state()).isNull();
        assertThat(fresh.resourceVersion()).isZero();
        assertThat(fresh.size()).isZero();
    }

    @Test
    void shouldSayAddedThenModifiedThenDeleted() {
        StoredObject first = object("a/z", 101);
        StoredObject second = object("a/z", 102);
        StoredObject last = object("a/z", 103);
        writer.upsert(first, 0);
        writer.upsert(second, 0);
        boolean known = writer.delete(last, 103, 0);
        writer.publish();

        assertThat(known).isTrue();
        List<WatchEvent> events = eventsSince(100);
        assertThat(events)
                .extracting(WatchEvent::type)
                .containsExactly(EventType.ADDED, EventType.MODIFIED, EventType.DELETED);
        assertThat(events).extracting(WatchEvent::previous).containsExactly(null, first, second);
        assertThat(events).extracting(WatchEvent::object).containsExactly(first, second, last);
        assertThat(writer.size()).isEqualTo(2);
        assertThat(writer.get(key("a/z"))).isNull();
    }

    @Test
    void shouldOnlyProgressWhenAnUnknownObjectIsDeleted() {
        assertThat(writer.delete(object("a/none", 105), 105, 0)).isFalse();
        writer.publish();

        assertThat(eventsSince(100)).isEmpty();
        assertThat(writer.state().position().resourceVersion()).isEqualTo(105);
    }

    // ---- repair that succeeds

    @Test
    void shouldFindNoDifferenceWhenTheListIsTheSame() {
        Repair repair = writer.repair(200, List.of(object("a/x", 10), object("a/y", 20)), 0);

        assertThat(repair).isEqualTo(Repair.NO_DIFFERENCE);
        assertThat(eventsSince(100)).isEmpty();
        assertThat(writer.state().position().resourceVersion()).isEqualTo(200);
        assertThat(writer.state().startAt(150)).isNull();
    }

    @Test
    void shouldFindNoDifferenceAtTheSameVersion() {
        long epoch = writer.state().epoch();

        Repair repair = writer.repair(100, List.of(object("a/x", 10), object("a/y", 20)), 0);

        assertThat(repair).isEqualTo(Repair.NO_DIFFERENCE);
        assertThat(writer.state().epoch()).isEqualTo(epoch);
    }

    @Test
    void shouldTellDeletionsFirstAtTheLastVersionAndChangesAtTheirOwn() {
        Repair repair = writer.repair(200, List.of(object("a/b", 180), object("a/y", 150)), 0);

        assertThat(repair).isEqualTo(Repair.REPAIRED);
        List<WatchEvent> events = eventsSince(100);
        assertThat(events)
                .extracting(WatchEvent::toString)
                .containsExactly("1:DELETED a/x@100", "2:MODIFIED a/y@150", "3:ADDED a/b@180");
        assertThat(events).extracting(WatchEvent::knownAt).containsExactly(200L, 150L, 180L);
        assertThat(eventsSince(200)).isEmpty();
    }

    @Test
    void shouldTellLeavingBeforeAnyChange() {
        StoredObject moved = object(key("a/y"), "a/y", 150, Labels.of("app", "web"));

        writer.repair(200, List.of(object("a/b", 120), object("a/x", 10), moved), 0);

        List<WatchEvent> events = eventsSince(100);
        assertThat(events)
                .extracting(WatchEvent::toString)
                .containsExactly("1:MODIFIED a/y@100", "2:ADDED a/b@120", "3:MODIFIED a/y@150");
        assertThat(events)
                .extracting(WatchEvent::part)
                .containsExactly(WatchEvent.Part.LEAVING, WatchEvent.Part.WHOLE, WatchEvent.Part.STAYING);
    }

    @Test
    void shouldTellARecreatedObjectAsDeletedAndAdded() {
        StoredObject recreated = object(key("a/y"), "other", 150, Labels.EMPTY);

        writer.repair(200, List.of(object("a/x", 10), recreated), 0);

        assertThat(eventsSince(100))
                .extracting(WatchEvent::toString)
                .containsExactly("1:DELETED a/y@100", "2:ADDED a/y@150");
        assertThat(eventsSince(100).get(1).previous()).isNull();
        assertThat(writer.get(key("a/y"))).isSameAs(recreated);
    }

    @Test
    void shouldRefuseVersionsWithinTheGapAndTakeThoseAtItsEnds() {
        writer.repair(200, List.of(object("a/x", 10), object("a/y", 20)), 0);
        writer.upsert(object("a/z", 205), 0);
        writer.publish();

        assertThat(writer.state().startAt(101)).isNull();
        assertThat(writer.state().startAt(199)).isNull();
        assertThat(eventsSince(100)).hasSize(1);
        assertThat(eventsSince(200)).hasSize(1);
    }

    @Test
    void shouldTakeADifferenceOfHalfTheWindow() {
        List<StoredObject> list = new ArrayList<>(List.of(object("a/x", 10), object("a/y", 20)));
        IntStream.range(0, 10).forEach(i -> list.add(object("b/" + i, 110 + i)));

        assertThat(writer.repair(200, list, 0)).isEqualTo(Repair.REPAIRED);
        assertThat(eventsSince(100)).hasSize(10);
    }

    // ---- repair that begins anew

    @Test
    void shouldBeginANewEpochWhenTheListIsOlder() {
        assertNewEpoch(99, List.of(object("a/x", 10), object("a/y", 20)));
    }

    @Test
    void shouldBeginANewEpochWhenTheListDiffersAtTheSameVersion() {
        assertNewEpoch(100, List.of(object("a/x", 10)));
    }

    @Test
    void shouldBeginANewEpochWhenBytesHaveChangedUnderTheKnownVersion() {
        long epoch = writer.state().epoch();
        List<StoredObject> listed = List.of(objectOfSize("a/x", 10, 80), object("a/y", 20));

        assertThat(writer.repair(200, listed, 0)).isEqualTo(Repair.NEW_EPOCH);

        assertThat(writer.state().epoch()).isGreaterThan(epoch);
        assertThat(writer.get(key("a/x"))).isSameAs(listed.get(0));
    }

    @Test
    void shouldBeginANewEpochWhenAnObjectIsOlderThanTheOneStored() {
        assertNewEpoch(200, List.of(object("a/x", 10), object("a/y", 19)));
    }

    @Test
    void shouldBeginANewEpochWhenAChangeIsNotAboveTheLastVersion() {
        assertNewEpoch(200, List.of(object("a/x", 10), object("a/y", 20), object("a/z", 100)));
    }

    @Test
    void shouldBeginANewEpochWhenARecreatedObjectIsNotAboveTheLastVersion() {
        StoredObject recreated = object(key("a/y"), "other", 90, Labels.EMPTY);

        assertNewEpoch(200, List.of(object("a/x", 10), recreated));
    }

    @Test
    void shouldBeginANewEpochWhenAnObjectIsNewerThanTheList() {
        assertNewEpoch(200, List.of(object("a/x", 10), object("a/y", 201)));
    }

    @Test
    void shouldBeginANewEpochWhenTheDifferenceIsMoreThanHalfTheEvents() {
        List<StoredObject> list = new ArrayList<>(List.of(object("a/x", 10), object("a/y", 20)));
        IntStream.range(0, 11).forEach(i -> list.add(object("b/" + (char) ('a' + i), 110 + i)));

        assertNewEpoch(200, list);
    }

    @Test
    void shouldBeginANewEpochWhenTheDifferenceIsMoreThanHalfTheBytes() {
        assertNewEpoch(200, List.of(object("a/x", 10), object("a/y", 20), objectOfSize("a/z", 150, 25_001)));
    }

    @Test
    void shouldHandOutNothingOfTheFormerEpoch() {
        writer.repair(200, List.of(object("a/x", 10), object("a/y", 150)), 0);
        FeedState old = writer.state();

        writer.reset(50, List.of(object("a/x", 40)));

        assertThat(old.startAt(100).outcome(1)).isEqualTo(PollResult.CLOSED);
        assertThat(writer.state().startAt(100).next()).isEqualTo(1);
        assertThat(writer.state().startAt(150))
                .as("the former epoch's gap is gone")
                .isNotNull();
        assertThat(writer.resourceVersion()).isEqualTo(50);
    }

    private void assertNewEpoch(long version, List<StoredObject> list) {
        FeedState old = writer.state();
        EventCursor cursor = old.startAt(100);

        assertThat(writer.repair(version, list, 0)).isEqualTo(Repair.NEW_EPOCH);

        FeedState state = writer.state();
        assertThat(cursor.outcome(0)).isEqualTo(PollResult.CLOSED);
        assertThat(state.epoch()).isEqualTo(old.epoch() + 1);
        assertThat(state.position().sequence()).isZero();
        assertThat(state.position().resourceVersion()).isEqualTo(version);
        assertThat(state.position().objects().iterator()).toIterable().containsExactlyElementsOf(list);
        assertThat(state.startAt(version - 1)).isNull();
    }

    private List<WatchEvent> eventsSince(long version) {
        FeedState state = writer.state();
        EventCursor cursor = state.startAt(version);
        List<WatchEvent> events = new ArrayList<>();
        WatchEvent event;
        while ((event = cursor.take(state.position().sequence())) != null) {
            if (event.knownAt() > version) {
                events.add(event);
            }
        }
        return events;
    }
}
