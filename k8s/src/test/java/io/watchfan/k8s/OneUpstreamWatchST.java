package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What it is all for. */
@EndToEnd
class OneUpstreamWatchST {
    private static final int WATCHERS = 1000;
    private static final int AT_ONCE = 50;
    private static final Pattern OPEN_WATCHES = Pattern.compile(
            "^apiserver_longrunning_requests\\{[^}]*resource=\"configmaps\"[^}]*verb=\"WATCH\"[^}]*} (\\d+)",
            Pattern.MULTILINE);

    @Test
    void shouldCostTheApiServerOneWatchWhateverTheClients(World world, ControlPlane cluster) throws Exception {
        String version = "" + world.version();
        List<String> scopes = List.of(
                "/api/v1/configmaps?watch=true",
                world.configMaps() + "?watch=true",
                world.configMaps() + "?watch=true&labelSelector=seen%3Dyes",
                world.configMaps() + "?watch=true&labelSelector=seen!%3Dno",
                world.configMaps() + "?watch=true&fieldSelector=metadata.name%3Dnews");
        int before = openWatchesOnceSettled(world);
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

            assertThat(openWatches(world)).isEqualTo(before + 1);

            world.create("news", "{\"seen\":\"yes\"}", "{}");
            for (Watching watch : watches) {
                assertThat(watch.untilEvents(1).events())
                        .extracting(Event::name)
                        .containsExactly("news");
            }
            assertThat(openWatches(world)).isEqualTo(before + 1);
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

    /** Those of the tests before are gone soon, but not at once. */
    private static int openWatchesOnceSettled(World world) throws IOException, InterruptedException {
        AtomicInteger open = new AtomicInteger(openWatches(world));
        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .during(Duration.ofSeconds(1))
                .until(() -> {
                    int now = openWatches(world);
                    return open.getAndSet(now) == now;
                });
        return open.get();
    }

    /** Watches of ConfigMaps that the API server has open, its own among them. */
    private static int openWatches(World world) throws IOException, InterruptedException {
        Matcher metrics =
                OPEN_WATCHES.matcher(world.direct().get("/metrics").expect(200).text());
        int open = 0;
        while (metrics.find()) {
            open += Integer.parseInt(metrics.group(1));
        }
        return open;
    }
}
