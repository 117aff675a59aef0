package io.watchfan.loadtest.report;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Latencies of one event loop, from the planned time to the byte received, in microseconds with three digits. The loop
 * records, wait-free; one other thread collects.
 */
public final class LatencyRecorder {
    /** Longer ones are recorded as this. */
    public static final long MAX_MICROS = TimeUnit.MINUTES.toMicros(60);

    static final int DIGITS = 3;

    private final SingleWriterRecorder recorder = new SingleWriterRecorder(MAX_MICROS, DIGITS);
    private Histogram recycled;

    /** Records one latency. The recording loop only. */
    public void recordNanos(long nanos) {
        long micros = TimeUnit.NANOSECONDS.toMicros(nanos);
        recorder.recordValue(Math.max(0, Math.min(micros, MAX_MICROS)));
    }

    /** Adds what was recorded since the last call to a histogram. The collecting thread only. */
    public void drainInto(Histogram sum) {
        recycled = recorder.getIntervalHistogram(recycled);
        sum.add(recycled);
    }

    /** An empty histogram that can take what recorders have. */
    public static Histogram newHistogram() {
        return new Histogram(MAX_MICROS, DIGITS);
    }
}
