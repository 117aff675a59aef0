package io.watchfan.loadtest.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that never outlives this one: {@link #close} ends it, so does a shutdown hook, and if this process is killed
 * a guardian, a small shell that waits for this end of a pipe to close, does. Its stderr goes to a temporary file.
 */
final class ChildProcess implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final int LAST_LINES = 15;

    private final Process process;
    private final Process guardian;
    private final Thread hook;
    private final Path log;
    private volatile boolean keepLog;

    private ChildProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.guardian = startGuardian(process.pid(), log);
        this.hook = new Thread(this::endAndForget, "child-end");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Starts a process.
     *
     * @param builder command and environment
     * @param name what the log is named by
     * @param piped whether stdin and stdout are for the caller; otherwise stdin is empty, and stdout goes to the log
     */
    static ChildProcess start(ProcessBuilder builder, String name, boolean piped) throws IOException {
        Path log = Files.createTempFile("watchfan-" + name + "-", ".log");
        if (piped) {
            builder.redirectError(log.toFile());
        } else {
            builder.redirectErrorStream(true).redirectOutput(log.toFile());
        }
        Process process = builder.start();
        if (!piped) {
            process.getOutputStream().close();
        }
        return new ChildProcess(process, log);
    }

    /** Starts the next one when this one has ended; its output is added to the log. It was not started with pipes. */
    ChildProcess again(ProcessBuilder builder) throws IOException {
        if (process.isAlive()) {
            throw new IllegalStateException("it has not ended");
        }
        if (guardian != null) {
            guardian.destroyForcibly();
        }
        Process next = builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        next.getOutputStream().close();
        ChildProcess child = new ChildProcess(next, log);
        forgetHook();
        return child;
    }

    /** Kills a process once the pipe from here breaks; null where there is no shell. */
    private static Process startGuardian(long pid, Path log) {
        try {
            return new ProcessBuilder(
                            "sh",
                            "-c",
                            "trap '' INT TERM HUP; read _; kill \"$1\" && sleep 2 && kill -9 \"$1\"; rm -f \"$2\"",
                            "guardian",
                            Long.toString(pid),
                            log.toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            return null;
        }
    }

    Process process() {
        return process;
    }

    /** Where its log goes. Deleted at the end. */
    Path log() {
        return log;
    }

    /** Does not delete the log at the end. */
    void keepLog() {
        keepLog = true;
    }

    /** The last lines of its log. */
    String lastLines() {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
        } catch (IOException e) {
            return "(its log cannot be read: " + e.getMessage() + ")";
        }
    }

    /** Ends the process and all that it started; returns when they are gone. */
    private void end() {
        List<ProcessHandle> family = new ArrayList<>(process.descendants().toList());
        family.add(process.toHandle());
        family.forEach(ProcessHandle::destroy);
        try {
            if (!process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
            for (ProcessHandle member : family) {
                if (member.isAlive()) {
                    member.destroyForcibly();
                }
            }
            process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
            if (guardian != null) {
                guardian.destroyForcibly();
                guardian.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            family.forEach(ProcessHandle::destroyForcibly);
            if (guardian != null) {
                guardian.destroyForcibly();
            }
            Thread.currentThread().interrupt();
        }
    }

    private void endAndForget() {
        end();
        if (keepLog) {
            return;
        }
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            // A temporary file is left behind.
        }
    }

    @Override
    public void close() {
        endAndForget();
        forgetHook();
    }

    private void forgetHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook is at work itself.
        }
    }
}
