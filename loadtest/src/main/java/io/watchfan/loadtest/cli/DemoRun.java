package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.ChurnSchedule;
import io.watchfan.loadtest.apiserver.ClusterSpec;
import io.watchfan.loadtest.apiserver.Fault;
import io.watchfan.loadtest.apiserver.FaultPlan;
import io.watchfan.loadtest.apiserver.SimulatedApiServer;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.contract.Truth;
import io.watchfan.loadtest.net.Transport;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.report.LatencySummary;
import io.watchfan.loadtest.report.RunEnvironment;
import io.watchfan.loadtest.report.RunReport;
import io.watchfan.loadtest.report.StatusLine;
import io.watchfan.loadtest.swarm.Expectations;
import io.watchfan.loadtest.swarm.ProfileMix;
import io.watchfan.loadtest.swarm.Target;
import io.watchfan.loadtest.swarm.TargetReader;
import io.watchfan.loadtest.swarm.WatcherProfile;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * One run of the demo. Time line, in parts of the duration: at 10 % the watchers that stall stop reading, at 40 % every
 * upstream watch is cut, at 50 % the API server forgets its history if it is to, at 60 % a tenth of the watchers
 * reconnect, at 75 % the stalled ones read on; at the end the changes stop, and what is on its way gets its time. One
 * thread; when that is interrupted, the run ends at once, with a report of what there was so far.
 */
final class DemoRun {
    private static final String COLLECTION = "/api/v1/pods";
    private static final double STALLED_SHARE = 0.01;
    private static final double INITIAL_SHARE = 0.05;
    /** Only who began with initial events can be held to the state. */
    private static final double EXPIRE_INITIAL_SHARE = 0.25;

    private static final double RECONNECT_SHARE = 0.1;
    private static final int JOURNAL_ENTRIES = 1 << 20;
    private static final Duration BOOKMARK_INTERVAL = Duration.ofSeconds(5);
    private static final Duration READY_TIMEOUT = Duration.ofMinutes(3);
    private static final Duration STREAMING_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration STALLED_SETTLE_TIMEOUT = Duration.ofSeconds(5);
    private static final long STATUS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RunOptions options;
    private final StatusLine status;
    private final List<String> troubles = new ArrayList<>();

    private record Step(long offsetNanos, Runnable action) {}

    /** What it took until the changes stopped. */
    private record Measured(double seconds, double generatorCpuPercent, int watchesOpen, RunReport.Proxy proxy) {}

    DemoRun(RunOptions options, StatusLine status) {
        this.options = options;
        this.status = status;
    }

    RunReport run() throws IOException, InterruptedException {
        List<WatcherProfile> profiles = mix(options.expire() ? EXPIRE_INITIAL_SHARE : INITIAL_SHARE)
                .profiles(options.watchers(), options.seed());
        Truth truth = Truth.ofChanges(
                profiles.stream().map(WatcherProfile::scope).distinct().toList(), JOURNAL_ENTRIES);
        ClusterSpec cluster = new ClusterSpec(
                options.pods(),
                ClusterSpec.DEFAULT_NAMESPACES,
                ClusterSpec.DEFAULT_NODES,
                options.seed(),
                BOOKMARK_INTERVAL,
                ClusterSpec.DEFAULT_HISTORY);
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (SimulatedApiServer server = SimulatedApiServer.start(cluster, anyPort, new TruthFeed(truth))) {
            status.print("API server at " + server.url() + ": " + options.pods() + " pods, seed " + options.seed());
            if (options.proxyCommand().isEmpty()) {
                return watch(server, null, profiles, truth);
            }
            status.print("starting the proxy: " + String.join(" ", options.proxyCommand()));
            try (ProxyProcess proxy = ProxyProcess.start(options.proxyCommand(), server.url())) {
                if (!proxy.awaitReady(READY_TIMEOUT)) {
                    throw new IOException("the proxy " + (proxy.isAlive() ? "did not become ready" : "ended")
                            + "; it wrote:\n" + proxy.lastLines());
                }
                status.print("proxy at " + proxy.url());
                return watch(server, proxy, profiles, truth);
            }
        }
    }

    private static ProfileMix mix(double initialShare) {
        return new ProfileMix(
                IntStream.range(0, ClusterSpec.DEFAULT_NAMESPACES)
                        .mapToObj(ClusterSpec::namespaceName)
                        .toList(),
                IntStream.range(0, ClusterSpec.DEFAULT_NODES)
                        .mapToObj(ClusterSpec::nodeName)
                        .toList(),
                IntStream.range(0, ClusterSpec.apps())
                        .mapToObj(i -> Scope.ofLabel("app", ClusterSpec.appName(i)))
                        .toList(),
                STALLED_SHARE,
                0,
                initialShare);
    }

    private RunReport watch(SimulatedApiServer server, ProxyProcess proxy, List<WatcherProfile> profiles, Truth truth)
            throws IOException, InterruptedException {
        Target target = Target.of(proxy == null ? URI.create(server.url()) : proxy.url(), COLLECTION);
        long version = new TargetReader(target, READY_TIMEOUT).currentVersion();
        int loops = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        try (WatcherSwarm swarm = new WatcherSwarm(
                target,
                profiles,
                version,
                Expectations.ofEvents(truth, strictness()),
                loops,
                options.seed(),
                options.sabotage())) {
            swarm.start();
            if (!swarm.awaitStreaming(STREAMING_TIMEOUT)) {
                troubles.add("only " + swarm.stats().streaming() + " of " + options.watchers()
                        + " watchers got a stream; the last error was: " + swarm.lastError());
            }
            status.print(String.format(
                    Locale.ROOT, "%,d watchers are watching", swarm.stats().streaming()));
            LiveFigures figures = new LiveFigures(swarm, server, proxy == null ? null : proxy.usage());
            server.startChurn(new ChurnSchedule(options.churn(), options.seed()));
            try {
                follow(timeLine(server, swarm), figures, proxy);
                server.stopChurn();
                Measured measured = measure(server, swarm, figures, proxy);
                settle(swarm);
                return report(server, swarm, figures, measured, List.of());
            } catch (InterruptedException e) {
                server.stopChurn();
                Measured measured = measure(server, swarm, figures, null);
                swarm.settle(false);
                return report(
                        server,
                        swarm,
                        figures,
                        measured,
                        List.of("interrupted; what was still on its way was not waited for"));
            }
        }
    }

    private Strictness strictness() {
        return options.expire() ? Strictness.CONVERGING : Strictness.EXACT;
    }

    private List<Step> timeLine(SimulatedApiServer server, WatcherSwarm swarm) {
        return List.of(
                step(0.10, () -> swarm.setStalled(true)),
                step(0.40, () -> fault(server, Fault.Kind.CUT)),
                step(0.50, () -> {
                    if (options.expire()) {
                        fault(server, Fault.Kind.EXPIRE);
                    }
                }),
                step(0.60, () -> swarm.reconnect(RECONNECT_SHARE)),
                step(0.75, () -> swarm.setStalled(false)),
                step(1.00, () -> {}));
    }

    private static void fault(SimulatedApiServer server, Fault.Kind kind) {
        server.startFaults(FaultPlan.none().at(Duration.ZERO, kind, Duration.ZERO));
    }

    private Step step(double part, Runnable action) {
        return new Step((long) (options.duration().toNanos() * part), action);
    }

    private void follow(List<Step> steps, LiveFigures figures, ProxyProcess proxy)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        long nextStatus = STATUS_NANOS;
        for (Step step : steps) {
            while (nextStatus < step.offsetNanos) {
                sleepUntil(start + nextStatus);
                // One line for all the time that has passed, should this thread have been held up.
                nextStatus = ((System.nanoTime() - start) / STATUS_NANOS + 1) * STATUS_NANOS;
                status.show(figures.line());
                if (proxy != null && !proxy.isAlive()) {
                    throw new IOException("the proxy ended; it wrote:\n" + proxy.lastLines());
                }
            }
            sleepUntil(start + step.offsetNanos);
            step.action.run();
        }
        status.show(figures.line());
        status.close();
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        long left = nanos - System.nanoTime();
        if (left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }

    /** @param proxy null where there is none, or not any more */
    private static Measured measure(
            SimulatedApiServer server, WatcherSwarm swarm, LiveFigures figures, ProxyProcess proxy) {
        double seconds = figures.seconds();
        RunReport.Proxy used = null;
        if (proxy != null) {
            long cpuNanos = figures.proxyCpuNanos();
            long events =
                    Math.max(1, swarm.stats().events() - figures.startStats().events());
            used = new RunReport.Proxy(cpuNanos / 1e7 / seconds, cpuNanos / 1e3 / events, figures.maxResidentMiB());
        }
        return new Measured(seconds, figures.generatorCpuPercent(), server.openWatches(), used);
    }

    private void settle(WatcherSwarm swarm) throws InterruptedException {
        if (!swarm.awaitCaughtUp(SETTLE_TIMEOUT, false)) {
            troubles.add("not all watchers got everything within " + SETTLE_TIMEOUT.toSeconds()
                    + " s after the last change; the last error was: " + swarm.lastError());
        }
        if (!swarm.awaitCaughtUp(STALLED_SETTLE_TIMEOUT, true)) {
            status.print("some of the watchers that stalled are still behind; that is no fault");
        }
        swarm.settle(true);
    }

    private RunReport report(
            SimulatedApiServer server,
            WatcherSwarm swarm,
            LiveFigures figures,
            Measured measured,
            List<String> remarks) {
        List<String> details = new ArrayList<>(troubles);
        details.addAll(Reports.details(swarm.violations()));
        boolean passed = details.isEmpty();
        details.addAll(remarks);
        return new RunReport(
                "demo",
                passed,
                options.asMap(),
                RunEnvironment.here(Transport.name()),
                measured.seconds,
                Reports.upstream(server, measured.watchesOpen),
                Reports.watchers(figures.startStats(), swarm.stats(), measured.seconds),
                LatencySummary.ofMicros(figures.latencies()),
                measured.proxy,
                null,
                measured.generatorCpuPercent,
                Reports.counts(swarm.violations()),
                details);
    }
}
