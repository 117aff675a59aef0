package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.util.List;

/**
 * Bytes per idle watch, as a slope: a fifth of the watchers, then all; between the two readings nothing else changes. A
 * first fifth that comes and goes has the JVM load and compile what it needs. All watches have been sent a few events,
 * so that what is made on first use is there.
 */
final class IdleScenario implements Scenario {
    private static final int EVENTS = 10;
    private static final double EVENTS_PER_SECOND = 5;
    private static final int STREAMS_PER_CONNECTION = 100;

    private final boolean http2;

    IdleScenario(boolean http2) {
        this.http2 = http2;
    }

    @Override
    public String about() {
        return "Memory of the proxy per idle watch"
                + (http2 ? ", of " + STREAMS_PER_CONNECTION + " HTTP/2 streams a connection" : " over HTTP/1.1")
                + ": live heap after a full collection, and resident memory outside of the heap, as the slope between a"
                + " fifth of the watchers and all";
    }

    @Override
    public int defaultWatchers() {
        return 10_000;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(Bound.atMost("total per watch", http2 ? 5_000 : 8_000));
    }

    @Override
    public void round(Stage stage, Samples samples) throws IOException, InterruptedException {
        int few = stage.watchers() / 5;
        int more = stage.watchers() - few;
        try (SimProcess sim = stage.sim(stage.cluster(500, 50));
                ProxyProcess proxy = stage.proxy(sim, List.of(), MemoryProbe.javaOptions())) {
            watch(stage, sim, proxy, few).close();
            proxy.usage().awaitQuiet();
            try (WatcherSwarm first = watch(stage, sim, proxy, few)) {
                MemoryProbe.Reading before = MemoryProbe.read(proxy);
                try (WatcherSwarm second = watch(stage, sim, proxy, more)) {
                    MemoryProbe.Reading after = MemoryProbe.read(proxy);
                    stage.awaitEvents(first, 2L * EVENTS * few);
                    Stage.verify(second);
                    record(samples, before, after, more);
                }
            }
        }
    }

    private WatcherSwarm watch(Stage stage, SimProcess sim, ProxyProcess proxy, int count)
            throws IOException, InterruptedException {
        int connections = http2 ? Math.max(1, count / STREAMS_PER_CONNECTION) : 0;
        WatcherSwarm swarm =
                stage.watching(proxy.url(), count, id -> Scope.EVERYTHING, id -> Pace.FAST, sim.version(), connections);
        boolean done = false;
        try {
            sim.pace(EVENTS, EVENTS_PER_SECOND);
            stage.awaitEvents(swarm, (long) EVENTS * count);
            done = true;
            return swarm;
        } finally {
            if (!done) {
                swarm.close();
            }
        }
    }

    private static void record(Samples samples, MemoryProbe.Reading before, MemoryProbe.Reading after, int more) {
        samples.add("total per watch", "B", (after.bytes() - before.bytes()) / (double) more);
        samples.add("heap per watch", "B", (after.heapBytes() - before.heapBytes()) / (double) more);
        samples.add("outside of heap per watch", "B", (after.residentBytes() - before.residentBytes()) / (double) more);
        samples.table(MemoryTable.of("what an idle watch holds in the heap", before, after, more));
    }
}
