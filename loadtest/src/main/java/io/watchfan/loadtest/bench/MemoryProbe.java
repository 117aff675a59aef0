package io.watchfan.loadtest.bench;

import io.watchfan.loadtest.process.ProxyProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads how much memory a Java process holds: the live objects after a full collection, to the byte, and what is
 * resident outside of the heap.
 *
 * <p>The process must run with {@link #javaOptions}: a heap of fixed size, every page of it touched. Then its heap is
 * resident once and for all, and any growth of the resident set is memory outside of it, whoever asked for it: direct
 * buffers, the JVM's own structures, malloc in native libraries. What would come and go by itself is kept small: only the
 * first of the JVM's two compilers is at work, since the second takes tens of megabytes for a moment, and malloc is told
 * to give back what is free. Native Memory Tracking would not see the last, would
 * count what is reserved and never touched, and costs memory itself.
 */
final class MemoryProbe {
    private static final int HEAP_MIB = 1024;
    private static final long JCMD_SECONDS = 120;
    /** Where the JVM stands on glibc. */
    private static final String TRIM = "System.trim_native_heap";

    private static final Pattern CLASS_LINE =
            Pattern.compile("^\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+)", Pattern.MULTILINE);
    private static final Pattern TOTAL_LINE = Pattern.compile("^Total\\s+\\d+\\s+(\\d+)", Pattern.MULTILINE);

    private MemoryProbe() {}

    /** Instances of a class, and their bytes. */
    record ClassUse(long instances, long bytes) {}

    /** What a process holds. */
    record Reading(long heapBytes, long residentBytes, Map<String, ClassUse> classes) {
        long bytes() {
            return heapBytes + residentBytes;
        }
    }

    /** The options of the JVM that is to be read. */
    static String javaOptions() {
        return javaOptions(HEAP_MIB);
    }

    /** The same, of a heap of so many MiB. */
    static String javaOptions(int heapMib) {
        return "-Xms" + heapMib + "m -Xmx" + heapMib + "m -XX:+AlwaysPreTouch -XX:TieredStopAtLevel=1";
    }

    /** Collects twice, so that what the first collection let go by cleaners is gone, and reads. */
    static Reading read(ProxyProcess proxy) throws IOException, InterruptedException {
        jcmd(proxy.pid(), "GC.run");
        proxy.usage().awaitQuiet();
        String histogram = jcmd(proxy.pid(), "GC.class_histogram");
        if (jcmd(proxy.pid(), "help").contains(TRIM)) {
            jcmd(proxy.pid(), TRIM);
        }
        return parse(histogram, proxy.usage().residentBytes());
    }

    static Reading parse(String histogram, long residentBytes) throws IOException {
        Map<String, ClassUse> classes = new LinkedHashMap<>();
        Matcher line = CLASS_LINE.matcher(histogram);
        while (line.find()) {
            classes.merge(
                    line.group(3),
                    new ClassUse(Long.parseLong(line.group(1)), Long.parseLong(line.group(2))),
                    (a, b) -> new ClassUse(a.instances + b.instances, a.bytes + b.bytes));
        }
        Matcher total = TOTAL_LINE.matcher(histogram);
        if (!total.find()) {
            throw new IOException("jcmd gave no class histogram: "
                    + histogram.lines().limit(3).toList());
        }
        return new Reading(Long.parseLong(total.group(1)), residentBytes, classes);
    }

    private static String jcmd(long pid, String command) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            throw new IOException(
                    "memory is read by jcmd, which a JDK has, but not " + System.getProperty("java.home"));
        }
        Path answer = Files.createTempFile("watchfan-jcmd-", ".txt");
        try {
            Process process = new ProcessBuilder(jcmd.toString(), Long.toString(pid), command)
                    .redirectErrorStream(true)
                    .redirectOutput(answer.toFile())
                    .start();
            if (!process.waitFor(JCMD_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new IOException("jcmd " + command + " took more than " + JCMD_SECONDS + " s");
            }
            String text = Files.readString(answer, StandardCharsets.UTF_8);
            if (process.exitValue() != 0) {
                throw new IOException("jcmd " + command + " failed: " + text.strip());
            }
            return text;
        } finally {
            Files.deleteIfExists(answer);
        }
    }
}
