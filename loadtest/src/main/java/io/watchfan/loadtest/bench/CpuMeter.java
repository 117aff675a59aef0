package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.process.ProcessUsage;
import java.time.Duration;

/** Processor time of a process, and of this one, from a moment on. */
public final class CpuMeter {
    private static final ProcessUsage SELF = ProcessUsage.ofThisProcess();
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double NANOS_PER_SECOND = 1e9;
    /** What the system's account can tell apart from nothing. */
    private static final long TICK_NANOS = 10_000_000;

    private final ProcessUsage process;
    private final ProcessUsage.Cpu start;
    private final Duration selfStart = SELF.cpu();
    private final long startNanos = System.nanoTime();

    /** A meter that begins now. */
    public CpuMeter(ProcessUsage process) {
        this.process = process;
        this.start = process.userAndSystem();
    }

    /** What was used since then; at least one tick of the system's clock, since less cannot be told. */
    public Used used() {
        ProcessUsage.Cpu now = process.userAndSystem();
        return new Used(
                Math.max(TICK_NANOS, now.total().minus(start.total()).toNanos()),
                now.user().minus(start.user()).toNanos(),
                SELF.cpu().minus(selfStart).toNanos(),
                System.nanoTime() - startNanos);
    }

    /** Processor time: all of the process, its user-space part, and that of the watchers; and wall time. */
    public record Used(long nanos, long userNanos, long watcherNanos, long wallNanos) {
        /** Microseconds of the process for each of so many. */
        public double microsPer(long count) {
            return nanos / NANOS_PER_MICRO / count;
        }

        /** Microseconds of the process in user space for each of so many. */
        public double userMicrosPer(long count) {
            return userNanos / NANOS_PER_MICRO / count;
        }

        /** Processors that the process kept busy on average. */
        public double cores() {
            return nanos / (double) wallNanos;
        }

        /** Processors that this process, which has the watchers, kept busy on average. */
        public double watcherCores() {
            return watcherNanos / (double) wallNanos;
        }

        /** Wall time. */
        public double seconds() {
            return wallNanos / NANOS_PER_SECOND;
        }
    }
}
