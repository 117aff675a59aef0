package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reads of what is true now, of a resource that has been quiet for a while in a cluster that is not: its watch has heard of no
 * version lately. How long they take is printed, and held to nothing: by which way they were answered says enough.
 */
@EndToEnd
class FreshReadsST {
    private static final long WRITE_MILLIS = 20;
    private static final int READS = Integer.getInteger("watchfan.freshReads", 40);
    private static final int CLIENTS = 8;
    private static final Duration IDLE = Duration.ofSeconds(Long.getLong("watchfan.idleSeconds", 45));
    /** A client may have an answer a moment before the API server has logged that it is over. */
    private static final Duration LOGGED_LATE = Duration.ofMillis(5);

    private static final List<String> WAYS = List.of("listed", "feed", "list", "late", "behind");

    @TempDir
    Path home;

    private interface Read {
        void read() throws Exception;
    }

    @Test
    void shouldBeAnsweredWhileTheResourceIsQuiet(World world, ControlPlane cluster) throws Exception {
        for (int object = 0; object < 5; object++) {
            world.create("c" + object);
        }
        ScheduledExecutorService elsewhere = Executors.newSingleThreadScheduledExecutor();
        try (ProxyProcess proxy = ProxyProcess.start("FreshReadsST", cluster, "--feed", "configmaps")) {
            AtomicLong written = new AtomicLong();
            ScheduledFuture<?> writing = writeElsewhere(world, elsewhere, written);
            // This is what is tested: time passes and nothing of the resource changes.
            TimeUnit.MILLISECONDS.sleep(IDLE.toMillis());

            Audit audit = cluster.audit();
            Kubectl kubectl = Kubectl.through(proxy, cluster, home);
            kubectl.run("get", "cm", "-n", world.namespace()).expect(0);
            Map<String, Read> reads = new TreeMap<>();
            reads.put(
                    "kubectl get cm",
                    () -> assertThat(kubectl.run("get", "cm", "-n", world.namespace())
                                    .expect(0)
                                    .output())
                            .contains("c0", "c4"));
            reads.put("LIST", () -> assertThat(listed(proxy, world)).hasSize(5));
            reads.put("streaming list", () -> assertThat(streamed(proxy, world)).hasSize(5));
            reads.put(
                    "LIST of metadata",
                    () -> assertThat(proxy.api()
                                    .get(
                                            world.configMaps(),
                                            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")
                                    .expect(200)
                                    .json()
                                    .path("items"))
                            .hasSize(5));
            Kubectl direct = Kubectl.direct(cluster, home);
            direct.run("get", "cm", "-n", world.namespace()).expect(0);
            String[] get = {"get", "cm", "-n", world.namespace()};
            System.out.println("FreshReadsST: kubectl get cm from the API server: "
                    + summary(timed(() -> direct.run(get).expect(0), READS)));
            System.out.println("FreshReadsST: LIST from the API server: "
                    + summary(timed(() -> world.direct().get(world.configMaps()).expect(200), READS)));
            for (Map.Entry<String, Read> read : reads.entrySet()) {
                Map<String, Double> before = ways(proxy);
                report(read.getKey(), timed(read.getValue(), READS), before, ways(proxy));
            }
            Map<String, Double> before = ways(proxy);
            report("LIST and streaming list by " + CLIENTS, crowd(reads), before, ways(proxy));

            assertThat(writing.isDone()).as("writes elsewhere failed").isFalse();
            System.out.println("FreshReadsST: " + written.get() + " writes elsewhere");
            assertNoneOverlap(audit.ofFeed("/api/v1/configmaps"));

            // What was just written is in the next answer.
            for (int change = 0; change < 5; change++) {
                long version = world.change("c0", "" + change);
                assertThat(listed(proxy, world)).containsEntry(world.namespace() + "/c0", version);
                version = world.change("c0", "again " + change);
                assertThat(streamed(proxy, world)).containsEntry(world.namespace() + "/c0", version);
            }
        } finally {
            elsewhere.shutdownNow();
            elsewhere.awaitTermination(Watching.PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private static ScheduledFuture<?> writeElsewhere(World world, ScheduledExecutorService by, AtomicLong written)
            throws IOException, InterruptedException {
        String secrets = "/api/v1/namespaces/" + world.namespace() + "/secrets";
        world.direct().post(secrets, "{\"metadata\":{\"name\":\"s\"}}").expect(201);
        return by.scheduleAtFixedRate(
                () -> {
                    try {
                        world.direct()
                                .patch(secrets + "/s", "{\"stringData\":{\"k\":\"" + written.incrementAndGet() + "\"}}")
                                .expect(200);
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                0,
                WRITE_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private static Map<String, Long> listed(ProxyProcess proxy, World world) throws IOException, InterruptedException {
        return Json.versions(proxy.api().get(world.configMaps()).expect(200).json());
    }

    private static Map<String, Long> streamed(ProxyProcess proxy, World world)
            throws IOException, InterruptedException {
        try (Watching watching = proxy.api().watch(world.configMaps() + StreamingListST.OPTIONS)) {
            watching.untilLine("k8s.io/initial-events-end");
            return watching.state(Map.of());
        }
    }

    private static List<Long> timed(Read read, int count) throws Exception {
        List<Long> nanos = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            long begun = System.nanoTime();
            read.read();
            nanos.add(System.nanoTime() - begun);
        }
        return nanos;
    }

    /** Several clients at once, each reading now one way and now another. */
    private static List<Long> crowd(Map<String, Read> reads) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Callable<List<Long>>> tasks = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                Read read = reads.get(client % 2 == 0 ? "LIST" : "streaming list");
                tasks.add(() -> timed(read, READS / 2));
            }
            List<Long> nanos = new ArrayList<>();
            for (Future<List<Long>> done : clients.invokeAll(tasks)) {
                nanos.addAll(done.get());
            }
            return nanos;
        } finally {
            clients.shutdownNow();
        }
    }

    private static Map<String, Double> ways(ProxyProcess proxy) throws IOException, InterruptedException {
        Map<String, Double> ways = new TreeMap<>();
        for (String way : WAYS) {
            ways.put(way, proxy.metric("watchfan_fresh_reads_total{way=\"" + way + "\"}"));
        }
        return ways;
    }

    private static void report(String what, List<Long> nanos, Map<String, Double> before, Map<String, Double> after) {
        Map<String, Long> used = new TreeMap<>();
        after.forEach((way, count) -> {
            if (count > before.get(way)) {
                used.put(way, Math.round(count - before.get(way)));
            }
        });
        System.out.println(
                "FreshReadsST: " + what + " after " + IDLE.toSeconds() + " s: " + summary(nanos) + ", by " + used);
        assertThat(used).as("ways of %s", what).doesNotContainKeys("late", "behind");
    }

    private static String summary(List<Long> nanos) {
        List<Long> sorted = nanos.stream().sorted().toList();
        return String.format(
                Locale.ROOT,
                "%d reads, p50 %.1f ms, p99 %.1f ms, most %.1f ms",
                sorted.size(),
                percentile(sorted, 0.5),
                percentile(sorted, 0.99),
                percentile(sorted, 1));
    }

    private static double percentile(List<Long> sorted, double share) {
        int index = (int) Math.ceil(share * sorted.size()) - 1;
        return sorted.get(Math.max(0, index)) / 1e6;
    }

    private static void assertNoneOverlap(List<Audit.Request> requests) {
        List<Audit.Request> lists = requests.stream()
                .filter(request -> request.verb().equals("list"))
                .toList();
        System.out.println("FreshReadsST: " + lists.size() + " lists of the feed");
        assertThat(lists).isNotEmpty();
        for (int number = 1; number < lists.size(); number++) {
            Audit.Request earlier = lists.get(number - 1);
            Audit.Request later = lists.get(number);
            assertThat(earlier.done())
                    .as("the end of %s, before which came %s", earlier, later)
                    .isNotNull();
            assertThat(later.received())
                    .as("%s began before %s was over", later, earlier)
                    .isAfterOrEqualTo(earlier.done().minus(LOGGED_LATE));
        }
    }
}
