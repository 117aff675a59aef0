package io.watchfan.proxy.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.proxy.metrics.ProxyMetrics.Outcome;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ProxyMetricsTest {
    private final ProxyMetrics metrics = new ProxyMetrics();

    @AfterEach
    void close() {
        metrics.close();
    }

    @Test
    void shouldNameItsMetersAsDocumented() {
        metrics.request("list", Outcome.SERVED, "");
        metrics.passthroughStarted();
        metrics.watchStarted();
        metrics.watchStarted();
        metrics.watchEnded("timeout");
        metrics.eventsIn("pods").increment(3);
        metrics.deliveries("deployments.apps").increment(30);
        metrics.relist("pods", "expired");
        metrics.gapRepaired();
        metrics.bytesOut().increment(100);
        AtomicInteger feeds = new AtomicInteger(4);
        metrics.feeds(feeds, AtomicInteger::get);
        metrics.upstreamWatches(feeds, AtomicInteger::get);

        assertThat(metrics.scrape().lines())
                .contains(
                        "watchfan_requests_total{outcome=\"served\",reason=\"\",verb=\"list\"} 1.0",
                        "watchfan_passthrough_active 1.0",
                        "watchfan_watchers 1.0",
                        "watchfan_watch_ends_total{reason=\"timeout\"} 1.0",
                        "watchfan_events_in_total{resource=\"pods\"} 3.0",
                        "watchfan_deliveries_total{resource=\"deployments.apps\"} 30.0",
                        "watchfan_upstream_relists_total{cause=\"expired\",resource=\"pods\"} 1.0",
                        "watchfan_gap_repairs_total 1.0",
                        "watchfan_bytes_out_total 100.0",
                        "watchfan_feeds 4.0",
                        "watchfan_upstream_watches 4.0");
        assertThat(metrics.watcherCount()).isEqualTo(1);
    }

    @Test
    void shouldShowTheJvm() {
        assertThat(metrics.scrape())
                .contains("jvm_memory_used_bytes{", "jvm_gc_", "process_cpu_usage ", "process_files_open_files ");
    }

    @Test
    void shouldBoundTheNumberOfResourcesItTellsApart() {
        for (int i = 0; i < 5000; i++) {
            metrics.eventsIn("resource" + i).increment();
        }

        assertThat(metrics.scrape().lines().filter(line -> line.startsWith("watchfan_events_in_total{")))
                .hasSize(1001)
                .contains("watchfan_events_in_total{resource=\"other\"} 4000.0");
    }
}
