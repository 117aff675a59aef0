package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.report.RunReport;
import io.watchfan.loadtest.report.StatusLine;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Option;

/** How a command tells what has come of its run. */
final class ReportOption {
    /** How long the end of the process waits for the report of an interrupted run. */
    private static final int MOST_SECONDS = 20;

    @Option(names = "--json", description = "Print one JSON object at the end, and nothing else on stdout.")
    private boolean json;

    /** Where it tells what is going on. */
    StatusLine status() {
        return StatusLine.of(json);
    }

    /**
     * Carries out a run and prints its report; returns the exit status. When the process is told to end meanwhile, the run is
     * interrupted, and the end waits for its report for a moment.
     */
    int printOnceEnded(Callable<RunReport> run) throws Exception {
        Thread runner = Thread.currentThread();
        CountDownLatch printed = new CountDownLatch(1);
        Thread hook = new Thread(() -> interrupt(runner, printed), "interrupt");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return print(run.call());
        } finally {
            printed.countDown();
            forget(hook);
        }
    }

    private static void interrupt(Thread runner, CountDownLatch printed) {
        runner.interrupt();
        try {
            if (!printed.await(MOST_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("watchfan: no report came in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void forget(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // It is at work itself.
        }
    }

    /** Prints the report; returns the exit status. */
    int print(RunReport report) {
        System.out.println(json ? report.toJson() : report.toText());
        return report.passed() ? 0 : 1;
    }
}
