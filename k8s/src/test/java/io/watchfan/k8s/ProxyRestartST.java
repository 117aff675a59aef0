package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchfan.k8s.Pods.Change;
import io.watchfan.k8s.Pods.Pod;
import io.watchfan.loadtest.contract.ObjectFacts;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.contract.Truth;
import io.watchfan.loadtest.swarm.Expectations;
import io.watchfan.loadtest.swarm.ProfileMix;
import io.watchfan.loadtest.swarm.SwarmStats;
import io.watchfan.loadtest.swarm.Target;
import io.watchfan.loadtest.swarm.WatcherProfile;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The proxy is killed and started under a thousand informers. The API server hardly notices, and they miss nothing. */
@EndToEnd(proxyFlags = {"--bookmark-interval", "1s"})
class ProxyRestartST {
    private static final int INFORMERS = 500; // of each resource
    private static final String CONFIG_MAPS = "/api/v1/configmaps";
    private static final List<String> PATHS = List.of(Pods.COLLECTION, CONFIG_MAPS);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Test
    void shouldCostTheApiServerOneListAndOneWatchOfEachFeed(World world, ControlPlane cluster) throws Exception {
        long seed = Long.getLong("watchfan.seed", ThreadLocalRandom.current().nextLong());
        System.out.println("ProxyRestartST: -Dwatchfan.seed=" + seed);
        Writer writer = new Writer(world, seed);
        ExecutorService writing = Executors.newSingleThreadExecutor();
        ProxyProcess proxy = ProxyProcess.start("ProxyRestartST", cluster, "--bookmark-interval", "1s");
        try (WatcherSwarm pods = writer.podWatchers(proxy, seed);
                WatcherSwarm configMaps = writer.configMapWatchers(proxy, seed)) {
            // In the order of the paths.
            List<WatcherSwarm> swarms = List.of(pods, configMaps);
            for (WatcherSwarm swarm : swarms) {
                swarm.start();
                assertThat(swarm.awaitStreaming(PATIENCE)).as(swarm.lastError()).isTrue();
            }
            // Who has not had all of its initial state when it is cut begins with it again, which is not what is
            // tested.
            Future<?> first = writing.submit(writer);
            writer.awaitRounds(1);
            writer.stop();
            first.get();
            for (WatcherSwarm swarm : swarms) {
                assertThat(swarm.awaitCaughtUp(PATIENCE, true))
                        .as(swarm.lastError())
                        .isTrue();
            }
            for (boolean quiet : new boolean[] {false, true}) {
                Future<?> written = writing.submit(writer);
                writer.awaitRounds(40);
                if (quiet) {
                    writer.stop();
                    written.get();
                    awaitAllAtTheSameVersion(swarms);
                }
                Audit audit = cluster.audit();
                List<SwarmStats> before =
                        swarms.stream().map(WatcherSwarm::stats).toList();
                proxy.close();
                written = quiet ? writing.submit(writer) : written;
                writer.awaitRounds(20);
                proxy = proxy.again();
                for (WatcherSwarm swarm : swarms) {
                    assertThat(swarm.awaitStreaming(PATIENCE))
                            .as(swarm.lastError())
                            .isTrue();
                }
                writer.awaitRounds(20);
                writer.stop();
                written.get();

                for (int resource = 0; resource < swarms.size(); resource++) {
                    WatcherSwarm swarm = swarms.get(resource);
                    assertThat(swarm.awaitCaughtUp(PATIENCE, true))
                            .as(swarm.lastError())
                            .isTrue();
                    long expired =
                            swarm.stats().expired() - before.get(resource).expired();
                    System.out.println("ProxyRestartST: " + PATHS.get(resource) + (quiet ? " quiet" : " busy")
                            + ", told 410: " + expired);
                    if (quiet) {
                        assertThat(expired).as("told 410").isZero();
                    }
                    assertCost(audit.ofFeed(PATHS.get(resource)), expired);
                }
            }
            for (WatcherSwarm swarm : swarms) {
                swarm.settle(true);
                assertThat(swarm.violations().first()).isEmpty();
            }
        } finally {
            writer.stop();
            writing.shutdownNow();
            writing.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            proxy.close();
        }
    }

    /**
     * One list, in as many pages as it has, at the version that the first clients came back with, and one watch. Who comes back later with a still lower
     * version is told 410, and begins with the present state, which is made sure of by another list.
     */
    private static void assertCost(List<Audit.Request> pages, long expired) {
        List<Audit.Request> requests =
                pages.stream().filter(page -> !page.uri().contains("continue=")).toList();
        List<Audit.Request> ofReads = requests.stream()
                .filter(request ->
                        request.verb().equals("list") && !request.uri().contains("resourceVersionMatch=Exact"))
                .toList();
        assertThat(requests)
                .filteredOn(request -> !ofReads.contains(request))
                .extracting(Audit.Request::verb)
                .as("%s", requests)
                .containsExactly("list", "watch");
        assertThat(ofReads).as("lists for %d who were told 410", expired).hasSizeLessThanOrEqualTo((int) expired);
    }

    /** Each gets a bookmark a second; when as many as three for each have come, each has had one since the last change. */
    private static void awaitAllAtTheSameVersion(List<WatcherSwarm> swarms) throws InterruptedException {
        for (WatcherSwarm swarm : swarms) {
            assertThat(swarm.awaitCaughtUp(PATIENCE, true))
                    .as(swarm.lastError())
                    .isTrue();
            long wanted = swarm.stats().bookmarks() + 3 * INFORMERS;
            Awaitility.await().atMost(PATIENCE).until(() -> swarm.stats().bookmarks() >= wanted);
        }
    }

    /** Writes pods and ConfigMaps in turn, and tells the truth of it. */
    private static final class Writer implements Runnable {
        private static final int OBJECTS = 5;
        private static final int ENTRIES = 1 << 16;

        private final World world;
        private final Pods pods;
        private final Truth podTruth;
        private final Truth configMapTruth;
        private final List<WatcherProfile> podProfiles;
        private final List<WatcherProfile> configMapProfiles;
        private final ObjectFacts[] configMaps = new ObjectFacts[OBJECTS];
        private final long configMapStart;
        private volatile boolean stopped;
        private final AtomicLong count = new AtomicLong();

        Writer(World world, long seed) throws Exception {
            this.world = world;
            for (int object = 0; object < OBJECTS; object++) {
                configMaps[object] = facts(world.create("c" + object));
            }
            List<String> namespaces = List.of(world.namespace(), "default");
            podProfiles = new ProfileMix(
                            namespaces,
                            List.of("n1", "n2"),
                            List.of(Scope.ofLabel("tier", "a"), Scope.ofLabel("tier", "b")),
                            0,
                            0,
                            0.2)
                    .profiles(INFORMERS, seed);
            configMapProfiles = new ProfileMix(namespaces, List.of(), List.of(), 0, 0, 0.2).profiles(INFORMERS, seed);
            podTruth = Truth.ofChanges(scopes(podProfiles), ENTRIES);
            configMapTruth = Truth.ofChanges(scopes(configMapProfiles), ENTRIES);
            JsonNode list = world.direct().get(CONFIG_MAPS).expect(200).json();
            list.path("items")
                    .forEach(item -> configMapTruth.seed(new ObjectFacts(
                            Json.version(item),
                            item.at("/metadata/namespace").asText(),
                            item.at("/metadata/name").asText(),
                            Map.of(),
                            "")));
            configMapStart = Json.version(list);
            configMapTruth.advance(configMapStart);
            pods = new Pods(world, seed);
            pods.base().values().forEach(pod -> podTruth.seed(facts(pod)));
            podTruth.advance(pods.start());
        }

        private static List<Scope> scopes(List<WatcherProfile> profiles) {
            return profiles.stream().map(WatcherProfile::scope).distinct().toList();
        }

        private ObjectFacts facts(long version) {
            return new ObjectFacts(version, world.namespace(), "", Map.of(), "");
        }

        private static ObjectFacts facts(Pod pod) {
            return pod == null
                    ? null
                    : new ObjectFacts(
                            pod.version(),
                            pod.key().substring(0, pod.key().indexOf('/')),
                            pod.key().substring(pod.key().indexOf('/') + 1),
                            Map.of("tier", pod.tier()),
                            pod.node());
        }

        WatcherSwarm podWatchers(ProxyProcess proxy, long seed) {
            return swarm(proxy, Pods.COLLECTION, podProfiles, pods.start(), podTruth, seed);
        }

        WatcherSwarm configMapWatchers(ProxyProcess proxy, long seed) {
            return swarm(proxy, CONFIG_MAPS, configMapProfiles, configMapStart, configMapTruth, seed);
        }

        private static WatcherSwarm swarm(
                ProxyProcess proxy,
                String collection,
                List<WatcherProfile> profiles,
                long start,
                Truth truth,
                long seed) {
            Target target = Target.of(URI.create(proxy.api().server()), collection);
            return new WatcherSwarm(
                    target, profiles, start, Expectations.ofEvents(truth, Strictness.EXACT), 1, seed, null);
        }

        @Override
        public void run() {
            try {
                stopped = false;
                while (!stopped) {
                    write();
                }
                // What everybody knows of is not more than this.
                podTruth.advance(Json.version(
                        world.direct().get(Pods.COLLECTION).expect(200).json()));
                configMapTruth.advance(
                        Json.version(world.direct().get(CONFIG_MAPS).expect(200).json()));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        private void write() throws Exception {
            int told = pods.changes().size();
            pods.churn(1);
            List<Change> changes = pods.changes();
            for (Change change : changes.subList(told, changes.size())) {
                podTruth.change(change.version(), facts(change.before()), facts(change.after()));
            }
            int object = (int) (count.get() % OBJECTS);
            ObjectFacts before = configMaps[object];
            configMaps[object] = facts(world.change("c" + object, "" + count.get()));
            configMapTruth.change(configMaps[object].resourceVersion(), before, configMaps[object]);
            count.incrementAndGet();
        }

        /** Waits until so many more rounds have been written. */
        void awaitRounds(long more) {
            long wanted = count.get() + more;
            Awaitility.await().atMost(PATIENCE).until(() -> count.get() >= wanted);
        }

        void stop() {
            stopped = true;
        }
    }
}
