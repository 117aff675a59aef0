package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.process.ProcessUsage;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.report.LatencyRecorder;
import io.watchfan.loadtest.report.LatencySummary;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.SwarmStats;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The same load against three servers in turns: the simulated API server itself, a naive proxy, and watchfan. Paced, an
 * event at a time; bursts, the next as soon as everybody has the last; saturated, the next as soon as the last is all that the
 * watchers have not had, on average.
 */
final class DeliveryScenario implements Scenario {
    private static final double PER_SECOND = 20;
    private static final int PACED_EVENTS = 200;
    private static final int BURST = 100;
    private static final int WARM_BURSTS = 10;
    private static final int BURSTS = 10;
    private static final int WARM_FLOOD_BURSTS = 20;
    private static final int FLOOD_BURSTS = 60;
    private static final int BURSTS_AHEAD = 1;
    private static final double COALESCED = 0.95;

    @Override
    public String about() {
        return "Processor time of the server per delivery, latency from the planned time to the byte received ("
                + PER_SECOND + " events a second), in bursts of " + BURST
                + ", and saturated; of the simulated API server itself (direct), a proxy that encodes each event for each"
                + " client (naive), and watchfan, in turns";
    }

    @Override
    public int defaultWatchers() {
        return 1000;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(Bound.atLeast("saturated, watchfan against naive", 8));
    }

    /** What a server did. */
    private record Found(double pacedMicros, double burstMicros, double perSecond) {}

    @Override
    public void round(Stage stage, Samples samples) throws IOException, InterruptedException {
        Found direct;
        try (SimProcess sim = stage.sim(stage.cluster(500, 50))) {
            direct = measure(stage, samples, "direct", sim, sim.url(), sim.usage());
        }
        Found naive;
        try (SimProcess sim = stage.sim(stage.cluster(500, 50));
                ProxyProcess proxy = stage.naive(sim)) {
            naive = measure(stage, samples, "naive", sim, proxy.url(), proxy.usage());
        }
        try (SimProcess sim = stage.sim(stage.cluster(500, 50));
                ProxyProcess proxy = stage.proxy(sim, List.of(), "")) {
            Found own = measure(stage, samples, "watchfan", sim, proxy.url(), proxy.usage());
            samples.add("paced, watchfan against direct", "x", own.pacedMicros / direct.pacedMicros);
            samples.add("paced, watchfan against naive", "x", own.pacedMicros / naive.pacedMicros);
            samples.add("bursts, watchfan against direct", "x", own.burstMicros / direct.burstMicros);
            samples.add("bursts, watchfan against naive", "x", own.burstMicros / naive.burstMicros);
            samples.add("saturated, watchfan against naive", "x", own.perSecond / naive.perSecond);
        }
    }

    private static Found measure(
            Stage stage, Samples samples, String name, SimProcess sim, URI server, ProcessUsage usage)
            throws IOException, InterruptedException {
        stage.say("  " + name);
        int watchers = stage.watchers();
        try (WatcherSwarm swarm = stage.watching(server, watchers, id -> Scope.EVERYTHING, Pace.FAST, sim.version())) {
            long sent = stage.bursts(sim, swarm, 0, WARM_BURSTS * BURST, BURST);
            double paced = paced(stage, samples, name, sim, swarm, sent, usage);
            sent += pacedEvents(stage);
            CpuMeter burstMeter = new CpuMeter(usage);
            sent = stage.bursts(sim, swarm, sent, BURSTS * BURST, BURST);
            double burst = burstMeter.used().microsPer((long) BURSTS * BURST * watchers);
            samples.add(name + ": bursts, CPU per delivery", "us", burst);
            sent = stage.flood(sim, swarm, sent, WARM_FLOOD_BURSTS * BURST, BURST, BURSTS_AHEAD * BURST);
            CpuMeter meter = new CpuMeter(usage);
            stage.flood(sim, swarm, sent, FLOOD_BURSTS * BURST, BURST, BURSTS_AHEAD * BURST);
            CpuMeter.Used used = meter.used();
            long deliveries = (long) FLOOD_BURSTS * BURST * watchers;
            double perSecond = deliveries / used.seconds();
            samples.add(name + ": saturated, CPU per delivery", "us", used.microsPer(deliveries));
            samples.add(name + ": saturated, deliveries a second", "1/s", perSecond);
            samples.add(name + ": saturated, processors kept busy", "cores", used.cores());
            samples.add(name + ": saturated, by the watchers", "cores", used.watcherCores());
            if (used.watcherCores() > used.cores()) {
                samples.note(
                        name + ": saturated, the watchers took more of the machine than the server did, so deliveries"
                                + " a second are bounded by them; the server alone could do more");
            }
            return new Found(paced, burst, perSecond);
        }
    }

    private static int pacedEvents(Stage stage) {
        return Math.min(PACED_EVENTS, stage.watchers());
    }

    private static double paced(
            Stage stage,
            Samples samples,
            String name,
            SimProcess sim,
            WatcherSwarm swarm,
            long sent,
            ProcessUsage usage)
            throws IOException, InterruptedException {
        usage.awaitQuiet();
        swarm.drainLatencies(LatencyRecorder.newHistogram());
        SwarmStats before = swarm.stats();
        CpuMeter meter = new CpuMeter(usage);
        int events = pacedEvents(stage);
        sim.pace(events, PER_SECOND);
        stage.awaitEvents(swarm, (sent + events) * stage.watchers());
        CpuMeter.Used used = meter.used();
        long deliveries = (long) events * stage.watchers();
        double receives = (swarm.stats().reads() - before.reads()) / (double) deliveries;
        Histogram latencies = LatencyRecorder.newHistogram();
        swarm.drainLatencies(latencies);
        LatencySummary latency = LatencySummary.ofMicros(latencies);
        samples.add(name + ": paced, CPU per delivery", "us", used.microsPer(deliveries));
        samples.add(name + ": paced, user-space part", "us", used.userMicrosPer(deliveries));
        samples.add(name + ": paced, receives per event", "", receives);
        samples.add(name + ": p50", "ms", latency.p50Millis());
        samples.add(name + ": p99", "ms", latency.p99Millis());
        samples.add(name + ": p99.9", "ms", latency.p999Millis());
        if (receives < COALESCED) {
            samples.note(name + ": events were received together though paced, which makes a delivery look cheaper");
        }
        return used.microsPer(deliveries);
    }
}
