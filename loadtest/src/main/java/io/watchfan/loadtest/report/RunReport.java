package io.watchfan.loadtest.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * All that a run has to tell, for people and for machines. Immutable.
 *
 * @param command the command that ran
 * @param passed whether everything promised was kept
 * @param options what it was asked to do
 * @param environment where it ran
 * @param seconds how long the measured part took
 * @param upstream what the API server did; null when it was not ours
 * @param watchers what the watchers counted
 * @param latency from the planned time to the bytes received; null when changes had no planned time
 * @param proxy what the proxy used; null when it was not ours
 * @param soak what random faults there were; null when there were none
 * @param generatorCpuPercent what the watchers, and the API server if it was ours, used of one processor
 * @param violations how many broken promises, by guarantee
 * @param details the first broken promises, and whatever else went wrong, in words
 */
public record RunReport(
        String command,
        boolean passed,
        Map<String, Object> options,
        RunEnvironment environment,
        double seconds,
        Upstream upstream,
        Watchers watchers,
        LatencySummary latency,
        Proxy proxy,
        Soak soak,
        double generatorCpuPercent,
        Map<String, Long> violations,
        List<String> details) {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What the API server did: changes made, events sent, watches open at the end, and how late changes were. */
    public record Upstream(long changes, long eventsSent, int watchesOpen, LatencySummary lateness) {}

    /** What the watchers counted; see the swarm's statistics. */
    public record Watchers(
            int count,
            long events,
            double eventsPerSecond,
            long initialEvents,
            long bookmarks,
            long bytes,
            double bytesPerSecond,
            long streams,
            long endedClean,
            long endedCut,
            long expired,
            long errors,
            long connectFailures,
            long reconnects) {}

    /** What the proxy used: processor time per wall time, in percent of one processor, and resident memory. */
    public record Proxy(double cpuPercent, double cpuMicrosPerEvent, double maxResidentMiB) {}

    /**
     * What random faults there were, and how it was borne.
     *
     * @param rounds how often there was rest, at which everything was compared
     * @param longestSettleSeconds the longest that it took to come to rest
     * @param gaps how often the proxy could know the outcome only
     * @param faults how many, by kind
     * @param ends how streams ended, and attempts to get one
     * @param lists how lists were answered, by way and answer
     */
    public record Soak(
            int rounds,
            double longestSettleSeconds,
            int gaps,
            Map<String, Long> faults,
            Map<String, Long> ends,
            Map<String, Long> lists) {}

    /** One JSON object. */
    public String toJson() {
        try {
            return MAPPER.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A summary to read. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        line(text, "run", describeOptions());
        line(text, "machine", environment.toString());
        if (upstream != null) {
            line(
                    text,
                    "API server",
                    String.format(
                            Locale.ROOT,
                            "%,d changes, %,d events sent on %,d watches open at the end; changes late by %s",
                            upstream.changes,
                            upstream.eventsSent,
                            upstream.watchesOpen,
                            upstream.lateness));
        }
        line(
                text,
                "watchers",
                String.format(
                        Locale.ROOT,
                        "%,d received %,d events (%,.0f/s, %,.1f MB/s), %,d initial events, %,d bookmarks",
                        watchers.count,
                        watchers.events,
                        watchers.eventsPerSecond,
                        watchers.bytesPerSecond / 1e6,
                        watchers.initialEvents,
                        watchers.bookmarks));
        line(
                text,
                "streams",
                String.format(
                        Locale.ROOT,
                        "%,d opened; ended %,d properly, %,d cut, %,d by 410, %,d by errors; %,d left to reconnect",
                        watchers.streams,
                        watchers.endedClean,
                        watchers.endedCut,
                        watchers.expired,
                        watchers.errors,
                        watchers.reconnects));
        if (latency != null) {
            line(
                    text,
                    "latency",
                    String.format(
                            Locale.ROOT,
                            "%s (planned time to bytes received, %,d measured)",
                            latency,
                            latency.count()));
        }
        if (proxy != null) {
            line(
                    text,
                    "proxy",
                    String.format(
                            Locale.ROOT,
                            "%.0f %% of one CPU, %.1f us per event delivered, %.0f MiB at most",
                            proxy.cpuPercent,
                            proxy.cpuMicrosPerEvent,
                            proxy.maxResidentMiB));
        }
        if (soak != null) {
            line(
                    text,
                    "rounds",
                    String.format(
                            Locale.ROOT,
                            "%,d, each ended by a comparison with the truth; at rest after %.1f s at most; %,d gaps",
                            soak.rounds,
                            soak.longestSettleSeconds,
                            soak.gaps));
            line(text, "faults", counts(soak.faults));
            line(text, "ends", counts(soak.ends));
            line(text, "lists", counts(soak.lists));
        }
        line(
                text,
                "generator",
                String.format(
                        Locale.ROOT,
                        "%.0f %% of one CPU for the watchers%s",
                        generatorCpuPercent,
                        upstream == null ? "" : " and the API server"));
        verdict(text);
        return text.toString();
    }

    private String describeOptions() {
        return options.entrySet().stream()
                .map(option -> option.getKey() + " " + option.getValue())
                .collect(Collectors.joining(", "));
    }

    private static String counts(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .map(count -> String.format(Locale.ROOT, "%,d %s", count.getValue(), count.getKey()))
                .collect(Collectors.joining(", "));
    }

    private void verdict(StringBuilder text) {
        if (passed) {
            line(text, "result", "passed: no watcher missed, repeated or reordered anything");
        } else {
            line(text, "result", String.format(Locale.ROOT, "FAILED %s", violations));
        }
        details.forEach(detail -> text.append("  ").append(detail).append('\n'));
    }

    private static void line(StringBuilder text, String name, String content) {
        text.append(String.format(Locale.ROOT, "%-12s", name)).append(content).append('\n');
    }
}
