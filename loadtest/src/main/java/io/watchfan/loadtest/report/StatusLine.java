package io.watchfan.loadtest.report;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Live figures: one line, rewritten in place on a terminal, else a line each time. Confined to one thread. */
public final class StatusLine {
    private static final String CLEAR_TO_END = "\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private boolean open;

    /** Status lines on stdout, or on stderr when stdout is to have something else. */
    public static StatusLine of(boolean onStderr) {
        return onStderr ? new StatusLine(System.err, false) : new StatusLine(System.out, isTerminal());
    }

    /** Whether stdout is a terminal; false when the system does not tell. */
    private static boolean isTerminal() {
        try {
            String file = Files.readSymbolicLink(Path.of("/proc/self/fd/1")).toString();
            return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty");
        } catch (IOException e) {
            return false;
        }
    }

    /** Status lines on a stream that is a terminal or not. */
    public StatusLine(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** Shows a line in place of the last. */
    public void show(String line) {
        if (terminal) {
            out.print("\r" + line + CLEAR_TO_END);
            open = true;
        } else {
            out.println(line);
        }
        out.flush();
    }

    /** Prints a line that stays. */
    public void print(String line) {
        close();
        out.println(line);
        out.flush();
    }

    /** Ends the line that is shown, so that other output can follow. */
    public void close() {
        if (open) {
            out.println();
            open = false;
        }
    }
}
