package io.watchfan.loadtest.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A simulated API server in a process of its own, so that what it costs is told apart from the watchers; it makes
 * changes when told to. Confined to one thread. It never outlives this process.
 */
public final class SimProcess implements AutoCloseable {
    private static final String LISTENING = "listening on ";
    private static final String DONE = "done ";

    private final ChildProcess child;
    private final BufferedReader answers;
    private final Writer orders;
    private final URI url;

    private SimProcess(ChildProcess child) throws IOException {
        this.child = child;
        this.answers = child.process().inputReader();
        this.orders = child.process().outputWriter();
        this.url = URI.create(answer(LISTENING));
    }

    /**
     * Starts a server on any port, without changes of its own accord.
     *
     * @param mainClass the class whose command {@code sim} it is, on the class path of this process
     * @param flags more options of {@code sim}
     */
    public static SimProcess start(String mainClass, List<String> flags) throws IOException {
        List<String> words = new ArrayList<>(java(mainClass));
        words.addAll(List.of("sim", "--listen", "127.0.0.1:0", "--churn", "0", "--orders"));
        words.addAll(flags);
        ChildProcess child = ChildProcess.start(new ProcessBuilder(words), "sim", true);
        try {
            return new SimProcess(child);
        } catch (IOException e) {
            child.close();
            throw e;
        }
    }

    /** The words that run a class with the JVM and the class path of this process. */
    public static List<String> java(String mainClass) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                mainClass);
    }

    private String answer(String wanted) throws IOException {
        String line = answers.readLine();
        if (line == null || !line.startsWith(wanted)) {
            throw new IOException("the simulated API server "
                    + (line == null ? "ended; it wrote:\n" + child.lastLines() : "answered: " + line));
        }
        return line.substring(wanted.length());
    }

    private long order(String order) throws IOException {
        orders.write(order + "\n");
        orders.flush();
        return Long.parseLong(answer(DONE));
    }

    public URI url() {
        return url;
    }

    /** What it uses. */
    public ProcessUsage usage() {
        return new ProcessUsage(child.process().toHandle());
    }

    /** The version of the latest change. */
    public long version() throws IOException {
        return burst(0);
    }

    /**
     * Changes pods, all at once.
     *
     * @return the version of the last change, once all were made
     */
    public long burst(int changes) throws IOException {
        return order("burst " + changes);
    }

    /**
     * Changes pods, one at a time at an even pace.
     *
     * @return the version of the last change, once all were made
     */
    public long pace(int changes, double perSecond) throws IOException {
        return order("pace " + changes + " " + perSecond);
    }

    @Override
    public void close() {
        child.close();
    }
}
