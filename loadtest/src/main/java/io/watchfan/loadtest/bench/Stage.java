package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.report.StatusLine;
import io.watchfan.loadtest.swarm.Expectations;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.SwarmTuning;
import io.watchfan.loadtest.swarm.Target;
import io.watchfan.loadtest.swarm.WatcherProfile;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/** What the scenarios are made of: servers, watchers, and waiting with a bound. One thread. */
final class Stage {
    static final String COLLECTION = "/api/v1/pods";
    private static final int CONNECTING_AT_ONCE = 2000;
    private static final int LEAST_WATCH_SECONDS = 7200;
    private static final long POLL_MILLIS = 5;

    private final BenchPlan plan;
    private final int watchers;
    private final StatusLine status;

    Stage(BenchPlan plan, int watchers, StatusLine status) {
        this.plan = plan;
        this.watchers = watchers;
        this.status = status;
    }

    /** How many watchers there are to be. */
    int watchers() {
        return watchers;
    }

    Duration patience() {
        return plan.patience();
    }

    /** Tells what goes on. */
    void say(String what) {
        status.show(what);
    }

    /** The options of a simulated API server of so many pods, on so many nodes. */
    List<String> cluster(int pods, int nodes) {
        return List.of(
                "--pods",
                Integer.toString(pods),
                "--nodes",
                Integer.toString(nodes),
                "--seed",
                Long.toString(plan.seed()));
    }

    SimProcess sim(List<String> flags) throws IOException {
        return SimProcess.start(plan.mainClass(), flags);
    }

    /** A proxy in front of a server, ready, with a feed of pods. */
    ProxyProcess proxy(SimProcess sim, List<String> flags, String javaOptions)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("--feed", "pods"));
        all.addAll(flags);
        return ready(ProxyProcess.start(plan.proxyCommand(), sim.url().toString(), all, javaOptions));
    }

    /** The naive proxy in front of a server, ready. */
    ProxyProcess naive(SimProcess sim) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(SimProcess.java(plan.mainClass()));
        command.add("naive");
        return ready(ProxyProcess.start(command, sim.url().toString()));
    }

    private ProxyProcess ready(ProxyProcess proxy) throws IOException, InterruptedException {
        boolean ready = false;
        try {
            ready = proxy.awaitReady(plan.patience());
            if (!ready) {
                throw new IOException("the proxy " + (proxy.isAlive() ? "did not become ready" : "ended")
                        + "; it wrote:\n" + proxy.lastLines());
            }
            return proxy;
        } finally {
            if (!ready) {
                proxy.close();
            }
        }
    }

    /** Watchers of one pace that are all streaming, from a version. */
    WatcherSwarm watching(URI server, int count, IntFunction<Scope> scopes, Pace pace, long version)
            throws IOException, InterruptedException {
        return watching(server, count, scopes, id -> pace, version, 0);
    }

    /** Watchers that are all streaming, from a version. */
    WatcherSwarm watching(
            URI server,
            int count,
            IntFunction<Scope> scopes,
            IntFunction<Pace> pace,
            long version,
            int http2Connections)
            throws IOException, InterruptedException {
        WatcherSwarm swarm = swarm(server, count, scopes, pace, version, http2Connections);
        boolean streaming = false;
        try {
            swarm.start();
            streaming = swarm.awaitStreaming(plan.patience());
            if (!streaming) {
                throw new IOException("only " + swarm.stats().streaming() + " of " + count
                        + " watchers got a stream; the last error was: " + swarm.lastError());
            }
            return swarm;
        } finally {
            if (!streaming) {
                swarm.close();
            }
        }
    }

    /** Watchers that have not started. */
    WatcherSwarm swarm(
            URI server,
            int count,
            IntFunction<Scope> scopes,
            IntFunction<Pace> pace,
            long version,
            int http2Connections) {
        List<WatcherProfile> profiles = new ArrayList<>(count);
        for (int id = 0; id < count; id++) {
            profiles.add(new WatcherProfile(id, scopes.apply(id), pace.apply(id), false));
        }
        return swarm(server, profiles, version, http2Connections);
    }

    /** Watchers of everything that have started, with initial events. */
    WatcherSwarm syncing(URI server, int count, Pace pace) {
        List<WatcherProfile> profiles = new ArrayList<>(count);
        for (int id = 0; id < count; id++) {
            profiles.add(new WatcherProfile(id, Scope.EVERYTHING, pace, true));
        }
        WatcherSwarm swarm = swarm(server, profiles, 0, 0);
        swarm.start();
        return swarm;
    }

    private WatcherSwarm swarm(URI server, List<WatcherProfile> profiles, long version, int http2Connections) {
        SwarmTuning tuning = new SwarmTuning(
                Runtime.getRuntime().availableProcessors(), CONNECTING_AT_ONCE, LEAST_WATCH_SECONDS, http2Connections);
        return new WatcherSwarm(
                Target.of(server, COLLECTION),
                profiles,
                version,
                Expectations.ofEvents(null, Strictness.EXACT),
                tuning,
                plan.seed(),
                null);
    }

    /**
     * Changes pods in bursts, each as soon as all watchers of a swarm have the last.
     *
     * @param before how many events each watcher has had
     * @return how many each has then
     */
    long bursts(SimProcess sim, WatcherSwarm swarm, long before, int events, int burst)
            throws IOException, InterruptedException {
        return bursts(sim, swarm, before, events, burst, swarm.stats().watchers());
    }

    /**
     * The same where not every watcher gets every event.
     *
     * @param copies how many watchers get an event
     */
    long bursts(SimProcess sim, WatcherSwarm swarm, long before, int events, int burst, int copies)
            throws IOException, InterruptedException {
        long sent = before;
        for (int left = events; left > 0; left -= burst) {
            int now = Math.min(left, burst);
            sim.burst(now);
            sent += now;
            awaitEvents(swarm, sent * copies);
        }
        return sent;
    }

    /**
     * Changes pods in bursts that do not wait for the watchers, as long as these are no more than some events behind.
     *
     * @param before how many events each watcher has had
     * @param ahead how many events the watchers may be behind, on average
     * @return how many each has then
     */
    long flood(SimProcess sim, WatcherSwarm swarm, long before, int events, int burst, int ahead)
            throws IOException, InterruptedException {
        int watchers = swarm.stats().watchers();
        long sent = before;
        for (int left = events; left > 0; left -= burst) {
            int now = Math.min(left, burst);
            sim.burst(now);
            sent += now;
            long enough = (sent - ahead) * watchers;
            await(
                    () -> swarm.stats().events() >= enough,
                    () -> "watchers received " + swarm.stats().events() + " events; the last error was: "
                            + swarm.lastError());
        }
        awaitEvents(swarm, sent * watchers);
        return sent;
    }

    /** Waits until a swarm has so many events. */
    void awaitEvents(WatcherSwarm swarm, long events) throws IOException, InterruptedException {
        await(
                () -> swarm.stats().events() >= events,
                () -> "watchers received " + swarm.stats().events() + " events of " + events + "; the last error was: "
                        + swarm.lastError());
        verify(swarm);
        if (swarm.stats().events() > events) {
            throw new IOException(
                    "watchers received " + swarm.stats().events() + " events, more than the " + events + " there were");
        }
    }

    /** Fails when streams ended, or any watcher saw what it must not. */
    static void verify(WatcherSwarm swarm) throws IOException {
        if (!swarm.violations().first().isEmpty()) {
            throw new IOException(
                    "a broken promise: " + swarm.violations().first().get(0));
        }
        if (swarm.stats().ended() > 0) {
            throw new IOException(swarm.stats().ended() + " streams ended; the last error was: " + swarm.lastError());
        }
    }

    /** Says why something did not come to be. */
    interface Explanation {
        String text();
    }

    /** Waits for something, as long as there is patience. */
    void await(BooleanSupplier condition, Explanation explanation) throws IOException, InterruptedException {
        Duration most = plan.patience();
        long deadline = System.nanoTime() + most.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline >= 0) {
                throw new IOException("after " + most.toSeconds() + " s: " + explanation.text());
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }
}
