package io.watchfan.loadtest.soak;

import io.watchfan.loadtest.apiserver.FaultPlan;
import io.watchfan.loadtest.apiserver.SimulatedApiServer;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.time.Duration;

/** Carries out what a plan says. One thread. */
public final class SoakDriver {
    private final SimulatedApiServer server;
    private final WatcherSwarm swarm;
    private final ProxyRestarts restarts;
    private final Explanations explanations;
    private long faultsEndNanos = System.nanoTime();

    /**
     * A driver of what runs.
     *
     * @param restarts null where there is no proxy
     */
    public SoakDriver(
            SimulatedApiServer server, WatcherSwarm swarm, ProxyRestarts restarts, Explanations explanations) {
        this.server = server;
        this.swarm = swarm;
        this.restarts = restarts;
        this.explanations = explanations;
    }

    /** Lets something happen now; false when it cannot, because a restart is under way. */
    public boolean carryOut(SoakAction action) throws IOException, InterruptedException {
        switch (action.kind()) {
            case PROXY_KILL, PROXY_TERM -> {
                if (!restarts.isIdle()) {
                    return false;
                }
                restarts.await();
                restarts.begin(action.kind() == SoakAction.Kind.PROXY_TERM);
            }
            case CLIENTS_STALL -> swarm.setStalled(true, action.share());
            case CLIENTS_READ_ON -> swarm.setStalled(false, action.share());
            case CLIENTS_VANISH -> swarm.vanish(action.share(), action.length(), false);
            case CLIENTS_ANEW -> swarm.vanish(action.share(), action.length(), true);
            default -> {
                explanations.onUpstreamFault(action.length());
                faultsEndNanos = Math.max(
                        faultsEndNanos, System.nanoTime() + action.length().toNanos());
                server.startFaults(
                        FaultPlan.none().at(Duration.ZERO, action.kind().fault(), action.length()));
            }
        }
        return true;
    }

    /** When all faults of the API server will be over, in {@link System#nanoTime()} terms. */
    public long faultsEndNanos() {
        return faultsEndNanos;
    }

    /** Waits for a restart that is under way. */
    public void awaitRestart() throws IOException, InterruptedException {
        if (restarts != null) {
            restarts.await();
        }
    }

    /** Fails when the proxy has ended without having been told to. */
    public void check() throws IOException, InterruptedException {
        if (restarts != null) {
            restarts.check();
        }
    }
}
