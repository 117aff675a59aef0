package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.process.ProcessUsage;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.util.List;

/**
 * Clients that stop reading for good while events go on. They are read as readers first, with the window full; then
 * again as stuck ones, when so many events have passed that every one of them has been lapped. A few others read on, and
 * get everything.
 */
final class StuckScenario implements Scenario {
    private static final int READERS = 4;
    private static final int EVENTS = 10;
    private static final int BURST = 200;
    /** 2,000 of them are passed by 500,000 events of 2 kB: 1 GB. */
    private static final int PASSED_PER_WATCHER = 250;

    private static final int WARM_PER_WATCHER = 35;

    @Override
    public String about() {
        return "Memory of the proxy per client that never reads, above what it held as a reader, after "
                + PASSED_PER_WATCHER + " events of 2 kB per client have passed (1 GB for 2,000)";
    }

    @Override
    public int defaultWatchers() {
        return 2000;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(Bound.atMost("more per stuck client", 64_000));
    }

    @Override
    public void round(Stage stage, Samples samples) throws IOException, InterruptedException {
        int watchers = stage.watchers();
        // Stuck clients are to stay, not to be cut.
        List<String> flags = List.of("--write-timeout", "2h");
        try (SimProcess sim = stage.sim(stage.cluster(500, 50));
                ProxyProcess proxy = stage.proxy(sim, flags, MemoryProbe.javaOptions());
                WatcherSwarm readers =
                        stage.watching(proxy.url(), READERS, id -> Scope.EVERYTHING, Pace.FAST, sim.version())) {
            long sent = stage.bursts(sim, readers, 0, WARM_PER_WATCHER * watchers, BURST);
            try (WatcherSwarm stuck =
                    stage.watching(proxy.url(), watchers, id -> Scope.EVERYTHING, Pace.STALLED, sim.version())) {
                sim.pace(EVENTS, EVENTS);
                sent += EVENTS;
                stage.awaitEvents(stuck, (long) EVENTS * watchers);
                MemoryProbe.Reading reading = MemoryProbe.read(proxy);
                stuck.setStalled(true);
                long sockets = ProcessUsage.sockets(proxy.pid());
                CpuMeter meter = new CpuMeter(proxy.usage());
                stage.bursts(sim, readers, sent, PASSED_PER_WATCHER * watchers, BURST);
                samples.add(
                        "others' throughput meanwhile",
                        "events/s",
                        PASSED_PER_WATCHER * watchers / meter.used().seconds());
                MemoryProbe.Reading after = MemoryProbe.read(proxy);
                record(samples, reading, after, watchers);
                long left = sockets - ProcessUsage.sockets(proxy.pid());
                if (left > watchers / 100) {
                    samples.note(left + " of the stuck clients' connections were gone at the end");
                }
            }
        }
    }

    private static void record(Samples samples, MemoryProbe.Reading reading, MemoryProbe.Reading after, int watchers) {
        samples.add("more per stuck client", "B", (after.bytes() - reading.bytes()) / (double) watchers);
        samples.add("more in the heap", "B", (after.heapBytes() - reading.heapBytes()) / (double) watchers);
        samples.add(
                "more outside of the heap", "B", (after.residentBytes() - reading.residentBytes()) / (double) watchers);
        samples.table(MemoryTable.of("what a stuck client holds more in the heap", reading, after, watchers));
    }
}
