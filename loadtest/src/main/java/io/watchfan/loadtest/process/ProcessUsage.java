package io.watchfan.loadtest.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What a process uses, with or without its descendants. Any thread. */
public final class ProcessUsage {
    /** Linux tells processes' times in hundredths of a second, whatever its own clock. */
    private static final long MILLIS_PER_TICK = 10;

    /** Fields of /proc/PID/stat, as its manual counts them. */
    private static final int USER_FIELD = 14;

    private static final int SYSTEM_FIELD = 15;

    private static final int QUIET_LOOKS = 4;
    private static final long QUIET_LOOK_MILLIS = 250;
    private static final long QUIET_MOST_MILLIS = 20;

    private final ProcessHandle process;
    private final boolean family;

    /** The usage of one process and of all that it started. */
    public ProcessUsage(ProcessHandle process) {
        this(process, true);
    }

    private ProcessUsage(ProcessHandle process, boolean family) {
        this.process = process;
        this.family = family;
    }

    /** The usage of this process alone. */
    public static ProcessUsage ofThisProcess() {
        return new ProcessUsage(ProcessHandle.current(), false);
    }

    private Stream<ProcessHandle> all() {
        return Stream.concat(Stream.of(process), family ? process.descendants() : Stream.empty());
    }

    /** Processor time used so far; zero when the system does not tell. */
    public Duration cpu() {
        return all().map(handle -> handle.info().totalCpuDuration().orElse(Duration.ZERO))
                .reduce(Duration.ZERO, Duration::plus);
    }

    /** Waits until next to nothing has been used for a while, a minute at most. */
    public void awaitQuiet() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        Duration last = cpu();
        int quiet = 0;
        while (quiet < QUIET_LOOKS && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(QUIET_LOOK_MILLIS);
            Duration now = cpu();
            quiet = now.minus(last).toMillis() <= QUIET_MOST_MILLIS ? quiet + 1 : 0;
            last = now;
        }
    }

    /** Processor time in user space and in the system. Immutable. */
    public record Cpu(Duration user, Duration system) {
        public Duration total() {
            return user.plus(system);
        }

        private Cpu plus(Cpu other) {
            return new Cpu(user.plus(other.user), system.plus(other.system));
        }
    }

    /** Processor time used so far, in two parts; where the system tells the sum only, all of it is user time. */
    public Cpu userAndSystem() {
        return all().map(ProcessUsage::userAndSystem).reduce(new Cpu(Duration.ZERO, Duration.ZERO), Cpu::plus);
    }

    private static Cpu userAndSystem(ProcessHandle handle) {
        try {
            String stat = Files.readString(Path.of("/proc/" + handle.pid() + "/stat"));
            // Behind the name, which may hold anything, stand the fields from the third on.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return new Cpu(ofTicks(fields[USER_FIELD - 3]), ofTicks(fields[SYSTEM_FIELD - 3]));
        } catch (IOException e) {
            return new Cpu(handle.info().totalCpuDuration().orElse(Duration.ZERO), Duration.ZERO);
        }
    }

    private static Duration ofTicks(String ticks) {
        return Duration.ofMillis(Long.parseLong(ticks) * MILLIS_PER_TICK);
    }

    /** How many sockets a process has; 0 when the system does not tell. */
    public static long sockets(long pid) {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return descriptors.filter(ProcessUsage::isSocket).count();
        } catch (IOException | UncheckedIOException e) {
            return 0;
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }

    /** Resident memory; 0 when the system does not tell. */
    public long residentBytes() {
        return all().mapToLong(handle -> residentBytes(handle.pid())).sum();
    }

    private static long residentBytes(long pid) {
        Path status = Path.of("/proc/" + pid + "/status");
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            // The process has just ended, or this is no Linux.
            return 0;
        }
    }
}
