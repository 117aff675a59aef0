package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.SimulatedApiServer;
import io.watchfan.loadtest.contract.Violation;
import io.watchfan.loadtest.contract.Violations;
import io.watchfan.loadtest.report.LatencySummary;
import io.watchfan.loadtest.report.RunReport;
import io.watchfan.loadtest.swarm.SwarmStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Turns what the parts of a run counted into parts of its report. */
final class Reports {
    private static final int MAX_DETAILS = 10;

    private Reports() {}

    /**
     * What the watchers counted in the measured part.
     *
     * @param before the statistics when it began
     * @param after the statistics at the end
     */
    static RunReport.Watchers watchers(SwarmStats before, SwarmStats after, double seconds) {
        long events = after.events() - before.events();
        long bytes = after.bytes() - before.bytes();
        return new RunReport.Watchers(
                after.watchers(),
                events,
                events / seconds,
                after.initialEvents(),
                after.bookmarks(),
                bytes,
                bytes / seconds,
                after.streams(),
                after.endedClean(),
                after.endedCut(),
                after.expired(),
                after.errors(),
                after.connectFailures(),
                after.left());
    }

    static RunReport.Upstream upstream(SimulatedApiServer server, int watchesOpen) {
        return new RunReport.Upstream(
                server.changeCount(), server.sentCount(), watchesOpen, LatencySummary.ofNanos(server.latenessNanos()));
    }

    /** How often each guarantee was broken; without those that held. */
    static Map<String, Long> counts(Violations violations) {
        Map<String, Long> counts = new LinkedHashMap<>();
        violations.counts().forEach((guarantee, count) -> counts.put(guarantee.name(), count));
        return counts;
    }

    /** The first broken promises in words. */
    static List<String> details(Violations violations) {
        return violations.first().stream()
                .limit(MAX_DETAILS)
                .map(Violation::toString)
                .toList();
    }
}
