package io.watchfan.loadtest;

import io.watchfan.loadtest.cli.BenchCommand;
import io.watchfan.loadtest.cli.DemoCommand;
import io.watchfan.loadtest.cli.DurationConverter;
import io.watchfan.loadtest.cli.LogSettings;
import io.watchfan.loadtest.cli.NaiveCommand;
import io.watchfan.loadtest.cli.SimCommand;
import io.watchfan.loadtest.cli.SoakCommand;
import io.watchfan.loadtest.cli.SwarmCommand;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The commands {@code demo}, {@code sim}, {@code soak}, {@code swarm} and {@code bench}. Exit status: 0 done, 1 failed,
 * 2 usage.
 */
@Command(
        name = "watchfan",
        description = "Load test of a watch proxy, or of an API server.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            SimCommand.class,
            SoakCommand.class,
            SwarmCommand.class,
            BenchCommand.class,
            NaiveCommand.class
        })
public final class LoadTestMain {
    private static final String LOGBACK = "logback.configurationFile";

    private LoadTestMain() {}

    /** Runs a command and exits with its status. */
    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs a command; returns its status. */
    public static int run(String... args) {
        if (System.getProperty(LOGBACK) == null) {
            System.setProperty(LOGBACK, "io/watchfan/loadtest/logback.xml");
        }
        try {
            LogSettings.use(System.getenv());
        } catch (IllegalArgumentException e) {
            System.err.println("watchfan: " + e.getMessage());
            return CommandLine.ExitCode.USAGE;
        }
        return new CommandLine(new LoadTestMain())
                .registerConverter(Duration.class, new DurationConverter())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((e, unused) -> {
                    e.getCommandLine().getErr().println("watchfan: " + oneLine(e));
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((e, command, unused) -> {
                    command.getErr().println("watchfan: " + (e.getMessage() == null ? e : e.getMessage()));
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .execute(args);
    }

    private static String oneLine(Exception e) {
        return String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", "; ");
    }
}
