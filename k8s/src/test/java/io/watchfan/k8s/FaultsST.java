package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.k8s.StreamChecks.Stream;
import java.io.IOException;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Faults upstream, under 200 watches of all kinds of scopes. None of them may end, nor miss anything, nor be told anything
 * that is not so, nor may who comes back from any version that was ever handed out.
 */
@EndToEnd(proxyFlags = {"--bookmark-interval", "1s"})
class FaultsST {
    private static final int WATCHES = 200;

    private long seed;

    @BeforeEach
    void seed() {
        seed = Long.getLong("watchfan.seed", ThreadLocalRandom.current().nextLong());
        System.out.println("FaultsST: -Dwatchfan.seed=" + seed);
    }

    @Test
    void shouldHideThatTheApiServerIsKilledAndStartedUnderChanges(World world, ControlPlane cluster, ProxyProcess proxy)
            throws Exception {
        assertHides(world, proxy, () -> {
            cluster.command("kill apiserver");
            cluster.command("start apiserver");
        });
    }

    @Test
    void shouldHideThatEtcdAndTheApiServerAreKilledAndStartedUnderChanges(
            World world, ControlPlane cluster, ProxyProcess proxy) throws Exception {
        assertHides(world, proxy, () -> {
            cluster.command("kill etcd");
            cluster.command("kill apiserver");
            cluster.command("start etcd");
            cluster.command("start apiserver");
        });
    }

    private interface Fault {
        void happen() throws IOException, InterruptedException;
    }

    private void assertHides(World world, ProxyProcess proxy, Fault fault) throws Exception {
        double repairs = repairs(proxy);
        Pods pods = new Pods(world, seed);
        try (PodWatches watches =
                PodWatches.open(world.proxied(), PodScope.all(world.namespace()), pods.start(), WATCHES)) {
            watches.awaitInitial();
            pods.churn(30);
            watches.await(pods.mark());
            int certain = pods.changes().size();

            CompletableFuture<Void> happening = CompletableFuture.runAsync(() -> {
                try {
                    fault.happen();
                } catch (IOException | InterruptedException e) {
                    throw new CompletionException(e);
                }
            });
            while (!happening.isDone()) {
                pods.churnKeeping(1);
            }
            happening.get();
            pods.churn(30);
            watches.await(pods.mark());

            watches.assertOpen();
            GapModel gap = assertTruthful(world.proxied(), pods, watches, certain);
            // A started API server knows nothing from before its own first list: there was a gap only if something
            // was written before that.
            assertThat(repairs(proxy) - repairs).as("gap repairs").isBetween(gap.isEmpty() ? 0.0 : 1.0, 1.0);
        }
    }

    @Test
    void shouldTellOfEverythingThatHappenedBehindACut(World world, ControlPlane cluster) throws Exception {
        Pods pods = new Pods(world, seed);
        String mine = world.namespace() + "/";
        for (String name : List.of("deleted", "recreated", "leaving", "waning", "entering")) {
            pods.create(world.namespace(), name, name.equals("entering") ? "b" : "a", "n1");
            pods.phase(mine + name, "Running");
        }
        try (TcpRelay relay = TcpRelay.to(cluster);
                ProxyProcess proxy = ProxyProcess.start("FaultsST-cut", behind(relay, cluster));
                PodWatches watches =
                        PodWatches.open(proxy.api(), PodScope.all(world.namespace()), pods.start(), WATCHES)) {
            watches.awaitInitial();
            pods.churn(30);
            watches.await(pods.mark());
            int certain = pods.changes().size();

            relay.cut();
            pods.delete(mine + "deleted");
            pods.delete(mine + "recreated");
            pods.create(world.namespace(), "recreated", "a", "n1");
            pods.label(mine + "leaving", "b");
            pods.phase(mine + "waning", "Pending");
            pods.label(mine + "entering", "a");
            pods.create(world.namespace(), "ghost", "a", "n1");
            pods.delete(mine + "ghost");
            pods.churn(30);
            cluster.command("compact");
            cluster.command("restart apiserver");
            pods.churn(10);
            int missed = pods.changes().size();
            relay.restore();
            watches.await(pods.mark());
            pods.churn(30);
            watches.await(pods.mark());

            watches.assertOpen();
            GapModel gap = assertTruthful(proxy.api(), pods, watches, certain);
            assertThat(gap.from()).as("the change first missed").isEqualTo(certain);
            assertThat(gap.to()).as("the end of what was missed").isGreaterThanOrEqualTo(missed);
            assertThat(repairs(proxy)).as("gap repairs").isEqualTo(1);
        }
    }

    private static List<String> behind(TcpRelay relay, ControlPlane cluster) throws IOException {
        return List.of(
                "--upstream",
                relay.url(),
                "--upstream-ca",
                cluster.ca().toString(),
                "--upstream-token-file",
                cluster.adminTokenFile().toString(),
                "--bookmark-interval",
                "1s");
    }

    /** Checks all that watches were told, and what is told to who comes back; tells what the proxy has missed. */
    private GapModel assertTruthful(Api proxy, Pods pods, PodWatches watches, int certain)
            throws IOException, InterruptedException {
        StreamChecks checks = new StreamChecks(pods.start(), pods.base(), pods.changes());
        List<Stream> streams = watches.streams();
        GapModel gap = checks.gap(streams, certain);
        assertThat(checks.faults(streams, gap))
                .as("faults of %d streams, if changes %d to %d were missed", WATCHES, gap.from(), gap.to())
                .isEmpty();
        assertThat(new Comeback(proxy, pods, checks, gap).faults(handedOut(pods, streams)))
                .as("faults of those who come back, if changes %d to %d were missed", gap.from(), gap.to())
                .isEmpty();
        System.out.println("FaultsST: " + pods.changes().size() + " changes, missed by the proxy: " + gap.from()
                + " to " + gap.to());
        return gap;
    }

    /** All versions that clients know of, from the proxy or from the API server itself. */
    private static SortedSet<Long> handedOut(Pods pods, List<Stream> streams) {
        SortedSet<Long> versions = new TreeSet<>();
        versions.add(pods.start());
        pods.changes().forEach(change -> versions.add(change.version()));
        streams.forEach(stream -> stream.told().forEach(told -> versions.add(told.version())));
        return versions.tailSet(pods.start());
    }

    private static double repairs(ProxyProcess proxy) throws IOException, InterruptedException {
        return proxy.metric("watchfan_gap_repairs_total");
    }
}
