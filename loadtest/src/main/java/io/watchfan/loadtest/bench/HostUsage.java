package io.watchfan.loadtest.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * How busy others keep the machine from a moment on: all that its processors did, less what this process, its children
 * and those of them that have ended did.
 */
public final class HostUsage {
    private static final double TICKS_PER_SECOND = 100;
    private static final int IDLE_FIELD = 4;
    private static final int IO_WAIT_FIELD = 5;
    private static final int LAST_FIELD = 8;
    private static final int USER_FIELD = 14;
    private static final int CHILDREN_SYSTEM_FIELD = 17;
    private static final int SYSTEM_FIELD = 15;

    private final long startNanos = System.nanoTime();
    private final long startBusy = busyTicks();
    private final long startOurs = ourTicks();

    /** The load average, as the system writes it; empty when it does not tell. */
    static String loadAverage() {
        try {
            return Files.readString(Path.of("/proc/loadavg")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** Processors kept busy by others on average; negative when the system does not tell. */
    public double othersCores() {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        long busy = busyTicks();
        if (busy < 0 || startBusy < 0) {
            return -1;
        }
        return Math.max(0, (busy - startBusy - (ourTicks() - startOurs)) / TICKS_PER_SECOND / seconds);
    }

    private static long busyTicks() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            String[] fields = lines.findFirst().orElse("").split(" +", -1);
            long busy = 0;
            for (int field = 1; field <= LAST_FIELD; field++) {
                busy += field == IDLE_FIELD || field == IO_WAIT_FIELD ? 0 : Long.parseLong(fields[field]);
            }
            return busy;
        } catch (IOException | ArrayIndexOutOfBoundsException | NumberFormatException e) {
            return -1;
        }
    }

    private static long ourTicks() {
        long ticks = ticks(ProcessHandle.current().pid(), CHILDREN_SYSTEM_FIELD);
        return ticks
                + ProcessHandle.current()
                        .descendants()
                        .mapToLong(child -> ticks(child.pid(), SYSTEM_FIELD))
                        .sum();
    }

    private static long ticks(long pid, int lastField) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int field = USER_FIELD; field <= lastField; field++) {
                ticks += Long.parseLong(fields[field - 3]);
            }
            return ticks;
        } catch (IOException e) {
            return 0;
        }
    }
}
