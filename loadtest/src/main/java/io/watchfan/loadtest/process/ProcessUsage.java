package io.watchfan.loadtest.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** What a process uses, with or without its descendants. Any thread. */
public final class ProcessUsage {
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
