package io.watchfan.loadtest.swarm;

import io.netty.channel.EventLoop;
import io.watchfan.loadtest.contract.WatcherContract;
import io.watchfan.loadtest.report.LatencyRecorder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What the watchers of one event loop share: scratch space, the recorder, the counters, and the turn to connect.
 * Confined to that event loop, except for the counters and the recorder's other side.
 */
final class SwarmLoop {
    /** As much as one read takes at most. */
    static final int SCRATCH_BYTES = 64 << 10;

    /** A watcher and what checks it. */
    record Member(Watcher watcher, WatcherContract contract) {}

    final EventLoop executor;
    final Random random;
    final SwarmTuning tuning;
    /** Null for a connection of its own for each watcher. */
    final Http2Connections http2;

    final byte[] scratch = new byte[SCRATCH_BYTES];
    final EventHead head = new EventHead();
    final KnownLines lines = new KnownLines();
    final LatencyRecorder latencies = new LatencyRecorder();
    final Counter streaming = new Counter();
    final Counter events = new Counter();
    final Counter initialEvents = new Counter();
    final Counter bookmarks = new Counter();
    final Counter bytes = new Counter();
    final Counter reads = new Counter();
    final Counter streams = new Counter();
    final Counter endedClean = new Counter();
    final Counter endedCut = new Counter();
    final Counter expired = new Counter();
    final Counter errors = new Counter();
    final Counter connectFailures = new Counter();
    final Counter left = new Counter();

    final List<Member> members = new ArrayList<>();
    private final ArrayDeque<Watcher> waiting = new ArrayDeque<>();
    private int connecting;

    /** The last thing that went wrong, for the report; any thread may read it. */
    volatile String lastError = "";

    SwarmLoop(EventLoop executor, long seed, SwarmTuning tuning) {
        this.tuning = tuning;
        this.executor = executor;
        this.random = new Random(seed);
        // Each loop has its part of them.
        int connections = (tuning.http2Connections() + tuning.eventLoops() - 1) / tuning.eventLoops();
        this.http2 = connections == 0 ? null : new Http2Connections(this, connections);
    }

    /** Lets a watcher connect as soon as few enough others are at it. */
    void connectInTurn(Watcher watcher) {
        assert executor.inEventLoop();
        waiting.add(watcher);
        nextTurn();
    }

    /** A watcher that had its turn to connect is through, or has failed. */
    void turnOver() {
        connecting--;
        nextTurn();
    }

    private void nextTurn() {
        while (connecting < tuning.connectingAtOnce() && !waiting.isEmpty()) {
            connecting++;
            waiting.remove().connect();
        }
    }

    void count(EndReason reason) {
        switch (reason) {
            case CLEAN -> endedClean.add(1);
            case CUT -> endedCut.add(1);
            case EXPIRED -> expired.add(1);
            case ERROR -> errors.add(1);
            case NO_CONNECTION -> connectFailures.add(1);
            case LEFT -> left.add(1);
        }
    }
}
