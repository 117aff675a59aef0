package io.watchfan.loadtest.soak;

import io.watchfan.loadtest.apiserver.SimulatedApiServer;
import io.watchfan.loadtest.contract.ScopeJournal;
import io.watchfan.loadtest.process.ProxyProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Stops the proxy and starts it again beside whatever else happens. One controlling thread, and one for the restart. */
public final class ProxyRestarts {
    private static final Duration TERMINATION = Duration.ofSeconds(15);
    private static final Duration READY = Duration.ofSeconds(60);
    private static final long QUIET_MILLIS = 5_000;
    private static final long POLL_MILLIS = 5;

    private final ProxyProcess proxy;
    private final SimulatedApiServer server;
    private final ScopeJournal everything;
    private final GapWitness witness;
    private final Explanations explanations;
    private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

    /** A proxy that runs. */
    public ProxyRestarts(
            ProxyProcess proxy,
            SimulatedApiServer server,
            ScopeJournal everything,
            GapWitness witness,
            Explanations explanations) {
        this.proxy = proxy;
        this.server = server;
        this.everything = everything;
        this.witness = witness;
        this.explanations = explanations;
    }

    /** Whether no restart is under way. */
    public boolean isIdle() {
        return underWay.isDone();
    }

    /** Begins a restart, by SIGTERM or SIGKILL; the one before must be over. */
    public void begin(boolean gracefully) {
        CompletableFuture<Void> next = new CompletableFuture<>();
        underWay = next;
        Thread thread = new Thread(
                () -> {
                    try {
                        restart(gracefully);
                        next.complete(null);
                    } catch (IOException | InterruptedException | RuntimeException e) {
                        next.completeExceptionally(e);
                    }
                },
                "restart");
        thread.setDaemon(true);
        thread.start();
    }

    private void restart(boolean gracefully) throws IOException, InterruptedException {
        explanations.onStopping(gracefully);
        if (gracefully) {
            int status = proxy.terminate(TERMINATION);
            if (status != 0) {
                throw new IOException("the proxy ended with status " + status + " after SIGTERM");
            }
        } else {
            proxy.kill();
        }
        explanations.onStopped();
        awaitSilence();
        witness.onProxyGone(everything.knownVersion());
        proxy.startAgain();
        if (!proxy.awaitReady(READY)) {
            throw new IOException("the proxy did not become ready again");
        }
        explanations.onStarted();
    }

    /** What the dead proxy had asked for has been read, and will not be taken for the next one's. */
    private void awaitSilence() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS);
        while (server.openConnections() > 0 && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    /** Waits for the restart that is under way. */
    public void await() throws IOException, InterruptedException {
        try {
            underWay.get(TERMINATION.plus(READY).toSeconds() + 30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(e.getCause().getMessage() + "; it wrote:\n" + proxy.lastLines(), e.getCause());
        } catch (TimeoutException e) {
            throw new IOException("a restart of the proxy does not come to an end", e);
        }
    }

    /** Fails when the proxy has ended without having been told to. */
    public void check() throws IOException, InterruptedException {
        if (!isIdle()) {
            return;
        }
        await();
        if (!proxy.isAlive()) {
            throw new IOException("the proxy ended; it wrote:\n" + proxy.lastLines());
        }
    }
}
