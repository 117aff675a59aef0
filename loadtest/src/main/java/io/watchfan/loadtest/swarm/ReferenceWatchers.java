package io.watchfan.loadtest.swarm;

import io.netty.channel.EventLoopGroup;
import io.watchfan.loadtest.contract.JournalFeed;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Truth;
import io.watchfan.loadtest.net.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One watcher per scope straight at the API server, from whose streams the truth is made that the watchers of a proxy
 * are held against. For one controlling thread.
 */
public final class ReferenceWatchers implements AutoCloseable {
    private static final long POLL_MILLIS = 20;
    private static final long CLOSE_TIMEOUT_SECONDS = 5;

    private final EventLoopGroup group = Transport.newGroup("reference", 1);
    private final SwarmLoop loop;
    private final List<Watcher> watchers = new ArrayList<>();
    private final List<JournalFeed> feeds = new ArrayList<>();
    private final Truth truth;

    /**
     * References that have not started.
     *
     * @param target the API server
     * @param startVersion from where the truth is known
     */
    public ReferenceWatchers(
            Target target, Collection<Scope> scopes, long startVersion, int maxEntriesPerScope, long seed) {
        truth = Truth.ofEvents(scopes, maxEntriesPerScope);
        loop = new SwarmLoop(group.next(), seed, SwarmTuning.ofLoops(1));
        for (Scope scope : scopes) {
            JournalFeed feed = new JournalFeed(truth.journal(scope));
            feeds.add(feed);
            WatcherProfile profile = new WatcherProfile(watchers.size(), scope, Pace.FAST, false);
            watchers.add(new Watcher(profile, loop, target, feed, EndJudge.LENIENT, startVersion, null));
        }
    }

    /** What the watchers of the scopes should receive. */
    public Truth truth() {
        return truth;
    }

    /**
     * Lets the references watch.
     *
     * @return whether all did before the time was up
     */
    public boolean start(Duration most) throws InterruptedException {
        onLoop(() -> watchers.forEach(loop::connectInTurn));
        long deadline = System.nanoTime() + most.toNanos();
        while (loop.streaming.get() < watchers.size()) {
            if (System.nanoTime() - deadline >= 0) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return true;
    }

    /** Why the truth cannot be trusted, a line for each scope; empty when it can. */
    public List<String> troubles() {
        return feeds.stream()
                .map(JournalFeed::trouble)
                .filter(trouble -> !trouble.isEmpty())
                .toList();
    }

    /** The last thing that went wrong with a connection; empty when nothing did. */
    public String lastError() {
        return loop.lastError;
    }

    private void onLoop(Runnable action) {
        loop.executor.submit(action).syncUninterruptibly();
    }

    @Override
    public void close() {
        onLoop(() -> watchers.forEach(Watcher::close));
        group.shutdownGracefully(0, CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
}
