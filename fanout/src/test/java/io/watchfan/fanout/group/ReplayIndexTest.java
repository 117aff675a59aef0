package io.watchfan.fanout.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.fanout.TestObjects;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.FeedWriter;
import io.watchfan.fanout.log.LogLimits;
import io.watchfan.fanout.log.PollResult;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.fanout.selector.SelectorParser;
import io.watchfan.fanout.selector.SelectorSyntaxException;
import io.watchfan.fanout.selector.WatchScope;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Replays and initial states that look into an index, against ones that look at everything. */
class ReplayIndexTest {
    private static final SelectableFields FIELDS = SelectableFields.forCustom(true, List.of("spec.node"));
    private static final int EVENTS = 3 * ReplayIndex.SEGMENT + 300;

    @Property(tries = 8)
    void shouldFindExactlyWhatALookAtEveryEventFinds(@ForAll long seed) throws SelectorSyntaxException {
        Random random = new Random(seed);
        FeedWriter writer = feed(10_000, random, EVENTS);
        FeedState state = writer.state();
        ReplayIndex index = new ReplayIndex();

        for (WatchScope scope : scopes()) {
            for (int i = 0; i < 6; i++) {
                long since = state.log().floor() + random.nextInt(EVENTS + 1);
                assertThat(replayed(index, state, scope, since))
                        .as("%s from %d", scope, since)
                        .isEqualTo(naive(state, scope, since));
            }
        }
    }

    @Property(tries = 8)
    void shouldFindExactlyTheObjectsThatALookAtAllFinds(@ForAll long seed) throws SelectorSyntaxException {
        FeedState state = feed(10_000, new Random(seed), 500).state();
        SnapshotIndex index = new SnapshotIndex();

        for (WatchScope scope : scopes()) {
            Iterator<StoredObject> found = index.objects(state.position().objects(), IndexTerm.of(scope), null);
            assertThat(matching(found, scope))
                    .as("%s", scope)
                    .isEqualTo(matching(state.position().objects().iterator(), scope));
            List<StoredObject> all = matching(state.position().objects().iterator(), scope);
            for (int i = 0; i < all.size(); i += 1 + all.size() / 5) {
                ObjectKey after = all.get(i).key();
                assertThat(matching(index.objects(state.position().objects(), IndexTerm.of(scope), after), scope))
                        .as("%s after %s", scope, after)
                        .isEqualTo(all.subList(i + 1, all.size()));
            }
        }
    }

    @Test
    void shouldForgetTheIndexOfAnotherSnapshot() throws SelectorSyntaxException {
        FeedWriter writer = feed(10_000, new Random(1), 10);
        SnapshotIndex index = new SnapshotIndex();
        IndexTerm node = IndexTerm.of(scope(null, "", "spec.node=new"));
        assertThat(index.objects(writer.state().position().objects(), node, null))
                .isExhausted();

        writer.upsert(pod("ns/late", writer.resourceVersion() + 1, "x", "new"), 0);
        writer.publish();

        assertThat(index.objects(writer.state().position().objects(), node, null)
                        .next()
                        .name())
                .isEqualTo("late");
    }

    @Test
    void shouldSayExpiredWhenTheNextEventHasBeenLetGo() throws SelectorSyntaxException {
        FeedWriter writer = feed(2 * ReplayIndex.SEGMENT, new Random(2), EVENTS);
        FeedState state = writer.state();
        EventCursor cursor = state.log().cursorAt(1);

        PollResult result = new ReplayIndex()
                .poll(cursor, state.position().sequence(), IndexTerm.of(scope(null, "", "spec.node=n1")), batch());

        assertThat(result).isEqualTo(PollResult.EXPIRED);
        assertThat(cursor.next()).isEqualTo(1);
    }

    @Test
    void shouldSayExpiredThoughTheSegmentIsStillIndexed() throws SelectorSyntaxException {
        Random random = new Random(3);
        FeedWriter writer = feed(2 * ReplayIndex.SEGMENT, random, ReplayIndex.SEGMENT + 100);
        IndexTerm term = IndexTerm.of(scope(null, "", "spec.node=n1"));
        ReplayIndex index = new ReplayIndex();
        index.poll(writer.state().log().cursorAt(1), writer.state().position().sequence(), term, batch());

        change(writer, random, 3 * ReplayIndex.SEGMENT);

        EventCursor late = writer.state().log().cursorAt(5);
        assertThat(index.poll(late, writer.state().position().sequence(), term, batch()))
                .isEqualTo(PollResult.EXPIRED);
    }

    @Test
    void shouldStopBehindTheLastEventThatFits() throws SelectorSyntaxException {
        FeedState state = feed(10_000, new Random(4), EVENTS).state();
        WatchScope scope = scope(null, "", "spec.node=n1");
        EventCursor cursor = state.log().cursorAt(1);
        EventBatch two = new EventBatch(2);
        List<Long> seen = new ArrayList<>();

        ReplayIndex index = new ReplayIndex();
        while (index.poll(cursor, state.position().sequence(), IndexTerm.of(scope), two) == PollResult.EVENTS) {
            assertThat(two.size()).isLessThanOrEqualTo(2);
            for (int i = 0; i < two.size(); i++) {
                seen.add(two.get(i).sequence());
                assertThat(cursor.next()).isGreaterThan(two.get(i).sequence());
            }
        }

        assertThat(seen).isSorted().doesNotHaveDuplicates();
        assertThat(cursor.next()).isEqualTo(state.position().sequence() + 1);
    }

    @Test
    void shouldHoldNothingOnceCleared() throws SelectorSyntaxException {
        FeedState state = feed(10_000, new Random(5), EVENTS).state();
        ReplayIndex index = new ReplayIndex();
        index.poll(
                state.log().cursorAt(1),
                state.position().sequence(),
                IndexTerm.of(scope(null, "", "spec.node=n1")),
                batch());
        assertThat(index.isEmpty()).isFalse();

        index.trim(ReplayIndex.SEGMENT);
        assertThat(index.isEmpty()).as("the first segment has been let go").isTrue();
    }

    private static EventBatch batch() {
        return new EventBatch(64);
    }

    private static List<WatchScope> scopes() throws SelectorSyntaxException {
        return List.of(
                scope(null, "", "spec.node=n1"),
                scope("a", "", "spec.node=n2"),
                scope(null, "app=x", ""),
                scope(null, "app=y,app!=z", "spec.node!=n1"),
                scope("b", "", ""),
                scope(null, "", "metadata.name=p1"),
                scope("a", "", "metadata.name=p2"),
                scope(null, "", "spec.node=nobody"));
    }

    private static WatchScope scope(String namespace, String labels, String fields) throws SelectorSyntaxException {
        return WatchScope.of(namespace, SelectorParser.parseLabels(labels), SelectorParser.parseFields(fields, FIELDS));
    }

    private static StoredObject pod(String path, long version, String app, String node) {
        return TestObjects.object(TestObjects.key(path), path, version, Labels.of("app", app), node);
    }

    private static FeedWriter feed(int window, Random random, int events) {
        FeedWriter writer = new FeedWriter(new LogLimits(window, Long.MAX_VALUE, Long.MAX_VALUE));
        writer.reset(100, List.of());
        change(writer, random, events);
        return writer;
    }

    private static void change(FeedWriter writer, Random random, int events) {
        for (int i = 0; i < events; i++) {
            String path = List.of("a", "b").get(random.nextInt(2)) + "/p" + random.nextInt(40);
            long version = writer.resourceVersion() + 1;
            ObjectKey key = TestObjects.key(path);
            if (writer.get(key) != null && random.nextInt(5) == 0) {
                writer.delete(pod(path, version, "x", "n0"), version, 0);
            } else {
                writer.upsert(
                        pod(path, version, List.of("x", "y", "z").get(random.nextInt(3)), "n" + random.nextInt(4)), 0);
            }
        }
        writer.publish();
    }

    private static List<Line> replayed(ReplayIndex index, FeedState state, WatchScope scope, long since) {
        EventCursor cursor = state.startAt(since);
        EventBatch events = batch();
        List<Line> lines = new ArrayList<>();
        while (index.poll(cursor, state.position().sequence(), IndexTerm.of(scope), events) == PollResult.EVENTS) {
            for (int i = 0; i < events.size(); i++) {
                add(events.get(i), scope, lines);
            }
        }
        return lines;
    }

    private static List<Line> naive(FeedState state, WatchScope scope, long since) {
        EventCursor cursor = state.startAt(since);
        List<Line> lines = new ArrayList<>();
        WatchEvent event;
        while ((event = cursor.take(state.position().sequence())) != null) {
            add(event, scope, lines);
        }
        return lines;
    }

    private static void add(WatchEvent event, WatchScope scope, List<Line> into) {
        Line line = EventTransition.of(event, scope);
        if (line != null) {
            into.add(line);
        }
    }

    private static List<StoredObject> matching(Iterator<StoredObject> objects, WatchScope scope) {
        List<StoredObject> found = new ArrayList<>();
        objects.forEachRemaining(object -> {
            if (scope.matches(object.namespace(), object.name(), object.labels(), object.fieldValues())) {
                found.add(object);
            }
        });
        return found;
    }
}
