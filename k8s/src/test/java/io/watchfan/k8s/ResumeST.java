package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Watches that begin where others were cut, and an API server that goes away under them. */
@EndToEnd
class ResumeST {
    private static final String LAST = "last";

    @Test
    void shouldResumeFromEveryVersionThatWasTold(World world) throws Exception {
        long start = world.version();
        world.proxied().get(world.configMaps() + "?resourceVersion=0").expect(200);
        for (int object = 0; object < 10; object++) {
            world.create("o" + object);
            world.change("o" + object, "changed");
            world.delete("o" + object);
        }
        List<Event> truth;
        try (Watching direct = world.direct().watch(world.configMaps() + "?watch=true&resourceVersion=" + start)) {
            truth = direct.untilEvents(30).events();
        }

        // Each is cut as soon as it has told something; the next goes on where it was.
        List<Event> told = new ArrayList<>();
        long version = start;
        while (told.size() < truth.size()) {
            try (Watching watch =
                    world.proxied().watch(world.configMaps() + "?watch=true&resourceVersion=" + version)) {
                told.add(watch.untilEvents(1).events().get(0));
                version = told.get(told.size() - 1).resourceVersion();
            }
        }
        assertThat(told).isEqualTo(truth);

        // Each of them to its end, so that nothing can follow unseen.
        Map<Integer, CompletableFuture<Watching>> watches = new LinkedHashMap<>();
        for (int known = 0; known <= truth.size(); known++) {
            long from = known == 0 ? start : truth.get(known - 1).resourceVersion();
            watches.put(
                    known,
                    world.proxied()
                            .watchSoon(world.configMaps() + "?watch=true&timeoutSeconds=2&resourceVersion=" + from));
        }
        for (Map.Entry<Integer, CompletableFuture<Watching>> watch : watches.entrySet()) {
            Watching ended = watch.getValue().get(30, TimeUnit.SECONDS).untilEnd();
            assertThat(ended.events()).isEqualTo(truth.subList(watch.getKey(), truth.size()));
        }
    }

    @Test
    void shouldResumeThroughTheProxyWhereARestartedApiServerCannot(World world, ControlPlane cluster) throws Exception {
        world.proxied().get(world.configMaps() + "?resourceVersion=0").expect(200);
        long start = world.create("one");
        long second = world.change("one", "2");
        long third = world.change("one", "3");

        cluster.command("restart apiserver");
        world.create("after");

        String path = world.configMaps() + "?watch=true&resourceVersion=" + start;
        try (Watching direct = world.direct().watch(path);
                Watching proxied = world.proxied().watch(path)) {
            assertThat(direct.untilLine("\"code\":410").lines()).hasSize(1);
            proxied.untilEvents(3);
            assertThat(proxied.events().subList(0, 2))
                    .containsExactly(new Event("MODIFIED", "one", second), new Event("MODIFIED", "one", third));
            assertThat(proxied.events().get(2).name()).isEqualTo("after");
        }
    }

    @Test
    void shouldTellExpiredOfAVersionThatNobodyHasKept(World world, ControlPlane cluster) throws Exception {
        long start = world.create("one");
        world.change("one", "2");
        cluster.command("restart apiserver");
        world.change("one", "3");

        try (ProxyProcess fresh = ProxyProcess.start("ResumeST-fresh", cluster)) {
            String path = world.configMaps() + "?watch=true&resourceVersion=" + start;
            // By now there is a beginning, which is later.
            fresh.api().get("/api/v1/configmaps").expect(200);
            world.change("one", "4");
            try (Watching direct = world.direct().watch(path);
                    Watching proxied = fresh.api().watch(path)) {
                String wanted = direct.untilEnd().lines().get(0);
                assertThat(wanted).contains("\"reason\":\"Expired\",\"code\":410");
                List<String> got = proxied.untilEnd().lines();
                assertThat(got).hasSize(1);
                assertThat(withoutVersions(got.get(0))).isEqualTo(withoutVersions(wanted));
            }
        }
    }

    private static String withoutVersions(String line) {
        return line.replaceAll("version: \\d+ \\(\\d+\\)", "version: N (M)");
    }

    @Test
    void shouldTellExpiredOfAVersionThatItsWindowHasLost(World world, ControlPlane cluster) throws Exception {
        try (ProxyProcess small =
                ProxyProcess.start("ResumeST-small", cluster, "--window-events", "64", "--window-age", "1s")) {
            small.api().get("/api/v1/configmaps").expect(200);
            long start = world.create("one");
            for (int change = 0; change < 300; change++) {
                world.change("one", "" + change);
            }
            cluster.command("restart apiserver");
            long last = world.change("one", LAST);
            Awaitility.await()
                    .atMost(Watching.PATIENCE)
                    .until(() -> small.api()
                            .get(world.configMaps() + "?resourceVersion=0")
                            .text()
                            .contains(LAST));

            try (Watching lost = small.api().watch(world.configMaps() + "?watch=true&resourceVersion=" + start);
                    Watching kept =
                            small.api().watch(world.configMaps() + "?watch=true&resourceVersion=" + (last - 1))) {
                assertThat(lost.untilEnd().lines())
                        .hasSize(1)
                        .first()
                        .asString()
                        .contains("\"code\":410");
                assertThat(kept.untilEvents(1).events()).containsExactly(new Event("MODIFIED", "one", last));
            }
        }
    }

    @Test
    void shouldKeepWatchesOpenWhileTheApiServerIsKilledAndStarted(World world, ControlPlane cluster) throws Exception {
        world.create("before", "{\"kept\":\"yes\"}", "{}");
        String version = "" + world.version();
        Map<String, Long> known =
                Json.versions(world.direct().get(world.configMaps()).expect(200).json());
        List<Watching> watches = new ArrayList<>();
        try {
            for (int each = 0; each < 10; each++) {
                watches.add(world.proxied()
                        .watch(world.configMaps() + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version));
            }
            Watching kept = world.proxied()
                    .watch(world.configMaps() + "?watch=true&labelSelector=kept%3Dyes&resourceVersion=" + version);
            watches.add(kept);

            for (int round = 0; round < 2; round++) {
                world.change("before", "round " + round);
                cluster.command("kill apiserver");
                cluster.command("start apiserver");
                world.create("round-" + round);
                world.change("round-" + round, "changed");
                world.create("gone-" + round, "{\"kept\":\"yes\"}", "{}");
                world.delete("gone-" + round);
            }
            world.create(LAST, "{\"kept\":\"yes\"}", "{}");

            JsonNode list = world.direct().get(world.configMaps()).expect(200).json();
            for (Watching watch : watches) {
                watch.untilLine("\"name\":\"" + LAST + "\"");
                assertThat(watch.isOpen()).isTrue();
            }
            for (Watching watch : watches.subList(0, 10)) {
                assertThat(watch.state(known)).isEqualTo(Json.versions(list));
                assertRising(watch);
            }
            assertThat(kept.state(known))
                    .containsOnlyKeys(world.namespace() + "/before", world.namespace() + "/" + LAST);
        } finally {
            watches.forEach(Watching::close);
        }
    }

    @Test
    void shouldKeepWatchesOpenWhileEtcdIsKilledAndStarted(World world, ControlPlane cluster) throws Exception {
        String path = world.configMaps() + "?watch=true&resourceVersion=" + world.version();
        try (Watching watch = world.proxied().watch(path)) {
            world.create("before");
            cluster.command("kill etcd");
            cluster.command("start etcd");
            world.create("after");
            world.change("after", "changed");
            watch.untilEvents(3);
            assertThat(watch.isOpen()).isTrue();
            assertThat(watch.events())
                    .extracting(event -> event.type() + " " + event.name())
                    .containsExactly("ADDED before", "ADDED after", "MODIFIED after");
            assertRising(watch);
        }
    }

    @Test
    void shouldTellWhatWasMissedWhileNobodyKeptHistory(World world, ControlPlane cluster) throws Exception {
        for (String name : List.of("same", "changed", "deleted", "recreated", "leaving", "entering")) {
            world.create(name, "{\"in\":\"" + (name.equals("entering") ? "no" : "yes") + "\"}", "{}");
        }
        JsonNode before = world.direct().get(world.configMaps()).expect(200).json();
        try (ProxyProcess cut = ProxyProcess.start("ResumeST-cut", cluster)) {
            String path = world.configMaps() + "?watch=true&resourceVersion=" + Json.version(before);
            try (Watching all = cut.api().watch(path);
                    Watching in = cut.api().watch(path + "&labelSelector=in%3Dyes")) {
                long probe = world.create("probe", "{\"in\":\"yes\"}", "{}");
                all.untilEvents(1);
                in.untilEvents(1);

                // It misses all this: it is stopped, the server that it watched is gone, and the next one has no
                // history.
                cut.suspend();
                cluster.command("kill apiserver");
                cluster.command("start apiserver");
                world.change("changed", "new");
                world.delete("deleted");
                world.delete("recreated");
                world.create("recreated", "{\"in\":\"yes\"}", "{}");
                world.patch("leaving", "{\"metadata\":{\"labels\":{\"in\":\"no\"}}}");
                world.patch("entering", "{\"metadata\":{\"labels\":{\"in\":\"yes\"}}}");
                world.create("created", "{\"in\":\"yes\"}", "{}");
                cluster.command("restart apiserver");
                cut.resume();
                world.create(LAST, "{\"in\":\"yes\"}", "{}");

                JsonNode list =
                        world.direct().get(world.configMaps()).expect(200).json();
                all.untilLine("\"name\":\"" + LAST + "\"");
                in.untilLine("\"name\":\"" + LAST + "\"");
                assertThat(all.isOpen() && in.isOpen()).isTrue();
                assertThat(all.state(Json.versions(before))).isEqualTo(Json.versions(list));
                assertThat(in.state(inScope(before))).isEqualTo(inScope(list));
                assertNotFalling(all);
                assertNotFalling(in);
                // What has gone is told at a version from which nobody misses it: not beyond the last that was told
                // before.
                assertThat(all.events())
                        .filteredOn(event -> event.type().equals("DELETED"))
                        .extracting(Event::toString)
                        .containsExactlyInAnyOrder("DELETED deleted@" + probe, "DELETED recreated@" + probe);
                assertThat(in.events())
                        .filteredOn(event -> event.type().equals("DELETED"))
                        .extracting(Event::name)
                        .containsExactlyInAnyOrder("deleted", "recreated", "leaving");
            } finally {
                cut.resume();
            }
        }
    }

    private static Map<String, Long> inScope(JsonNode list) {
        Map<String, Long> versions = Json.versions(list);
        list.path("items").forEach(item -> {
            if (!item.at("/metadata/labels/in").asText().equals("yes")) {
                versions.remove(Json.key(item));
            }
        });
        return versions;
    }

    @Test
    void shouldStayReadyAndServeWhatItHasWhileTheApiServerIsAway(World world, ControlPlane cluster, ProxyProcess proxy)
            throws Exception {
        world.create("one");
        String list = world.proxied().get(world.configMaps()).expect(200).text();
        cluster.command("kill apiserver");
        try {
            assertThat(proxy.admin().get("/readyz").status()).isEqualTo(200);
            assertThat(Json.items(world.proxied()
                            .get(world.configMaps() + "?resourceVersion=0")
                            .expect(200)
                            .text()))
                    .isEqualTo(Json.items(list));
            // What needs the API server is refused in its own form, soon.
            Api.Answer refused = world.proxied().post(world.configMaps(), "{\"metadata\":{\"name\":\"two\"}}");
            assertThat(refused.status()).isIn(502, 503, 504);
            assertThat(refused.json().path("kind").asText()).isEqualTo("Status");
        } finally {
            cluster.command("start apiserver");
        }
        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .untilAsserted(
                        () -> assertThat(world.proxied().get(world.configMaps()).status())
                                .isEqualTo(200));
    }

    private static void assertRising(Watching watch) {
        assertThat(versions(watch)).isSorted().doesNotHaveDuplicates();
    }

    private static void assertNotFalling(Watching watch) {
        assertThat(versions(watch)).isSorted();
    }

    private static List<Long> versions(Watching watch) {
        return watch.events().stream().map(Event::resourceVersion).toList();
    }
}
