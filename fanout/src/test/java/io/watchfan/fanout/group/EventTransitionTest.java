package io.watchfan.fanout.group;

import static io.watchfan.fanout.TestObjects.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.fanout.TestObjects;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.event.WatchEvent.Part;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectorParser;
import io.watchfan.fanout.selector.SelectorSyntaxException;
import io.watchfan.fanout.selector.WatchScope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a change is to a scope (W-130 to W-134). */
class EventTransitionTest {
    private static final WatchScope WEB = web();
    private static final StoredObject IN_AT_10 = pod(10, "web");
    private static final StoredObject IN_AT_20 = pod(20, "web");
    private static final StoredObject OUT_AT_10 = pod(10, "db");
    private static final StoredObject OUT_AT_20 = pod(20, "db");

    @Test
    void shouldAddAnObjectThatAppearsOrEnters() {
        assertThat(line(EventType.ADDED, IN_AT_20, null)).isEqualTo(new Line(EventType.ADDED, IN_AT_20, 20, 5));
        assertThat(line(EventType.MODIFIED, IN_AT_20, OUT_AT_10)).isEqualTo(new Line(EventType.ADDED, IN_AT_20, 20, 5));
    }

    @Test
    void shouldModifyAnObjectThatStays() {
        assertThat(line(EventType.MODIFIED, IN_AT_20, IN_AT_10))
                .isEqualTo(new Line(EventType.MODIFIED, IN_AT_20, 20, 5));
    }

    @Test
    void shouldDeleteWithThePreviousObjectAtTheNewVersionWhenItLeaves() {
        Line line = line(EventType.MODIFIED, OUT_AT_20, IN_AT_10);

        assertThat(line).isEqualTo(new Line(EventType.DELETED, IN_AT_10, 20, 5));
        assertThat(line.isSpliced()).isTrue();
    }

    @Test
    void shouldDeleteWithTheLastStateWhenItIsDeleted() {
        Line line = line(EventType.DELETED, IN_AT_20, IN_AT_10);

        assertThat(line).isEqualTo(new Line(EventType.DELETED, IN_AT_20, 20, 5));
        assertThat(line.isSpliced()).isFalse();
    }

    @Test
    void shouldJudgeADeletionByWhatWasBefore() {
        assertThat(line(EventType.DELETED, OUT_AT_20, IN_AT_10)).isNotNull();
        assertThat(line(EventType.DELETED, IN_AT_20, OUT_AT_10)).isNull();
    }

    @Test
    void shouldSayNothingOfWhatWasAndIsOutside() {
        assertThat(line(EventType.ADDED, OUT_AT_20, null)).isNull();
        assertThat(line(EventType.MODIFIED, OUT_AT_20, OUT_AT_10)).isNull();
    }

    /** What the parts of a repaired change are to a scope: whether it matched, matches, and gets the part. */
    @ParameterizedTest
    @CsvSource({
        "LEAVING,true,false,true",
        "LEAVING,true,true,false",
        "LEAVING,false,true,false",
        "LEAVING,false,false,false",
        "STAYING,true,false,false",
        "STAYING,true,true,true",
        "STAYING,false,true,true",
        "STAYING,false,false,false"
    })
    void shouldTellAPartOnlyToWhomItConcerns(Part part, boolean before, boolean now, boolean told) {
        WatchEvent event = new WatchEvent(
                5, EventType.MODIFIED, part, 20, 20, now ? IN_AT_20 : OUT_AT_20, before ? IN_AT_10 : OUT_AT_10);

        assertThat(EventTransition.of(event, WEB) != null).isEqualTo(told);
    }

    @Test
    void shouldNeverShowAVersionBelowTheFloor() {
        WatchEvent event = new WatchEvent(5, EventType.DELETED, Part.WHOLE, 10, 30, IN_AT_10, IN_AT_10);

        assertThat(EventTransition.of(event, WEB, 25).resourceVersion()).isEqualTo(25);
        assertThat(EventTransition.of(event, WEB, 5).resourceVersion()).isEqualTo(10);
    }

    @Test
    void shouldShowAnInitialObjectAtItsOwnVersion() {
        assertThat(Line.initial(IN_AT_10)).isEqualTo(new Line(EventType.ADDED, IN_AT_10, 10, 0));
        assertThat(Line.initial(IN_AT_10).isSpliced()).isFalse();
    }

    private static Line line(EventType type, StoredObject object, StoredObject previous) {
        return EventTransition.of(new WatchEvent(5, type, Part.WHOLE, 20, 20, object, previous), WEB);
    }

    private static StoredObject pod(long version, String app) {
        return TestObjects.object(key("a/x"), "u", version, Labels.of("app", app));
    }

    private static WatchScope web() {
        try {
            return WatchScope.of(null, SelectorParser.parseLabels("app=web"), FieldSelector.EVERYTHING);
        } catch (SelectorSyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
