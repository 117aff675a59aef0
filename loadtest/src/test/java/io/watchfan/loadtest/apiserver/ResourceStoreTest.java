package io.watchfan.loadtest.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ResourceStoreTest {

    private static StoredObject object(String name, long version) {
        return new StoredObject("a/" + name, "a", name, Map.of(), Map.of(), version, new byte[0]);
    }

    private static Map<String, Long> versions(List<StoredObject> state) {
        Map<String, Long> versions = new TreeMap<>();
        state.forEach(object -> versions.put(object.key(), object.resourceVersion()));
        return versions;
    }

    /** States kept as they were are the reference for states got back by undoing changes. */
    @Test
    void shouldGiveBackEveryStateThatIsStillKnown() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ResourceStore store = new ResourceStore(ResourceType.CONFIG_MAPS, 50);
        Map<Long, Map<String, Long>> states = new TreeMap<>();
        states.put(0L, Map.of());
        for (long version = 1; version <= 200; version++) {
            String name = "n" + random.nextInt(10);
            if (store.get("a/" + name) != null && random.nextInt(3) == 0) {
                store.delete("a/" + name, version);
            } else {
                store.put(object(name, version));
            }
            states.put(version, versions(store.snapshot()));
        }

        assertThat(store.oldestWatchable()).isEqualTo(150);
        states.forEach((version, state) -> {
            List<StoredObject> found = store.snapshotAt(version);
            if (version < 150) {
                assertThat(found).as("seed %d, version %d", seed, version).isNull();
            } else {
                assertThat(versions(found))
                        .as("seed %d, version %d", seed, version)
                        .isEqualTo(state);
                assertThat(store.firstAfter(version)).isEqualTo(version);
            }
        });
    }

    @Test
    void shouldForgetAllWhenHistoryExpires() {
        ResourceStore store = new ResourceStore(ResourceType.CONFIG_MAPS, 50);
        store.put(object("x", 11));
        store.put(object("x", 12));

        store.expireHistory(12);

        assertThat(store.oldestWatchable()).isEqualTo(12);
        assertThat(store.snapshotAt(11)).isNull();
        assertThat(store.snapshotAt(12)).hasSize(1);
        assertThat(store.firstAfter(12)).isEqualTo(store.nextSequence());
    }

    @Test
    void shouldOrderByKeyAsTheApiServerDoes() {
        ResourceStore store = new ResourceStore(ResourceType.CONFIG_MAPS, 50);
        for (String key : List.of("a/x", "a-b/x", "a.b/x", "a/a")) {
            store.load(new StoredObject(key, "", key, Map.of(), Map.of(), 1, new byte[0]));
        }

        assertThat(store.snapshot().stream().map(StoredObject::key)).containsExactly("a-b/x", "a.b/x", "a/a", "a/x");
    }

    @Test
    void shouldMakePodsOfRealisticSizeInTheOrderOfTheApiServer() {
        PodFactory factory = new PodFactory(new SplittableRandom(1), 5, 5);

        StoredObject pod = ObjectJson.store(ResourceType.PODS, factory.runningPod(1), 77);
        String json = new String(pod.json(), StandardCharsets.UTF_8);

        assertThat(pod.json().length).isBetween(1700, 2400);
        assertThat(json)
                .startsWith("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" + pod.name()
                        + "\",\"generateName\":\"");
        assertThat(json).contains("\"resourceVersion\":\"77\",\"generation\":1,\"creationTimestamp\"");
        assertThat(pod.namespace()).startsWith("team-");
        assertThat(pod.field("spec.nodeName")).startsWith("node-");
        assertThat(pod.field("status.phase")).isEqualTo("Running");
        assertThat(pod.labels()).containsKeys("app", "tier", "zone");
        assertThat(json).doesNotContain("$");
    }

    @Test
    void shouldSortTheKeysOfCustomResources() {
        PodFactory factory = new PodFactory(new SplittableRandom(1), 5, 5);

        StoredObject widget = ObjectJson.store(ResourceType.WIDGETS, factory.widget(1), 77);

        assertThat(new String(widget.json(), StandardCharsets.UTF_8))
                .startsWith("{\"apiVersion\":\"loadtest.watchfan.io/v1\",\"kind\":\"Widget\",\"metadata\":{\"creation")
                .endsWith("\"spec\":{\"count\":3,\"size\":\"medium\"}}");
    }

    @Test
    void shouldEscapeAsGoDoes() {
        StoredObject stored = ObjectJson.store(
                ResourceType.CONFIG_MAPS,
                ObjectJson.parse("{\"metadata\":{\"name\":\"x\"},\"data\":{\"k\":\"<&>\u2028/\"}}"
                        .getBytes(StandardCharsets.UTF_8)),
                1);

        assertThat(new String(stored.json(), StandardCharsets.UTF_8))
                .contains("{\"k\":\"\\u003c\\u0026\\u003e\\u2028/\"}");
    }
}
