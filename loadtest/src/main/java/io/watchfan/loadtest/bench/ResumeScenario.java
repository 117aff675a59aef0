package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.util.List;

/**
 * A herd that comes back: a watch for each node, all from the beginning of a full window at once, twice (the first time,
 * the code of the replay has not been compiled). Before, the same watchers get the same events live. What the proxy
 * spends on taking up the connections is part of the figure; a third herd, which has nothing to catch up on, tells how
 * much that is.
 */
final class ResumeScenario implements Scenario {
    private static final int EVENTS_PER_WATCHER = 10;
    private static final int BURST = 100;
    private static final double PACED_PER_SECOND = 2000;
    private static final long WINDOW_BYTES_PER_EVENT = 4096;
    private static final String MICROS = "us";

    @Override
    public String about() {
        return "A watch for each node resumes over a full window of " + EVENTS_PER_WATCHER
                + " events each, all at once: the proxy's processor time per delivered event, connecting included, against"
                + " live delivery in bursts of " + BURST + " events to the same watchers";
    }

    @Override
    public int defaultWatchers() {
        return 10_000;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(Bound.atMost("resume against live", 3));
    }

    @Override
    public void round(Stage stage, Samples samples) throws IOException, InterruptedException {
        int watchers = stage.watchers();
        int window = EVENTS_PER_WATCHER * watchers;
        List<String> flags = List.of(
                "--window-events",
                Integer.toString(window),
                "--window-bytes",
                Long.toString(Math.max(1 << 20, window * WINDOW_BYTES_PER_EVENT)),
                "--window-age",
                "2h");
        try (SimProcess sim = stage.sim(stage.cluster(2 * watchers, watchers));
                ProxyProcess proxy = stage.proxy(sim, flags, "")) {
            Herd herd = new Herd(stage, sim, proxy, samples);
            long oldest = herd.live(window);
            // A little less than what the window holds, so that nothing of it is let go just then.
            int missed = window - window / 50;
            herd.resume("first resume", oldest, missed);
            double resumed = herd.resume("resume", oldest, missed);
            samples.add("resume against live", "x", resumed / herd.liveMicros);
            herd.resume("connecting alone", sim.version(), 0);
        }
    }

    /** The watchers of a round, who come and go. */
    private static final class Herd {
        private final Stage stage;
        private final SimProcess sim;
        private final ProxyProcess proxy;
        private final Samples samples;
        private double liveMicros;

        Herd(Stage stage, SimProcess sim, ProxyProcess proxy, Samples samples) {
            this.stage = stage;
            this.sim = sim;
            this.proxy = proxy;
            this.samples = samples;
        }

        private static Scope scope(int id) {
            return Scope.ofNode("node-" + id);
        }

        /**
         * Fills the window, live.
         *
         * @return a version in the window, almost at its beginning
         */
        long live(int window) throws IOException, InterruptedException {
            try (WatcherSwarm swarm =
                    stage.watching(proxy.url(), stage.watchers(), Herd::scope, Pace.FAST, sim.version())) {
                long sent = stage.bursts(sim, swarm, 0, window / 2, BURST, 1);
                long oldest = sim.version();
                int paced = window / 5;
                CpuMeter pacedMeter = new CpuMeter(proxy.usage());
                sim.pace(paced, PACED_PER_SECOND);
                sent += paced;
                stage.awaitEvents(swarm, sent);
                samples.add("live, paced", MICROS, pacedMeter.used().microsPer(paced));
                int rest = window - window / 50 - paced;
                CpuMeter meter = new CpuMeter(proxy.usage());
                stage.bursts(sim, swarm, sent, rest, BURST, 1);
                liveMicros = meter.used().microsPer(rest);
                samples.add("live, in bursts", MICROS, liveMicros);
                return oldest;
            }
        }

        double resume(String figure, long version, int events) throws IOException, InterruptedException {
            proxy.usage().awaitQuiet();
            CpuMeter meter = new CpuMeter(proxy.usage());
            try (WatcherSwarm swarm = stage.watching(proxy.url(), stage.watchers(), Herd::scope, Pace.FAST, version)) {
                stage.awaitEvents(swarm, events);
                CpuMeter.Used used = meter.used();
                if (events == 0) {
                    samples.add(figure + ", each watch", MICROS, used.microsPer(stage.watchers()));
                    return 0;
                }
                samples.add(figure + ", each event", MICROS, used.microsPer(events));
                samples.add(figure + ", seconds", "s", used.seconds());
                return used.microsPer(events);
            }
        }
    }
}
