package io.watchfan.fanout.group;

import static io.watchfan.fanout.TestObjects.field;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.fanout.TestObjects;
import io.watchfan.fanout.event.EventType;
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
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Groups that are found by an index and matched once, against watchers that each look at every event for themselves. */
class FilterGroupsPropertyTest {
    private static final SelectableFields FIELDS = SelectableFields.forCustom(true, List.of("spec.color", "spec.size"));
    private static final List<String> NAMESPACES = List.of("a", "b", "a-b");
    private static final List<String> NAMES = List.of("x", "y", "a");
    private static final List<String> VALUES = List.of("1", "2", "a");
    private static final List<String> COLORS = List.of("", "red", "blue");

    /** One condition, as text for the parser and as the random source meant it. */
    private record Condition(String kind, String subject, String operator, String value) {
        String text() {
            return switch (operator) {
                case "in", "notin" -> subject + " " + operator + " (" + value + ",other)";
                case "exists" -> subject;
                case "absent" -> "!" + subject;
                default -> subject + operator + value;
            };
        }

        boolean holds(StoredObject object) {
            String actual = switch (subject) {
                case "metadata.name" -> object.name();
                case "metadata.namespace" -> object.namespace();
                case "spec.color" -> object.fieldValues()[FIELDS.indexOf("spec.color")];
                case "spec.size" -> object.fieldValues()[FIELDS.indexOf("spec.size")];
                default -> object.labels().get(subject);
            };
            return switch (operator) {
                case "=" -> value.equals(actual);
                case "!=" -> !value.equals(actual);
                case "in" -> value.equals(actual) || "other".equals(actual);
                case "notin" -> !value.equals(actual) && !"other".equals(actual);
                case "exists" -> actual != null;
                default -> actual == null;
            };
        }
    }

    /** A watcher that knows nothing of groups: it matches every event by itself. */
    private static final class NaiveWatcher {
        final String namespace;
        final List<Condition> conditions;
        final WatchScope scope;
        final List<Line> expected = new ArrayList<>();

        NaiveWatcher(Random random) {
            namespace = random.nextInt(3) == 0 ? pick(NAMESPACES, random) : null;
            conditions = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                conditions.add(condition(random));
            }
            try {
                scope = WatchScope.of(
                        namespace,
                        SelectorParser.parseLabels(text("label")),
                        SelectorParser.parseFields(text("field"), FIELDS));
            } catch (SelectorSyntaxException e) {
                throw new AssertionError(e);
            }
        }

        private String text(String kind) {
            return String.join(
                    ",",
                    conditions.stream()
                            .filter(condition -> condition.kind.equals(kind))
                            .map(Condition::text)
                            .toList());
        }

        private static Condition condition(Random random) {
            if (random.nextBoolean()) {
                String subject = pick(List.of("app", "tier"), random);
                String operator = pick(List.of("=", "=", "!=", "in", "notin", "exists", "absent"), random);
                return new Condition("label", subject, operator, pick(VALUES, random));
            }
            String subject = pick(List.of("metadata.name", "metadata.namespace", "spec.color", "spec.size"), random);
            List<String> values = subject.equals("metadata.name")
                    ? NAMES
                    : subject.equals("metadata.namespace") ? NAMESPACES : COLORS;
            return new Condition("field", subject, random.nextInt(3) == 0 ? "!=" : "=", pick(values, random));
        }

        private boolean sees(StoredObject object) {
            return object != null
                    && (namespace == null || namespace.equals(object.namespace()))
                    && conditions.stream().allMatch(condition -> condition.holds(object));
        }

        void take(WatchEvent event) {
            boolean before = sees(event.previous());
            boolean now = event.type() != EventType.DELETED && sees(event.object());
            long version = event.resourceVersion();
            if (before && !now && event.part() != WatchEvent.Part.STAYING) {
                StoredObject source = event.type() == EventType.DELETED ? event.object() : event.previous();
                expected.add(new Line(EventType.DELETED, source, version, event.sequence()));
            } else if (now && event.part() != WatchEvent.Part.LEAVING) {
                EventType type = before ? EventType.MODIFIED : EventType.ADDED;
                expected.add(new Line(type, event.object(), version, event.sequence()));
            }
        }
    }

    /** A feed with random objects. */
    private static final class Feed {
        final FeedWriter writer = new FeedWriter(new LogLimits(1000, Long.MAX_VALUE, Long.MAX_VALUE));
        private final TreeMap<ObjectKey, StoredObject> objects = new TreeMap<>();
        private final Random random;

        Feed(Random random) {
            this.random = random;
            writer.reset(1, List.of());
        }

        void change(int times) {
            for (int i = 0; i < times; i++) {
                StoredObject object = object(writer.resourceVersion() + 1);
                if (objects.containsKey(object.key()) && random.nextInt(4) == 0) {
                    objects.remove(object.key());
                    writer.delete(object, object.resourceVersion(), 0);
                } else {
                    objects.put(object.key(), object);
                    writer.upsert(object, 0);
                }
            }
            writer.publish();
        }

        void miss(int times) {
            long version = writer.resourceVersion();
            for (int i = 0; i < times; i++) {
                StoredObject object = object(++version);
                if (random.nextInt(3) == 0) {
                    objects.remove(object.key());
                } else {
                    objects.put(object.key(), object);
                }
            }
            writer.repair(version + 1, List.copyOf(objects.values()), 0);
        }

        private StoredObject object(long version) {
            Map<String, String> labels = new HashMap<>();
            for (String key : List.of("app", "tier")) {
                if (random.nextBoolean()) {
                    labels.put(key, pick(VALUES, random));
                }
            }
            String[] fields = new String[FIELDS.valueCount()];
            for (int i = 0; i < fields.length; i++) {
                fields[i] = pick(COLORS, random);
            }
            ObjectKey key = new ObjectKey(pick(NAMESPACES, random), pick(NAMES, random));
            return TestObjects.object(key, "u" + random.nextInt(2), version, Labels.copyOf(labels), fields);
        }
    }

    @Property(tries = 300)
    void shouldGiveEachScopeWhatAWatcherOnItsOwnWouldSee(@ForAll Random random) {
        Feed feed = new Feed(random);
        FilterGroups<NaiveWatcher> groups = new FilterGroups<>();
        List<NaiveWatcher> watchers = new ArrayList<>();
        EventBatch batch = new EventBatch(1 + random.nextInt(20));

        for (int round = 0; round < 12; round++) {
            for (int i = random.nextInt(20); i > 0; i--) {
                NaiveWatcher watcher = new NaiveWatcher(random);
                watchers.add(watcher);
                groups.join(watcher.scope, watcher);
            }
            for (int i = random.nextInt(8); i > 0 && !watchers.isEmpty(); i--) {
                leave(groups, watchers.remove(random.nextInt(watchers.size())));
            }
            FeedState before = feed.writer.state();
            if (random.nextInt(4) == 0) {
                feed.miss(random.nextInt(10));
            } else {
                feed.change(random.nextInt(10));
            }
            FeedState after = feed.writer.state();
            EventCursor cursor = after.epoch() == before.epoch() ? before.startAtEnd() : after.startAt(0);
            while (cursor.poll(after.position().sequence(), batch, Long.MAX_VALUE) == PollResult.EVENTS) {
                dispatchAndCompare(groups, watchers, batch);
            }
        }
        watchers.forEach(watcher -> leave(groups, watcher));

        assertThat(groups.size()).isZero();
        assertThat(groups.all()).isEmpty();
    }

    private static void dispatchAndCompare(
            FilterGroups<NaiveWatcher> groups, List<NaiveWatcher> watchers, EventBatch batch) {
        List<FilterGroup<NaiveWatcher>> touched = new ArrayList<>();
        groups.dispatch(batch, touched);

        assertThat(touched)
                .doesNotHaveDuplicates()
                .allMatch(group -> !group.pending().isEmpty());
        for (NaiveWatcher watcher : watchers) {
            watcher.expected.clear();
            for (int i = 0; i < batch.size(); i++) {
                watcher.take(batch.get(i));
            }
        }
        for (FilterGroup<NaiveWatcher> group : groups.all()) {
            assertThat(touched.contains(group)).isEqualTo(!group.pending().isEmpty());
            assertThat(group.watchers()).isNotEmpty();
            for (NaiveWatcher watcher : group.watchers()) {
                assertThat(group.pending()).as(group.scope().toString()).isEqualTo(watcher.expected);
                for (int i = 0; i < group.pending().size(); i++) {
                    assertThat(group.pending().get(i).source())
                            .isSameAs(watcher.expected.get(i).source());
                }
            }
            group.clear();
        }
    }

    private static void leave(FilterGroups<NaiveWatcher> groups, NaiveWatcher watcher) {
        for (FilterGroup<NaiveWatcher> group : groups.all()) {
            if (group.watchers().remove(watcher)) {
                assertThat(group.scope()).isEqualTo(watcher.scope);
                groups.closeIfEmpty(group);
                return;
            }
        }
        throw new AssertionError("no group of " + watcher.scope);
    }

    @Property(tries = 200)
    void shouldLeaveNoScopeBehindInTheIndex(@ForAll Random random) {
        ScopeIndex<Object> index = new ScopeIndex<>();
        Map<Object, WatchScope> added = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            Object group = new Object();
            added.put(group, new NaiveWatcher(random).scope);
            index.add(added.get(group), group);
        }

        added.forEach((group, scope) -> index.remove(scope, group));

        Feed feed = new Feed(random);
        feed.change(30);
        FeedState state = feed.writer.state();
        EventCursor cursor = state.startAt(1);
        List<Object> found = new ArrayList<>();
        WatchEvent event;
        while ((event = cursor.take(state.position().sequence())) != null) {
            index.find(event, found);
        }
        assertThat(found).isEmpty();
        assertThat(sizeOf(index, "everywhere")).isZero();
        assertThat(sizeOf(index, "byLabel")).isZero();
        assertThat(sizeOf(field(index, "byName"), "groups")).isZero();
        assertThat(sizeOf(field(index, "byNamespace"), "groups")).isZero();
        for (Object places : (Collection<?>) field(index, "byField")) {
            assertThat(sizeOf(places, "groups")).isZero();
        }
    }

    @Test
    void shouldShareOneGroupPerScope() {
        FilterGroups<String> groups = new FilterGroups<>();

        FilterGroup<String> group = groups.join(WatchScope.ALL, "one");
        assertThat(groups.join(WatchScope.of("", WatchScope.ALL.labels(), WatchScope.ALL.fields()), "two"))
                .isSameAs(group);

        group.watchers().remove("one");
        groups.closeIfEmpty(group);
        assertThat(groups.size()).isEqualTo(1);
        group.watchers().remove("two");
        groups.closeIfEmpty(group);
        assertThat(groups.size()).isZero();
    }

    /** Sequences start again with an epoch, so an event must not be taken for an earlier one of the same sequence. */
    @Test
    void shouldNotMistakeAnEventOfANewEpochForOneOfTheLast() {
        FeedWriter writer = new FeedWriter(new LogLimits(10, 1000, Long.MAX_VALUE));
        FilterGroups<String> groups = new FilterGroups<>();
        FilterGroup<String> group = groups.join(WatchScope.ALL, "w");
        EventBatch batch = new EventBatch(10);

        for (long epoch = 1; epoch <= 2; epoch++) {
            writer.reset(100 * epoch, List.of());
            EventCursor cursor = writer.state().startAtEnd();
            writer.upsert(TestObjects.object("a/x", 100 * epoch + 1), 0);
            writer.publish();
            cursor.poll(1, batch, 1000);
            List<FilterGroup<String>> touched = new ArrayList<>();
            groups.dispatch(batch, touched);

            assertThat(touched).containsExactly(group);
            assertThat(group.pending()).hasSize(1);
            group.clear();
        }
    }

    private static <T> T pick(List<T> from, Random random) {
        return from.get(random.nextInt(from.size()));
    }

    private static int sizeOf(Object of, String name) {
        Object value = field(of, name);
        return value instanceof Map<?, ?> map ? map.size() : ((Collection<?>) value).size();
    }
}
