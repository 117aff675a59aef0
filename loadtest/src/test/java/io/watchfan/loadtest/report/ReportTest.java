package io.watchfan.loadtest.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ReportTest {

    @Test
    void shouldCollectEveryLatencyOnce() {
        LatencyRecorder recorder = new LatencyRecorder();
        Histogram first = LatencyRecorder.newHistogram();
        Histogram second = LatencyRecorder.newHistogram();

        recorder.recordNanos(TimeUnit.MILLISECONDS.toNanos(10));
        recorder.recordNanos(-5);
        recorder.drainInto(first);
        recorder.recordNanos(TimeUnit.DAYS.toNanos(10));
        recorder.drainInto(second);

        assertThat(first.getTotalCount()).isEqualTo(2);
        assertThat(first.getMaxValue()).isBetween(10_000L, 10_010L);
        assertThat(second.getTotalCount()).isEqualTo(1);
        assertThat(second.getMaxValue()).isGreaterThanOrEqualTo(LatencyRecorder.MAX_MICROS);
    }

    @Test
    void shouldSummarizeInMilliseconds() {
        Histogram histogram = LatencyRecorder.newHistogram();
        for (int i = 1; i <= 1000; i++) {
            histogram.recordValue(i * 1000L);
        }

        LatencySummary summary = LatencySummary.ofMicros(histogram);

        assertThat(summary.count()).isEqualTo(1000);
        assertThat(summary.p50Millis()).isBetween(499.0, 501.0);
        assertThat(summary.p99Millis()).isBetween(989.0, 991.0);
        assertThat(summary.maxMillis()).isBetween(999.0, 1001.0);
    }

    @Test
    void shouldRewriteTheStatusInPlaceOnATerminalOnly() {
        assertThat(shown(true))
                .isEqualTo("\ra\u001b[K\rb\u001b[K" + System.lineSeparator() + "c" + System.lineSeparator());
        assertThat(shown(false)).isEqualTo(String.join(System.lineSeparator(), "a", "b", "c", ""));
    }

    private static String shown(boolean terminal) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StatusLine status = new StatusLine(new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal);
        status.show("a");
        status.show("b");
        status.print("c");
        status.close();
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
