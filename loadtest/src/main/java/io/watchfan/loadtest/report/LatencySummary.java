package io.watchfan.loadtest.report;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Percentiles of latencies, in milliseconds. Immutable. */
public record LatencySummary(
        long count, double p50Millis, double p90Millis, double p99Millis, double p999Millis, double maxMillis) {

    /** The summary of a histogram in microseconds. */
    public static LatencySummary ofMicros(Histogram histogram) {
        return of(histogram, 1000.0);
    }

    /** The summary of a histogram in nanoseconds. */
    public static LatencySummary ofNanos(Histogram histogram) {
        return of(histogram, 1_000_000.0);
    }

    private static LatencySummary of(Histogram histogram, double unitsPerMilli) {
        return new LatencySummary(
                histogram.getTotalCount(),
                histogram.getValueAtPercentile(50) / unitsPerMilli,
                histogram.getValueAtPercentile(90) / unitsPerMilli,
                histogram.getValueAtPercentile(99) / unitsPerMilli,
                histogram.getValueAtPercentile(99.9) / unitsPerMilli,
                histogram.getMaxValue() / unitsPerMilli);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "p50 %.2f ms  p90 %.2f ms  p99 %.2f ms  p99.9 %.2f ms  max %.2f ms",
                p50Millis,
                p90Millis,
                p99Millis,
                p999Millis,
                maxMillis);
    }
}
