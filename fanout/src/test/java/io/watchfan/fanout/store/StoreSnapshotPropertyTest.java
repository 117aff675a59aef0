package io.watchfan.fanout.store;

import static io.watchfan.fanout.TestObjects.field;
import static io.watchfan.fanout.TestObjects.object;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.Labels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Random changes of a snapshot beside a {@link TreeMap} ordered by the bytes of the path. */
class StoreSnapshotPropertyTest {
    private static final Comparator<ObjectKey> BYTEWISE = (a, b) -> Arrays.compareUnsigned(
            a.path().getBytes(StandardCharsets.UTF_8), b.path().getBytes(StandardCharsets.UTF_8));

    /** One change: the key is written, or removed. */
    private record Change(ObjectKey key, boolean put) {}

    @Property
    void shouldHoldWhatASortedMapHolds(@ForAll("changes") List<Change> changes, @ForAll("keys") ObjectKey probe) {
        StoreSnapshot snapshot = StoreSnapshot.EMPTY;
        NavigableMap<ObjectKey, StoredObject> expected = new TreeMap<>(BYTEWISE);
        List<StoreSnapshot> snapshots = new ArrayList<>();
        List<List<StoredObject>> contents = new ArrayList<>();
        long version = 0;
        for (Change change : changes) {
            version++;
            if (change.put()) {
                StoredObject object = object(change.key(), "u", version, Labels.EMPTY);
                snapshot = snapshot.with(object);
                expected.put(change.key(), object);
            } else {
                snapshot = snapshot.without(change.key());
                expected.remove(change.key());
            }
            snapshots.add(snapshot);
            contents.add(List.copyOf(expected.values()));
        }

        assertThat(snapshot.size()).isEqualTo(expected.size());
        assertThat(snapshot.get(probe)).isSameAs(expected.get(probe));
        assertThat(snapshot.countAfter(probe, false))
                .isEqualTo(expected.tailMap(probe, false).size());
        assertThat(snapshot.countAfter(probe, true))
                .isEqualTo(expected.tailMap(probe, true).size());
        assertThat(list(snapshot.iteratorAfter(probe)))
                .containsExactlyElementsOf(expected.tailMap(probe, false).values());
        for (int i = 0; i < snapshots.size(); i++) {
            assertThat(list(snapshots.get(i).iterator())).containsExactlyElementsOf(contents.get(i));
        }
        assertThat(list(StoreSnapshot.ofSorted(contents.isEmpty() ? List.of() : contents.get(contents.size() - 1))
                        .iterator()))
                .containsExactlyElementsOf(expected.values());
    }

    @Property(tries = 60)
    void shouldStayBalanced(@ForAll Random random, @ForAll @IntRange(min = 1, max = 4) int manner) {
        StoreSnapshot snapshot = StoreSnapshot.EMPTY;
        int most = 1 + random.nextInt(3000);
        for (int i = 0; i < 2 * most; i++) {
            int name = switch (manner) {
                case 1 -> i;
                case 2 -> 2 * most - i;
                default -> random.nextInt(most);
            };
            snapshot = manner == 4 && random.nextInt(3) == 0
                    ? snapshot.without(numbered(name))
                    : snapshot.with(object(numbered(name), "u", 1, Labels.EMPTY));
        }
        assertBalanced(snapshot);
        while (snapshot.size() > 10) {
            int rank = manner < 3 ? snapshot.size() - 1 : random.nextInt(snapshot.size());
            Iterator<StoredObject> iterator = snapshot.iterator();
            for (int i = 0; manner > 2 && i < rank % 50; i++) {
                iterator.next();
            }
            snapshot = snapshot.without(iterator.next().key());
            if (snapshot.size() % 64 == 0) {
                assertBalanced(snapshot);
            }
        }
    }

    private static void assertBalanced(StoreSnapshot snapshot) {
        double bound = 4 * Math.log(Math.max(1, snapshot.size())) / Math.log(2) + 4;
        assertThat((double) depth(field(snapshot, "root"))).isLessThanOrEqualTo(bound);
    }

    private static int depth(Object node) {
        return node == null ? 0 : 1 + Math.max(depth(field(node, "left")), depth(field(node, "right")));
    }

    private static List<StoredObject> list(Iterator<StoredObject> iterator) {
        List<StoredObject> all = new ArrayList<>();
        iterator.forEachRemaining(all::add);
        return all;
    }

    private static ObjectKey numbered(int number) {
        return new ObjectKey("", String.format("%08d", number));
    }

    @Provide
    Arbitrary<List<Change>> changes() {
        return Combinators.combine(keys(), Arbitraries.of(true, true, false))
                .as(Change::new)
                .list()
                .ofMaxSize(120);
    }

    @Provide
    Arbitrary<ObjectKey> keys() {
        Arbitrary<String> namespaces = Arbitraries.of("a", "a-b", "a.b", "ab", "b");
        Arbitrary<String> names = Arbitraries.of(
                "a", "b", "b-c", "b.c", "x", "x0", "é", "\uFFFD", "\uE000", "\uD83D\uDE00", "\uDBFF\uDFFF");
        return Combinators.combine(namespaces, names).as(ObjectKey::new);
    }
}
