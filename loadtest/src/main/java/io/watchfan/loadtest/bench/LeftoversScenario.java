package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.process.ProxyProcess;
import io.watchfan.loadtest.process.SimProcess;
import io.watchfan.loadtest.swarm.HttpGet;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.Target;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.util.List;

/**
 * What slow first syncs and abandoned pages leave behind. Before the first reading, the same was done once in small, and
 * the window is full. Half way through, when everybody is in the midst of a state that has changed since, a reading
 * tells what that holds.
 */
final class LeftoversScenario implements Scenario {
    /** 20 of them are sent a state of 50,000 pods of 2 kB: 100 MB. */
    private static final int PODS_PER_SYNC = 2500;

    private static final int TOKENS_PER_SYNC = 50;
    private static final int CHANGES_PER_SYNC = 250;
    private static final int WINDOW_PER_SYNC = 1000;
    private static final int BURST = 100;
    private static final double MB = 1e6;

    @Override
    public String about() {
        return "Memory of the proxy after slow first syncs (of " + PODS_PER_SYNC
                + " pods of 2 kB each per sync: 100 MB for 20), of which every other is given up half way, and "
                + TOKENS_PER_SYNC + " abandoned continue tokens per sync, against before";
    }

    @Override
    public int defaultWatchers() {
        return 20;
    }

    @Override
    public int leastWatchers() {
        return 2;
    }

    @Override
    public List<Bound> bounds() {
        return List.of(Bound.atMost("growth in the heap", 4), Bound.atMost("growth outside of the heap", 32));
    }

    @Override
    public void round(Stage stage, Samples samples) throws IOException, InterruptedException {
        int syncs = stage.watchers();
        int pods = PODS_PER_SYNC * syncs;
        List<String> flags = List.of("--window-events", Integer.toString(WINDOW_PER_SYNC * syncs));
        try (SimProcess sim = stage.sim(stage.cluster(pods, 50));
                ProxyProcess proxy = stage.proxy(sim, flags, MemoryProbe.javaOptions());
                WatcherSwarm reader =
                        stage.watching(proxy.url(), 1, id -> Scope.EVERYTHING, Pace.FAST, sim.version())) {
            long sent = stage.bursts(sim, reader, 0, 2 * WINDOW_PER_SYNC * syncs, BURST);
            sync(stage, proxy, 1, Pace.FAST, pods, swarm -> {});
            abandonPages(stage, proxy, TOKENS_PER_SYNC);
            MemoryProbe.Reading before = MemoryProbe.read(proxy);
            long sentBefore = sent;
            sync(stage, proxy, syncs, Pace.SLOW, pods, swarm -> {
                stage.bursts(sim, reader, sentBefore, CHANGES_PER_SYNC * syncs, BURST);
                MemoryProbe.Reading middle = MemoryProbe.read(proxy);
                samples.add("held in the midst, each", "MB", (middle.bytes() - before.bytes()) / MB / syncs);
            });
            sent += (long) CHANGES_PER_SYNC * syncs;
            abandonPages(stage, proxy, TOKENS_PER_SYNC * syncs);
            stage.bursts(sim, reader, sent, 2 * WINDOW_PER_SYNC * syncs, BURST);
            MemoryProbe.Reading after = MemoryProbe.read(proxy);
            Stage.verify(reader);
            samples.add("before, heap", "MB", before.heapBytes() / MB);
            samples.add("growth in the heap", "MB", (after.heapBytes() - before.heapBytes()) / MB);
            samples.add("growth outside of the heap", "MB", (after.residentBytes() - before.residentBytes()) / MB);
            samples.table(MemoryTable.of("growth in the heap, in sum", before, after, 1));
        }
    }

    private interface InTheMidst {
        void run(WatcherSwarm swarm) throws IOException, InterruptedException;
    }

    private static void sync(Stage stage, ProxyProcess proxy, int count, Pace pace, int pods, InTheMidst midst)
            throws IOException, InterruptedException {
        int givenUp = count / 2;
        try (WatcherSwarm stay = stage.syncing(proxy.url(), count - givenUp, pace)) {
            try (WatcherSwarm leave = stage.syncing(proxy.url(), givenUp, pace)) {
                stage.await(
                        () -> stay.stats().initialEvents() > (count - givenUp) * (pods / 4L),
                        () -> "first syncs got " + stay.stats().initialEvents() + " objects");
                midst.run(leave);
            }
            stage.await(
                    () -> stay.stats().initialEvents() >= (count - givenUp) * (long) pods
                            && stay.stats().bookmarks() >= count - givenUp,
                    () -> "first syncs got " + stay.stats().initialEvents() + " objects; the last error was: "
                            + stay.lastError());
            Stage.verify(stay);
        }
    }

    private static void abandonPages(Stage stage, ProxyProcess proxy, int pages)
            throws IOException, InterruptedException {
        Target target = Target.of(proxy.url(), Stage.COLLECTION);
        for (int i = 0; i < pages; i++) {
            HttpGet.Answer page = HttpGet.get(target, Stage.COLLECTION + "?limit=10", stage.patience());
            if (page.status() != 200 || !page.body().contains("\"continue\":\"")) {
                throw new IOException("a page was answered with " + page.status() + ": "
                        + page.body().substring(0, Math.min(200, page.body().length())));
            }
        }
    }
}
