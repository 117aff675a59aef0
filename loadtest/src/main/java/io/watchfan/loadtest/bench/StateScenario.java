package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A large state: what it takes in memory, against its bytes; what is put together to send it to many at once, against one; and
 * what that takes in memory beside the state. The heap is so small that what it has room for beside the state is in the bound.
 */
final class StateScenario implements Scenario {
    private static final int PODS_PER_WATCHER = 2000;
    /** 200 MB of pods take less than 300 MB. */
    private static final int HEAP_MIB_PER_WATCHER = 6;

    private static final int LEAST_HEAP_MIB = 128;
    private static final int WINDOW_PER_WATCHER = 400;
    private static final int BURST = 100;
    private static final double MIB = 1 << 20;
    private static final double MB = 1e6;
    private static final String CACHE_BYTES = "watchfan_cache_bytes";
    private static final String FRAMED_BYTES = "watchfan_bytes_framed_total";
    /** So long a loop may take to tell what it has framed. */
    private static final long TELLING_MILLIS = 500;

    @Override
    public String about() {
        return "A state of " + PODS_PER_WATCHER
                + " pods of 2 kB for each watcher (200 MB for 50): memory of the proxy for it and"
                + " for a window of changes, against their bytes; then bytes put together for the first syncs of all"
                + " watchers at once against that of one, and memory beside the state meanwhile";
    }

    @Override
    public int defaultWatchers() {
        return 50;
    }

    @Override
    public int leastWatchers() {
        return 2;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(
                Bound.atMost("state in memory against its bytes", 1.5),
                Bound.atMost("state and window in memory against their bytes", 1.5),
                Bound.atMost("put together on an event loop for all against for one", 1.2),
                Bound.atMost("memory beside the state, at most", 256));
    }

    @Override
    public void round(Stage stage, Samples samples) throws IOException, InterruptedException {
        int watchers = stage.watchers();
        int pods = PODS_PER_WATCHER * watchers;
        int window = WINDOW_PER_WATCHER * watchers;
        int heapMib = LEAST_HEAP_MIB + HEAP_MIB_PER_WATCHER * watchers;
        List<String> flags = List.of("--window-events", Integer.toString(window));
        MemoryProbe.Reading empty;
        try (SimProcess sim = stage.sim(stage.cluster(1, 1));
                ProxyProcess proxy = stage.proxy(sim, flags, MemoryProbe.javaOptions(heapMib))) {
            empty = MemoryProbe.read(proxy);
        }
        try (SimProcess sim = stage.sim(stage.cluster(pods, 500));
                ProxyProcess proxy = stage.proxy(sim, flags, MemoryProbe.javaOptions(heapMib))) {
            MemoryProbe.Reading state = MemoryProbe.read(proxy);
            double bytes = proxy.metric(CACHE_BYTES);
            samples.add("state, serialised", "MB", bytes / MB);
            samples.add("state in memory against its bytes", "x", (state.heapBytes() - empty.heapBytes()) / bytes);
            try (WatcherSwarm reader =
                    stage.watching(proxy.url(), 1, id -> Scope.EVERYTHING, Pace.FAST, sim.version())) {
                stage.bursts(sim, reader, 0, window, BURST);
            }
            MemoryProbe.Reading full = MemoryProbe.read(proxy);
            double fullBytes = proxy.metric(CACHE_BYTES);
            samples.add("state and window, serialised", "MB", fullBytes / MB);
            samples.add(
                    "state and window in memory against their bytes",
                    "x",
                    (full.heapBytes() - empty.heapBytes()) / fullBytes);
            samples.table(MemoryTable.of("state and window", empty, full, 1));
            sync(stage, proxy, 1, pods);
            Synced one = sync(stage, proxy, 1, pods);
            MemoryProbe.Reading before = MemoryProbe.read(proxy);
            Synced all = sync(stage, proxy, watchers, pods);
            int loops = Math.min(watchers, Runtime.getRuntime().availableProcessors());
            samples.add("put together for one", "MB", one.framedBytes / MB);
            samples.add("put together for all", "MB", all.framedBytes / MB);
            samples.add(
                    "put together on an event loop for all against for one",
                    "x",
                    all.framedBytes / loops / one.framedBytes);
            samples.add("one: CPU per object", "us", one.used.microsPer(pods));
            samples.add("all: CPU per object", "us", all.used.microsPer((long) pods * watchers));
            samples.add("all: user-space part", "us", all.used.userMicrosPer((long) pods * watchers));
            samples.add("all: took", "s", all.used.seconds());
            samples.add(
                    "memory beside the state, at most",
                    "MiB",
                    heapMib + (all.mostResidentBytes - before.residentBytes() - before.heapBytes()) / MIB);
        }
    }

    private record Synced(double framedBytes, long mostResidentBytes, CpuMeter.Used used) {}

    private static Synced sync(Stage stage, ProxyProcess proxy, int count, int pods)
            throws IOException, InterruptedException {
        double framed = proxy.metric(FRAMED_BYTES);
        CpuMeter meter = new CpuMeter(proxy.usage());
        long[] most = {0};
        try (WatcherSwarm swarm = stage.syncing(proxy.url(), count, Pace.FAST)) {
            stage.await(
                    () -> {
                        most[0] = Math.max(most[0], proxy.usage().residentBytes());
                        return swarm.stats().initialEvents() >= (long) count * pods
                                && swarm.stats().bookmarks() >= count;
                    },
                    () -> "first syncs got " + swarm.stats().initialEvents() + " objects; the last error was: "
                            + swarm.lastError());
            CpuMeter.Used used = meter.used();
            Stage.verify(swarm);
            TimeUnit.MILLISECONDS.sleep(TELLING_MILLIS);
            return new Synced(proxy.metric(FRAMED_BYTES) - framed, most[0], used);
        }
    }
}
