package io.watchfan.fanout.store;

import static io.watchfan.fanout.TestObjects.key;
import static io.watchfan.fanout.TestObjects.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchfan.fanout.event.StoredObject;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

/** Named cases of the snapshot and the store; {@link StoreSnapshotPropertyTest} has the random ones. */
class StoreSnapshotTest {
    @Test
    void shouldBeEmptyAtFirst() {
        assertThat(StoreSnapshot.EMPTY.size()).isZero();
        assertThat(StoreSnapshot.EMPTY.get(key("a/x"))).isNull();
        assertThat(StoreSnapshot.EMPTY.countAfter(key("a/x"), true)).isZero();
        assertThat(StoreSnapshot.EMPTY.iterator()).isExhausted();
        assertThat(StoreSnapshot.EMPTY.without(key("a/x"))).isSameAs(StoreSnapshot.EMPTY);
    }

    @Test
    void shouldReturnItselfWhenThereIsNothingToRemove() {
        StoreSnapshot snapshot = StoreSnapshot.EMPTY.with(object("a/x", 1)).with(object("a/y", 2));

        assertThat(snapshot.without(key("a/z"))).isSameAs(snapshot);
    }

    @Test
    void shouldReplaceTheObjectOfAKey() {
        StoredObject newer = object("a/x", 2);

        StoreSnapshot snapshot = StoreSnapshot.EMPTY.with(object("a/x", 1)).with(newer);

        assertThat(snapshot.size()).isEqualTo(1);
        assertThat(snapshot.get(key("a/x"))).isSameAs(newer);
    }

    @Test
    void shouldListANamespaceByItsStart() {
        StoreSnapshot snapshot =
                StoreSnapshot.ofSorted(List.of(object("a-b/x", 1), object("a/x", 2), object("b/x", 3)));

        assertThat(snapshot.iteratorAfter(key("a/")).next().name()).isEqualTo("x");
        assertThat(snapshot.countAfter(key("a/"), false)).isEqualTo(2);
    }

    @Test
    void shouldRefuseObjectsThatAreNotSorted() {
        assertThatThrownBy(() -> StoreSnapshot.ofSorted(List.of(object("a/x", 1), object("a-b/x", 2))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> StoreSnapshot.ofSorted(List.of(object("a/x", 1), object("a/x", 2))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldThrowBeyondTheLastObject() {
        Iterator<StoredObject> iterator =
                StoreSnapshot.EMPTY.with(object("a/x", 1)).iterator();
        iterator.next();

        assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void shouldCountTheBytesOfWhatIsStored() {
        ObjectStore store = new ObjectStore();
        StoredObject small = object("a/x", 1);
        StoredObject large = object("a/x", 1_000_000);

        assertThat(store.put(small)).isNull();
        assertThat(store.put(large)).isSameAs(small);
        store.put(object("a/y", 3));
        assertThat(store.bytes())
                .isEqualTo(large.bytes().length + object("a/y", 3).bytes().length);

        assertThat(store.remove(key("a/none"))).isNull();
        assertThat(store.remove(key("a/x"))).isSameAs(large);
        assertThat(store.bytes()).isEqualTo(object("a/y", 3).bytes().length);

        store.replaceAll(List.of(small));
        assertThat(store.bytes()).isEqualTo(small.bytes().length);
        assertThat(store.get(key("a/y"))).isNull();
    }
}
