package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.ChurnSchedule;
import io.watchfan.loadtest.apiserver.SimulatedApiServer;
import io.watchfan.loadtest.contract.Guarantee;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.contract.Truth;
import io.watchfan.loadtest.contract.Violations;
import io.watchfan.loadtest.net.Transport;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.report.RunEnvironment;
import io.watchfan.loadtest.report.RunReport;
import io.watchfan.loadtest.report.StatusLine;
import io.watchfan.loadtest.soak.Explanations;
import io.watchfan.loadtest.soak.GapWitness;
import io.watchfan.loadtest.soak.ListClient;
import io.watchfan.loadtest.soak.ProxyRestarts;
import io.watchfan.loadtest.soak.SoakAction;
import io.watchfan.loadtest.soak.SoakDriver;
import io.watchfan.loadtest.soak.SoakRound;
import io.watchfan.loadtest.swarm.Expectations;
import io.watchfan.loadtest.swarm.Sabotage;
import io.watchfan.loadtest.swarm.SwarmStats;
import io.watchfan.loadtest.swarm.Target;
import io.watchfan.loadtest.swarm.TargetReader;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One soak: rounds of random faults, each followed by a point of rest at which every watcher must know the truth. It ends
 * early, at the next such point, when a promise was broken. One thread.
 */
final class SoakRun {
    /** How many events the proxy keeps; so few that slow clients are lapped. */
    static final int WINDOW_EVENTS = 1000;

    /** A proxy that gives up soon, so that much happens. */
    static final List<String> PROXY_FLAGS = List.of(
            "--window-events",
            Integer.toString(WINDOW_EVENTS),
            "--upstream-timeout",
            "6s",
            "--write-timeout",
            "5s",
            "--bookmark-interval",
            "3s",
            "--drain-grace",
            "2s");

    private static final String RESOURCE = "pods";
    private static final String COLLECTION = "/api/v1/" + RESOURCE;
    private static final int JOURNAL_ENTRIES = 1 << 20;
    private static final Duration READY_TIMEOUT = Duration.ofMinutes(3);
    private static final Duration STREAMING_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration REST_TIMEOUT = Duration.ofSeconds(90);
    private static final Duration CAUGHT_UP_POLL = Duration.ofSeconds(2);
    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_LAGGING = 10;
    private static final int LAST_ACTIONS = 30;
    /** What a proxy that ends breaks. */
    private static final Set<Guarantee> OF_THE_END = Set.of(Guarantee.UNBROKEN, Guarantee.LISTED);
    /** So long before a soak is interrupted its proxy may have begun to end. */
    private static final Duration DOUBT = Duration.ofSeconds(2);

    private final RunOptions options;
    private final StatusLine status;
    private final List<String> troubles = new ArrayList<>();
    private final Map<String, Long> faults = new LinkedHashMap<>();
    private final List<String> actions = new ArrayList<>();
    private long startNanos;
    private int rounds;
    private long longestRestNanos;

    /** All that runs in a soak. The restarts are null where there is no proxy. */
    private record World(
            SimulatedApiServer server,
            Truth truth,
            GapWitness witness,
            Explanations explanations,
            List<Scope> scopes,
            ProxyProcess proxy,
            ProxyRestarts restarts) {}

    /** What the verdict is made of: broken promises, and remarks that are none. */
    private record Outcome(Violations broken, List<String> remarks) {}

    SoakRun(RunOptions options, StatusLine status) {
        this.options = options;
        this.status = status;
    }

    RunReport run() throws IOException, InterruptedException {
        status.print("soak with seed " + options.seed());
        TruthFeed feed = new TruthFeed();
        LateWitness witness = new LateWitness();
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (SimulatedApiServer server =
                SimulatedApiServer.start(SoakWorld.cluster(options.pods(), options.seed()), anyPort, feed, witness)) {
            List<Scope> scopes = SoakWorld.scopes(feed.loaded());
            Truth truth = Truth.ofChanges(scopes, JOURNAL_ENTRIES);
            feed.begin(truth);
            GapWitness gaps = new GapWitness(
                    RESOURCE,
                    ListClient.USER_AGENT,
                    truth.gaps(),
                    truth.journal(Scope.EVERYTHING).knownVersion());
            witness.begin(gaps);
            Explanations explanations = new Explanations(truth, gaps, WINDOW_EVENTS);
            if (options.proxyCommand().isEmpty()) {
                return soak(new World(server, truth, gaps, explanations, scopes, null, null));
            }
            try (ProxyProcess proxy = ProxyProcess.start(options.proxyCommand(), server.url())) {
                if (!proxy.awaitReady(READY_TIMEOUT)) {
                    throw new IOException("the proxy did not become ready; it wrote:\n" + proxy.lastLines());
                }
                ProxyRestarts restarts =
                        new ProxyRestarts(proxy, server, truth.journal(Scope.EVERYTHING), gaps, explanations);
                RunReport report = soak(new World(server, truth, gaps, explanations, scopes, proxy, restarts));
                if (!report.passed()) {
                    status.print("the proxy's log: " + proxy.keepLog());
                }
                return report;
            }
        }
    }

    private RunReport soak(World world) throws IOException, InterruptedException {
        URI url = world.proxy == null ? URI.create(world.server.url()) : world.proxy.url();
        Target target = Target.of(url, COLLECTION);
        long version = new TargetReader(target, READY_TIMEOUT).currentVersion();
        int loops = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        try (WatcherSwarm swarm = new WatcherSwarm(
                        target,
                        SoakWorld.profiles(world.scopes, options.watchers(), options.seed()),
                        version,
                        new Expectations(world.truth, Strictness.EXACT, world.explanations),
                        loops,
                        options.seed(),
                        options.sabotage());
                ListClient lists = new ListClient(
                        url,
                        COLLECTION,
                        world.truth,
                        world.scopes,
                        world.explanations,
                        swarm.violations(),
                        options.sabotage() == Sabotage.STALE_LIST,
                        options.seed())) {
            LiveFigures figures = new LiveFigures(swarm, world.server, null);
            SwarmStats before = swarm.stats();
            swarm.start();
            if (!swarm.awaitStreaming(STREAMING_TIMEOUT)) {
                throw new IOException("not all watchers got a stream: " + swarm.lastError());
            }
            lists.start();
            startNanos = System.nanoTime();
            SoakDriver driver = new SoakDriver(world.server, swarm, world.restarts, world.explanations);
            Violations broken = swarm.violations();
            List<String> remarks = List.of();
            try {
                do {
                    rounds++;
                    round(world, swarm, driver, figures);
                } while (System.nanoTime() - startNanos < options.duration().toNanos()
                        && troubles.isEmpty()
                        && broken.total() == 0);
            } catch (InterruptedException e) {
                // The signal has the proxy end as well, and it may have come there first.
                broken = broken.without(OF_THE_END, Instant.now().minus(DOUBT));
                remarks = List.of("interrupted in round " + rounds + ", which was not compared with the truth");
                rounds--;
                world.server.stopChurn();
            }
            lists.close();
            return report(world, swarm, lists, new Outcome(broken, remarks), figures, before);
        }
    }

    private void round(World world, WatcherSwarm swarm, SoakDriver driver, LiveFigures figures)
            throws InterruptedException {
        SoakRound round = SoakRound.of(options.seed(), rounds, options.churn(), world.proxy == null);
        world.server.startChurn(new ChurnSchedule(round.churn(), options.seed() ^ rounds));
        long begun = System.nanoTime();
        try {
            for (SoakAction action : round.actions()) {
                follow(begun + action.offsetNanos(), world, driver, figures);
                // Should the last restart still be under way, this one is left out.
                if (driver.carryOut(action)) {
                    faults.merge(action.kind().toString(), 1L, Long::sum);
                    note(action.toString());
                }
            }
            follow(begun + round.length().toNanos(), world, driver, figures);
            rest(world, swarm, driver, figures);
        } catch (IOException e) {
            troubles.add(e.getMessage());
        }
    }

    /** All faults are over, nothing changes any more: everyone must come to know the truth. */
    private void rest(World world, WatcherSwarm swarm, SoakDriver driver, LiveFigures figures)
            throws IOException, InterruptedException {
        follow(driver.faultsEndNanos(), world, driver, figures);
        driver.awaitRestart();
        swarm.setStalled(false);
        world.server.stopChurn();
        long begun = System.nanoTime();
        boolean streaming = swarm.awaitStreaming(REST_TIMEOUT);
        boolean caughtUp = awaitCaughtUp(swarm);
        longestRestNanos = Math.max(longestRestNanos, System.nanoTime() - begun);
        driver.check();
        if (!(streaming && caughtUp) && swarm.violations().total() == 0) {
            troubles.add((streaming ? "" : "not all watchers got a stream; ") + "not all got everything within "
                    + REST_TIMEOUT.toSeconds() + " s of rest, at version "
                    + world.truth.journal(Scope.EVERYTHING).knownVersion() + "; last error: " + swarm.lastError());
            troubles.addAll(swarm.lagging(MOST_LAGGING));
        }
        swarm.settleAll();
        note("rest, gaps so far " + world.truth.gaps().all().size() + ", known from " + world.witness.floor());
    }

    /** Whether all caught up in time; who was told something wrong may never do so, and is not waited for. */
    private static boolean awaitCaughtUp(WatcherSwarm swarm) throws InterruptedException {
        long deadline = System.nanoTime() + REST_TIMEOUT.toNanos();
        while (!swarm.awaitCaughtUp(CAUGHT_UP_POLL, true)) {
            if (swarm.violations().total() > 0 || System.nanoTime() - deadline >= 0) {
                return false;
            }
        }
        return true;
    }

    private void follow(long untilNanos, World world, SoakDriver driver, LiveFigures figures)
            throws IOException, InterruptedException {
        for (long left = untilNanos - System.nanoTime(); left > 0; left = untilNanos - System.nanoTime()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(left, STATUS_NANOS));
            if (left >= STATUS_NANOS) {
                status.show(figures.line() + " | round " + rounds + " | gaps "
                        + world.truth.gaps().all().size());
                driver.check();
            }
        }
    }

    private void note(String what) {
        long nanos = System.nanoTime() - startNanos;
        actions.add("at " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms, round " + rounds + ": " + what);
        if (actions.size() > LAST_ACTIONS) {
            actions.remove(0);
        }
    }

    private RunReport report(
            World world,
            WatcherSwarm swarm,
            ListClient lists,
            Outcome outcome,
            LiveFigures figures,
            SwarmStats before) {
        status.close();
        double seconds = figures.seconds();
        List<String> details = new ArrayList<>(troubles);
        details.addAll(Reports.details(outcome.broken));
        boolean passed = details.isEmpty() && outcome.broken.total() == 0;
        if (!passed) {
            details.add("to see it again: soak --seed " + options.seed() + "; what happened last:");
            details.addAll(actions);
            details.add("gaps: " + world.truth.gaps().all());
        }
        details.addAll(outcome.remarks);
        Map<String, Long> ends = new LinkedHashMap<>();
        world.explanations.ends().forEach((reason, count) -> ends.put(reason.toString(), count.sum()));
        return new RunReport(
                "soak",
                passed,
                options.asMap(),
                RunEnvironment.here(Transport.name()),
                seconds,
                Reports.upstream(world.server, world.server.openWatches()),
                Reports.watchers(before, swarm.stats(), seconds),
                null,
                null,
                new RunReport.Soak(
                        rounds, longestRestNanos / 1e9, world.truth.gaps().all().size(), faults, ends, lists.counts()),
                figures.generatorCpuPercent(),
                Reports.counts(outcome.broken),
                details);
    }
}
