package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The cost of an event with a scope for each watcher against that with one scope for all, in turns against one proxy.
 * In both, there are as many connections, and an event goes to as many watchers: to those that watch everything, and to
 * one more, which in the first case is whichever has the scope of that event's node.
 */
final class ScopesScenario implements Scenario {
    private static final int EVERYTHING = 100;
    private static final int EVENTS = 2000;
    private static final int WARM_EVENTS = 600;
    private static final double PER_SECOND = 200;
    private static final Scope NOTHING = Scope.ofNode("absent");

    @Override
    public String about() {
        return "Processor time of the proxy per event, " + (EVERYTHING + 1)
                + " deliveries each, with a distinct spec.nodeName for every watcher against one for all";
    }

    @Override
    public int defaultWatchers() {
        return 10_000;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(Bound.atMost("distinct against one", 1.5));
    }

    @Override
    public void round(Stage stage, Samples samples) throws IOException, InterruptedException {
        int watchers = stage.watchers();
        int events = Math.min(EVENTS, watchers * 10);
        try (SimProcess sim = stage.sim(stage.cluster(2 * watchers, watchers));
                ProxyProcess proxy = stage.proxy(sim, List.of(), "")) {
            // Once in each way for the JVM to compile what it takes.
            measure(stage, sim, proxy, id -> NOTHING, 1, Math.min(WARM_EVENTS, events));
            measure(stage, sim, proxy, id -> Scope.ofNode("node-" + id), 0, Math.min(WARM_EVENTS, events));
            double one = measure(stage, sim, proxy, id -> NOTHING, 1, events);
            double distinct = measure(stage, sim, proxy, id -> Scope.ofNode("node-" + id), 0, events);
            samples.add("one scope, each event", "us", one);
            samples.add("distinct scopes, each event", "us", distinct);
            samples.add("distinct against one", "x", distinct / one);
        }
    }

    private static double measure(
            Stage stage, SimProcess sim, ProxyProcess proxy, IntFunction<Scope> scopes, int more, int events)
            throws IOException, InterruptedException {
        long version = sim.version();
        int everything = EVERYTHING + more;
        try (WatcherSwarm all = stage.watching(proxy.url(), everything, id -> Scope.EVERYTHING, Pace.FAST, version);
                WatcherSwarm scoped = stage.watching(proxy.url(), stage.watchers(), scopes, Pace.FAST, version)) {
            proxy.usage().awaitQuiet();
            CpuMeter meter = new CpuMeter(proxy.usage());
            sim.pace(events, PER_SECOND);
            stage.awaitEvents(all, (long) everything * events);
            stage.awaitEvents(scoped, more == 0 ? events : 0);
            return meter.used().microsPer(events);
        }
    }
}
