package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.watchfan.loadtest.bench.Bound;
import io.watchfan.loadtest.bench.CpuMeter;
import io.watchfan.loadtest.bench.HostUsage;
import io.watchfan.loadtest.bench.Samples;
import io.watchfan.loadtest.bench.ScenarioReport;
import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.net.Transport;
import io.watchfan.loadtest.process.ProcessUsage;
import io.watchfan.loadtest.report.RunEnvironment;
import io.watchfan.loadtest.swarm.Expectations;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.SwarmStats;
import io.watchfan.loadtest.swarm.SwarmTuning;
import io.watchfan.loadtest.swarm.Target;
import io.watchfan.loadtest.swarm.WatcherProfile;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * A measurement: processor time per delivery of the API server itself, which its watchers reach by TLS only, and of the proxy
 * in front of it, which they reach without. The same watchers and the same changes, in turns; once more without watchers, to
 * know what of the API server's time the changes take. It fails when a watcher is told anything but what happened, once and in
 * order, and never for what it finds. Figures are found with {@code -Dwatchfan.apiServerCost=ROUNDS}, of about two minutes
 * each; without, there is one round of few watchers.
 *
 * <p>The API server ends watches that do not keep up, and their clients go on where they were, at its expense. How often that
 * was so is told. Of the proxy no watch may end.
 */
@EndToEnd
class ApiServerCostST {
    private static final String ASKED_FOR = "watchfan.apiServerCost";
    private static final int ROUNDS = Integer.getInteger(ASKED_FOR, 1);
    private static final int MEANT_FOR_WATCHERS = 1000;
    private static final int FEW_WATCHERS = 50;
    private static final int WATCHERS = Integer.getInteger(
            "watchfan.watchers", Integer.getInteger(ASKED_FOR) == null ? FEW_WATCHERS : MEANT_FOR_WATCHERS);

    private static final int OBJECTS = 100;
    private static final int SETTINGS = 25; // which makes an event of 1.8 kB
    private static final int BURST = OBJECTS; // no two changes of a burst are of one object
    private static final int WARM_BURSTS = 40; // Go needs none, a JVM does
    private static final int BURSTS = 20;
    private static final int PACED_CHANGES = 200;
    private static final Duration PACE = Duration.ofMillis(50);
    private static final int LEAST_WATCH_SECONDS = 7200;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofMillis(5);

    private static final String MICROS = "us";
    private static final String TIMES = "x";
    private static final List<Bound> BOUNDS = List.of(
            Bound.atLeast("paced: ratio, less the writes", 2), Bound.atLeast("bursts: ratio, less the writes", 15));

    /**
     * Whose time is told.
     *
     * @param endsSlowWatches whether a watch may end properly
     */
    private record Server(String name, ProcessUsage usage, boolean endsSlowWatches) {}

    /** Processor time of what serves the watchers, and of the API server, which may be the same. */
    private record Cost(double server, double apiServer) {}

    /** Both kinds of load. */
    private record Found(Cost paced, Cost bursts) {}

    private final Samples samples = new Samples();
    private final long seed =
            Long.getLong("watchfan.seed", ThreadLocalRandom.current().nextLong());
    private int namespaces;

    @Test
    void shouldReportWhatADeliveryCosts(ControlPlane cluster) throws Exception {
        System.out.println("ApiServerCostST: -Dwatchfan.seed=" + seed + ", " + RunEnvironment.here(Transport.name()));
        cluster.ensureRunning();
        HostUsage host = new HostUsage();
        long begun = System.nanoTime();
        for (int round = 0; round < ROUNDS; round++) {
            round(cluster, round % 2 == 0);
        }
        ScenarioReport report = new ScenarioReport(
                "kube-apiserver (TLS) against watchfan (plain)",
                "",
                WATCHERS,
                ROUNDS,
                (System.nanoTime() - begun) / 1e9,
                host.othersCores(),
                samples.figures(BOUNDS, WATCHERS >= MEANT_FOR_WATCHERS),
                List.of(),
                List.of(),
                null);
        System.out.println(report.toText());
        report.figures().stream()
                .filter(figure -> figure.unit().equals(TIMES))
                .forEach(figure -> System.out.println("  " + figure.name() + ", round by round: "
                        + figure.samples().stream()
                                .map(ratio -> String.format(Locale.ROOT, "%.2f", ratio))
                                .toList()));
    }

    private void round(ControlPlane cluster, boolean directFirst) throws Exception {
        Found unwatched = unwatched(cluster);
        Found direct = directFirst ? direct(cluster) : null;
        Found proxied = proxied(cluster);
        if (direct == null) {
            direct = direct(cluster);
        }
        compare("paced", direct.paced, proxied.paced, unwatched.paced);
        compare("bursts", direct.bursts, proxied.bursts, unwatched.bursts);
    }

    private void compare(String load, Cost direct, Cost proxied, Cost unwatched) {
        samples.add(
                "direct, " + load + ": CPU per delivery, less the writes", MICROS, direct.server - unwatched.server);
        samples.add(load + ": ratio", TIMES, direct.server / proxied.server);
        samples.add(load + ": ratio, less the writes", TIMES, (direct.server - unwatched.server) / proxied.server);
        samples.add(load + ": ratio, API server included", TIMES, direct.server / (proxied.server + proxied.apiServer));
    }

    private Found unwatched(ControlPlane cluster) throws Exception {
        try (PlannedWrites writes = writes(cluster)) {
            return measure(new Server("unwatched", cluster.apiServerUsage(), true), cluster, writes, null);
        }
    }

    private Found direct(ControlPlane cluster) throws Exception {
        SslContext ssl = SslContextBuilder.forClient()
                .trustManager(cluster.ca().toFile())
                .build();
        Target target = Target.of(URI.create(cluster.server()), PlannedWrites.COLLECTION, ssl, cluster.adminToken());
        try (PlannedWrites writes = writes(cluster);
                WatcherSwarm swarm = watching(target, writes)) {
            return measure(new Server("direct", cluster.apiServerUsage(), true), cluster, writes, swarm);
        }
    }

    private Found proxied(ControlPlane cluster) throws Exception {
        try (ProxyProcess proxy = ProxyProcess.start("ApiServerCostST", cluster, "--feed", "configmaps");
                PlannedWrites writes = writes(cluster);
                WatcherSwarm swarm =
                        watching(Target.of(URI.create(proxy.api().server()), PlannedWrites.COLLECTION), writes)) {
            return measure(new Server("watchfan", proxy.usage(), false), cluster, writes, swarm);
        }
    }

    private PlannedWrites writes(ControlPlane cluster)
            throws IOException, InterruptedException, GeneralSecurityException {
        return new PlannedWrites(cluster, "cost-" + namespaces++, OBJECTS, SETTINGS);
    }

    private WatcherSwarm watching(Target target, PlannedWrites writes) {
        List<WatcherProfile> profiles = IntStream.range(0, WATCHERS)
                .mapToObj(id -> new WatcherProfile(id, writes.scope(), Pace.FAST, false))
                .toList();
        int loops = Runtime.getRuntime().availableProcessors();
        return new WatcherSwarm(
                target,
                profiles,
                writes.start(),
                Expectations.ofEvents(writes.truth(), Strictness.EXACT),
                new SwarmTuning(loops, 64, LEAST_WATCH_SECONDS, 0),
                seed,
                null);
    }

    /** All loads, one after another; without a swarm only the writes. */
    private Found measure(Server server, ControlPlane cluster, PlannedWrites writes, WatcherSwarm swarm)
            throws Exception {
        if (swarm != null) {
            swarm.start();
            assertThat(swarm.awaitStreaming(PATIENCE)).as(swarm.lastError()).isTrue();
        }
        Turn turn = new Turn(server, cluster.apiServerUsage(), writes, swarm);
        turn.bursts(WARM_BURSTS);
        Cost paced = turn.measured("paced", PACED_CHANGES, turn::paced);
        Cost bursts = turn.measured(
                "bursts",
                BURSTS * BURST,
                () -> samples.add(
                        server.name + ": writing a burst",
                        "ms",
                        turn.bursts(BURSTS).toNanos() / 1e6));
        if (swarm != null) {
            writes.advance();
            assertThat(swarm.awaitCaughtUp(PATIENCE, true))
                    .as(swarm.lastError())
                    .isTrue();
            swarm.settle(true);
            turn.verify();
            samples.add(
                    server.name + ": bytes of an event",
                    "B",
                    swarm.stats().bytes() / (double) swarm.stats().events());
        }
        return new Found(paced, bursts);
    }

    private interface Load {
        void make() throws Exception;
    }

    /** The loads on one server. */
    private final class Turn {
        private final Server server;
        private final ProcessUsage apiServer;
        private final PlannedWrites writes;
        private final WatcherSwarm swarm;
        private long sent;

        Turn(Server server, ProcessUsage apiServer, PlannedWrites writes, WatcherSwarm swarm) {
            this.server = server;
            this.apiServer = apiServer;
            this.writes = writes;
            this.swarm = swarm;
        }

        Cost measured(String load, int changes, Load making) throws Exception {
            apiServer.awaitQuiet();
            server.usage.awaitQuiet();
            String name = server.name + ", " + load + ": ";
            long deliveries = (long) changes * WATCHERS;
            SwarmStats before = swarm == null ? null : swarm.stats();
            CpuMeter meter = new CpuMeter(server.usage);
            CpuMeter apiServerMeter = new CpuMeter(apiServer);
            making.make();
            CpuMeter.Used used = meter.used();
            CpuMeter.Used apiServerUsed = apiServerMeter.used();
            Cost cost = new Cost(used.microsPer(deliveries), apiServerUsed.microsPer(deliveries));
            if (swarm != null) {
                samples.add(name + "CPU per delivery", MICROS, cost.server);
                samples.add(name + "of it in user space", MICROS, used.userMicrosPer(deliveries));
                samples.add(
                        name + "receives per event",
                        "",
                        (swarm.stats().reads() - before.reads()) / (double) deliveries);
                samples.add(
                        name + "watches it ended", "", (double) (swarm.stats().endedClean() - before.endedClean()));
                samples.add(name + "CPU of the watchers", "cores", used.watcherCores());
            }
            samples.add(name + "API server per change", MICROS, apiServerUsed.microsPer(changes));
            samples.add(name + "took", "s", used.seconds());
            return cost;
        }

        void paced() throws Exception {
            writes.write(PACED_CHANGES, PACE);
            received(PACED_CHANGES);
        }

        /** Makes bursts, and tells how long the writing of one took in the middle. */
        Duration bursts(int count) throws Exception {
            List<Duration> took = new ArrayList<>();
            for (int burst = 0; burst < count; burst++) {
                took.add(writes.write(BURST, Duration.ZERO));
                received(BURST);
            }
            took.sort(null);
            return took.get(count / 2);
        }

        private void received(int changes) {
            if (swarm == null) {
                return;
            }
            sent += (long) changes * WATCHERS;
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(POLL)
                    .failFast(this::verifyNothingBroken)
                    .untilAsserted(() ->
                            assertThat(swarm.stats().events()).as("events").isGreaterThanOrEqualTo(sent));
            verify();
        }

        private void verifyNothingBroken() {
            assertThat(swarm.violations().first()).isEmpty();
            SwarmStats stats = swarm.stats();
            long accepted = server.endsSlowWatches ? stats.endedClean() : 0;
            assertThat(stats.ended() - accepted)
                    .as("watches that ended: %s; the last error was: %s", stats, swarm.lastError())
                    .isZero();
        }

        void verify() {
            verifyNothingBroken();
            assertThat(swarm.stats().events()).as("events").isEqualTo(sent);
        }
    }
}
