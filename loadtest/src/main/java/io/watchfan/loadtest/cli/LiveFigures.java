package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.SimulatedApiServer;
import io.watchfan.loadtest.process.ProcessUsage;
import io.watchfan.loadtest.report.LatencyRecorder;
import io.watchfan.loadtest.swarm.SwarmStats;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.time.Duration;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** The figures of a run: since the last look for the status line, and in sum for the report. One thread. */
final class LiveFigures {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MIB = 1 << 20;

    private static final ProcessUsage SELF = ProcessUsage.ofThisProcess();

    private final WatcherSwarm swarm;
    private final SimulatedApiServer server;
    private final ProcessUsage proxy;
    private final Histogram total = LatencyRecorder.newHistogram();
    private final Histogram interval = LatencyRecorder.newHistogram();
    private final long startNanos = System.nanoTime();
    private final SwarmStats startStats;
    private final Duration startCpu;
    private final Duration startGeneratorCpu = SELF.cpu();

    private long lastNanos = startNanos;
    private SwarmStats lastStats;
    private long lastChanges;
    private Duration lastCpu;
    private long maxResidentBytes;

    /**
     * Begins to count.
     *
     * @param server null when it is not ours
     * @param proxy null when it is not ours
     */
    LiveFigures(WatcherSwarm swarm, SimulatedApiServer server, ProcessUsage proxy) {
        this.swarm = swarm;
        this.server = server;
        this.proxy = proxy;
        this.startStats = swarm.stats();
        this.lastStats = startStats;
        this.lastChanges = server == null ? 0 : server.changeCount();
        this.startCpu = proxy == null ? Duration.ZERO : proxy.cpu();
        this.lastCpu = startCpu;
        swarm.drainLatencies(interval);
    }

    /** What happened since the last look, as one line. */
    String line() {
        long now = System.nanoTime();
        double seconds = Math.max(now - lastNanos, 1) / NANOS_PER_SECOND;
        SwarmStats stats = swarm.stats();
        collect();
        StringBuilder line = new StringBuilder();
        line.append(String.format(Locale.ROOT, "%4.0fs", (now - startNanos) / NANOS_PER_SECOND));
        if (server != null) {
            long changes = server.changeCount();
            line.append(String.format(Locale.ROOT, " | in %,.0f/s", (changes - lastChanges) / seconds));
            lastChanges = changes;
        }
        line.append(String.format(Locale.ROOT, " | out %,.0f/s", (stats.events() - lastStats.events()) / seconds));
        if (interval.getTotalCount() > 0) {
            line.append(String.format(
                    Locale.ROOT,
                    " | p50 %.1f p99 %.1f ms",
                    interval.getValueAtPercentile(50) / 1e3,
                    interval.getValueAtPercentile(99) / 1e3));
        }
        line.append(String.format(Locale.ROOT, " | watchers %,d", stats.streaming()));
        if (server != null) {
            line.append(String.format(Locale.ROOT, " | upstream watches %,d", server.openWatches()));
        }
        if (proxy != null) {
            Duration cpu = proxy.cpu();
            line.append(String.format(
                    Locale.ROOT,
                    " | proxy %.0f%% cpu %.0f MiB",
                    cpu.minus(lastCpu).toNanos() / NANOS_PER_SECOND / seconds * 100,
                    resident() / MIB));
            lastCpu = cpu;
        }
        line.append(String.format(Locale.ROOT, " | ended %,d", stats.ended()));
        lastNanos = now;
        lastStats = stats;
        return line.toString();
    }

    private void collect() {
        interval.reset();
        swarm.drainLatencies(interval);
        total.add(interval);
    }

    private long resident() {
        long resident = proxy.residentBytes();
        maxResidentBytes = Math.max(maxResidentBytes, resident);
        return resident;
    }

    /** All latencies so far, in microseconds. */
    Histogram latencies() {
        collect();
        return total;
    }

    double seconds() {
        return (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    }

    SwarmStats startStats() {
        return startStats;
    }

    /** Processor time of this process since the beginning, in percent of one processor. */
    double generatorCpuPercent() {
        return SELF.cpu().minus(startGeneratorCpu).toNanos() / NANOS_PER_SECOND / seconds() * 100;
    }

    /** Processor time of the proxy since the beginning, in nanoseconds. */
    long proxyCpuNanos() {
        return proxy.cpu().minus(startCpu).toNanos();
    }

    /** The most memory the proxy was seen to have. */
    double maxResidentMiB() {
        resident();
        return maxResidentBytes / MIB;
    }
}
