package io.watchfan.loadtest.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The machine a run took place on; a figure without it says little. Immutable.
 *
 * @param cpus processors the JVM may use
 * @param cpuModel what kind, as far as the system tells
 * @param memoryMiB memory of the machine; 0 when the system does not tell
 * @param system operating system and its version
 * @param java the JVM that runs the watchers
 * @param transport how sockets are driven
 */
public record RunEnvironment(int cpus, String cpuModel, long memoryMiB, String system, String java, String transport) {

    /** This machine. */
    public static RunEnvironment here(String transport) {
        String memory = firstValue(Path.of("/proc/meminfo"), "MemTotal").replaceAll("[^0-9]", "");
        return new RunEnvironment(
                Runtime.getRuntime().availableProcessors(),
                firstValue(Path.of("/proc/cpuinfo"), "model name"),
                memory.isEmpty() ? 0 : Long.parseLong(memory) / 1024,
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                transport);
    }

    /** The value of the first line {@code key : value}; empty when there is none. */
    private static String firstValue(Path file, String key) {
        if (!Files.isReadable(file)) {
            return "";
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key) && line.indexOf(':') > 0)
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public String toString() {
        return cpus + " CPUs" + (cpuModel.isEmpty() ? "" : " (" + cpuModel + ")") + ", " + memoryMiB + " MiB, " + system
                + ", " + java + ", " + transport;
    }
}
