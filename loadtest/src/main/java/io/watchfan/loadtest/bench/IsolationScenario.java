package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.report.LatencyRecorder;
import io.watchfan.loadtest.report.LatencySummary;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Latency of clients that read, with one in a hundred stalled against none: before it stalls, while its connection is
 * full, and after it has read on.
 */
final class IsolationScenario implements Scenario {
    private static final int ONE_IN = 100;
    private static final double PER_SECOND = 20;
    private static final int EVENTS = 200;
    /** As much as no connection takes by itself: 8 MB. */
    private static final int FILLING = 4000;

    private static final int WARM = 2000;
    private static final int BURST = 100;
    private static final double ALLOWED_PART = 0.1;
    private static final double ALLOWED_MILLIS = 1;

    @Override
    public String about() {
        return "Latency of those that read, from the planned time to the byte received, " + PER_SECOND
                + " events a second, with 1 in " + ONE_IN + " clients stalled against none";
    }

    @Override
    public int defaultWatchers() {
        return 1000;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(Bound.atMost("p99 beyond +10 % or 1 ms", 0));
    }

    @Override
    public void round(Stage stage, Samples samples) throws IOException, InterruptedException {
        int stalling = Math.max(1, stage.watchers() / ONE_IN);
        List<String> flags = List.of("--write-timeout", "2h");
        try (SimProcess sim = stage.sim(stage.cluster(500, 50));
                ProxyProcess proxy = stage.proxy(sim, flags, "")) {
            long version = sim.version();
            try (WatcherSwarm reading = stage.watching(
                            proxy.url(), stage.watchers() - stalling, id -> Scope.EVERYTHING, Pace.FAST, version);
                    WatcherSwarm stalled =
                            stage.watching(proxy.url(), stalling, id -> Scope.EVERYTHING, Pace.STALLED, version)) {
                Load load = new Load(stage, sim, reading);
                load.bursts(WARM);
                LatencySummary before = load.paced();
                stalled.setStalled(true);
                load.bursts(FILLING);
                LatencySummary meanwhile = load.paced();
                long unread = load.sent * stalling - stalled.stats().events();
                if (unread == 0) {
                    throw new IOException("the stalled clients had read everything");
                }
                stalled.setStalled(false);
                stage.awaitEvents(stalled, load.sent * stalling);
                LatencySummary after = load.paced();
                record(samples, before, meanwhile, after);
            }
        }
    }

    private static void record(Samples samples, LatencySummary before, LatencySummary meanwhile, LatencySummary after) {
        double none = (before.p99Millis() + after.p99Millis()) / 2;
        samples.add("p50, none stalled", "ms", (before.p50Millis() + after.p50Millis()) / 2);
        samples.add("p50, 1 in 100 stalled", "ms", meanwhile.p50Millis());
        samples.add("p99, none stalled", "ms", none);
        samples.add("p99, 1 in 100 stalled", "ms", meanwhile.p99Millis());
        double allowed = none + Math.max(ALLOWED_MILLIS, none * ALLOWED_PART);
        samples.add("p99 beyond +10 % or 1 ms", "ms", Math.max(0, meanwhile.p99Millis() - allowed));
    }

    /** What those that read are sent. */
    private static final class Load {
        private final Stage stage;
        private final SimProcess sim;
        private final WatcherSwarm reading;
        private long sent;

        Load(Stage stage, SimProcess sim, WatcherSwarm reading) {
            this.stage = stage;
            this.sim = sim;
            this.reading = reading;
        }

        void bursts(int events) throws IOException, InterruptedException {
            sent = stage.bursts(sim, reading, sent, events, BURST);
        }

        LatencySummary paced() throws IOException, InterruptedException {
            int events = Math.min(EVENTS, stage.watchers());
            reading.drainLatencies(LatencyRecorder.newHistogram());
            sim.pace(events, PER_SECOND);
            sent += events;
            stage.awaitEvents(reading, sent * reading.stats().watchers());
            Histogram latencies = LatencyRecorder.newHistogram();
            reading.drainLatencies(latencies);
            return LatencySummary.ofMicros(latencies);
        }
    }
}
