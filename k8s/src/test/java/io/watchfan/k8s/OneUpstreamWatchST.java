package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What it is all for. */
@EndToEnd
class OneUpstreamWatchST {
    private static final int WATCHERS = 1000;
    private static final int AT_ONCE = 50;

    @Test
    void shouldCostTheApiServerOneWatchWhateverTheClients(World world, ControlPlane cluster) throws Exception {
        String version = "" + world.version();
        List<String> scopes = List.of(
                "/api/v1/configmaps?watch=true",
                world.configMaps() + "?watch=true",
                world.configMaps() + "?watch=true&labelSelector=seen%3Dyes",
                world.configMaps() + "?watch=true&labelSelector=seen!%3Dno",
                world.configMaps() + "?watch=true&fieldSelector=metadata.name%3Dnews");
        int before = UpstreamWatches.onceSettled(world.direct(), "configmaps");
        List<Watching> watches = new ArrayList<>();
        try (ProxyProcess fresh = ProxyProcess.start("OneUpstreamWatchST-fresh", cluster)) {
            for (int begun = 0; begun < WATCHERS; begun += AT_ONCE) {
                List<CompletableFuture<Watching>> some = new ArrayList<>();
                for (int next = begun; next < begun + AT_ONCE; next++) {
                    some.add(fresh.api().watchSoon(scopes.get(next % scopes.size()) + "&resourceVersion=" + version));
                }
                for (CompletableFuture<Watching> watch : some) {
                    watches.add(watch.get(30, TimeUnit.SECONDS));
                }
            }
            assertThat(watches).hasSize(WATCHERS).allMatch(Watching::isOpen);

            assertThat(UpstreamWatches.open(world.direct(), "configmaps")).isEqualTo(before + 1);

            world.create("news", "{\"seen\":\"yes\"}", "{}");
            for (Watching watch : watches) {
                assertThat(watch.untilEvents(1).events())
                        .extracting(Event::name)
                        .containsExactly("news");
            }
            assertThat(UpstreamWatches.open(world.direct(), "configmaps")).isEqualTo(before + 1);
        } finally {
            watches.forEach(Watching::close);
        }
    }

    @Test
    void shouldNotKeepTheClientsThatHaveGone(World world, ProxyProcess proxy) throws Exception {
        String version = "" + world.version();
        List<Watching> watches = new ArrayList<>();
        for (int next = 0; next < AT_ONCE; next++) {
            watches.add(world.proxied().watch(world.configMaps() + "?watch=true&resourceVersion=" + version));
        }
        watches.forEach(Watching::close);

        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .untilAsserted(() -> assertThat(proxy.admin().get("/metrics").text())
                        .containsPattern("(?m)^watchfan_watchers 0\\.0"));
    }
}
