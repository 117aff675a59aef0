package io.watchfan.fanout.log;

import static io.watchfan.fanout.TestObjects.key;
import static io.watchfan.fanout.TestObjects.object;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.store.StoreSnapshot;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Past states, against a history that was kept in full. */
class FeedStateTest {
    private static final long START = 100;

    /** A random history: the feed that saw it, and every state there was by version. */
    private static final class History {
        final FeedWriter writer;
        final NavigableMap<Long, List<StoredObject>> states = new TreeMap<>();
        private final TreeMap<ObjectKey, StoredObject> objects = new TreeMap<>();
        private final Random random;

        History(LogLimits limits, Random random) {
            this.random = random;
            writer = new FeedWriter(limits);
            objects.put(key("a/0"), object("a/0", 7));
            writer.reset(START, List.copyOf(objects.values()));
            keep(START);
        }

        void change(int times) {
            for (int i = 0; i < times; i++) {
                long version = writer.resourceVersion() + 1 + random.nextInt(3);
                String path = "a/" + random.nextInt(40);
                if (random.nextInt(3) == 0) {
                    boolean known = objects.remove(key(path)) != null;
                    assertThat(writer.delete(object(path, version), version, 0)).isEqualTo(known);
                } else {
                    StoredObject object = object(path, version);
                    objects.put(object.key(), object);
                    writer.upsert(object, 0);
                }
                keep(version);
            }
            writer.publish();
        }

        private void keep(long version) {
            states.put(version, List.copyOf(objects.values()));
        }

        void assertEveryVersion(FeedState state) {
            long oldest = state.window().oldest();
            for (long version = START - 2; version <= state.position().resourceVersion(); version++) {
                StoreSnapshot snapshot = state.objectsAt(version);
                if (version < oldest) {
                    assertThat(snapshot).isNull();
                } else {
                    assertThat(list(snapshot))
                            .as("at " + version)
                            .isEqualTo(states.floorEntry(version).getValue());
                }
            }
            assertThat(state.objectsAt(state.position().resourceVersion() + 1)).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {300, 2000, 5000})
    void shouldTellEveryPastStateAcrossCheckpoints(int maxEvents) {
        History history = new History(new LogLimits(maxEvents, Long.MAX_VALUE, Long.MAX_VALUE), new Random(maxEvents));

        history.change(1024);
        FeedState early = history.writer.state();
        history.change(3500);

        history.assertEveryVersion(history.writer.state());
        assertThat(list(early.position().objects()))
                .isEqualTo(history.states
                        .floorEntry(early.position().resourceVersion())
                        .getValue());
    }

    @Test
    void shouldTellTheStateOfAnOldPositionWhenMuchHasBeenLetGoSince() {
        History history = new History(new LogLimits(300, Long.MAX_VALUE, Long.MAX_VALUE), new Random(1));
        history.change(1000);
        FeedState old = history.writer.state();
        long version = old.position().resourceVersion();

        history.change(250);

        assertThat(old.objectsAt(version)).isSameAs(old.position().objects());
    }

    @Test
    void shouldTellNothingWithinAGap() {
        FeedWriter writer = new FeedWriter(new LogLimits(1000, Long.MAX_VALUE, Long.MAX_VALUE));
        writer.reset(START, List.of(object("a/x", 50), object("a/y", 60)));

        writer.repair(110, List.of(object("a/y", 105)), 0);

        FeedState state = writer.state();
        assertThat(list(state.objectsAt(100)))
                .extracting(StoredObject::toString)
                .containsExactly("a/x@50", "a/y@60");
        for (long version = 101; version < 110; version++) {
            assertThat(state.objectsAt(version)).isNull();
            assertThat(state.startAt(version)).isNull();
        }
        assertThat(list(state.objectsAt(110)))
                .extracting(StoredObject::toString)
                .containsExactly("a/y@105");
        assertThat(state.objectsAt(111)).isNull();
    }

    @Property(tries = 200)
    void shouldTellEveryPastStateOfAnyHistory(@ForAll Random random) {
        History history =
                new History(new LogLimits(1 + random.nextInt(60), 1 + random.nextInt(6000), Long.MAX_VALUE), random);

        for (int i = 0; i < 4; i++) {
            history.change(random.nextInt(40));
            history.assertEveryVersion(history.writer.state());
        }
    }

    private static List<StoredObject> list(StoreSnapshot snapshot) {
        List<StoredObject> all = new ArrayList<>();
        Iterator<StoredObject> iterator = snapshot.iterator();
        iterator.forEachRemaining(all::add);
        return all;
    }
}
