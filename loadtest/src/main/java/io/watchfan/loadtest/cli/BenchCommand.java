package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.LoadTestMain;
import io.watchfan.loadtest.bench.BenchPlan;
import io.watchfan.loadtest.bench.BenchReport;
import io.watchfan.loadtest.bench.BenchRun;
import io.watchfan.loadtest.bench.HtmlReport;
import io.watchfan.loadtest.bench.Scenarios;
import io.watchfan.loadtest.report.StatusLine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Puts figures on the proxy, and says whether they are what they must be. */
@Command(
        name = "bench",
        description = "Figures of the proxy on this machine: memory per watch, processor time per delivery, latency,"
                + " beside what they must be. Fails when one is not, or cannot be measured.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class BenchCommand implements Callable<Integer> {
    private static final int MAX_WATCHERS = 19_000;
    private static final int MAX_ROUNDS = 1000;

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "SCENARIO", description = "What to measure; everything by default. See --list.")
    private List<String> scenarios = List.of();

    @Option(names = "--list", description = "Say what scenarios there are.")
    private boolean list;

    @Option(
            names = "--rounds",
            description = "How often each is measured (default ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private int rounds;

    @Option(
            names = "--watchers",
            description = "Default: as many as each scenario's figures are meant for. With fewer, none is judged.")
    private int watchers;

    @Option(
            names = "--seed",
            description = "Fixes what is chosen at random (default ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private long seed;

    @Option(
            names = "--patience",
            paramLabel = "DURATION",
            description =
                    "How long to wait for servers and watchers before a scenario is given up (default ${DEFAULT-VALUE}).",
            defaultValue = "5m")
    private Duration patience;

    @Option(names = "--json", paramLabel = "FILE", description = "Write all that was found as JSON.")
    private Path json;

    @Option(names = "--html", paramLabel = "FILE", description = "Write a page with plots.")
    private Path html;

    @Option(
            names = "--proxy-command",
            paramLabel = "COMMAND",
            description = "What starts the proxy; its flags are appended. It must become the proxy's JVM, not start"
                    + " it. Default: $" + ProxyCommand.VARIABLE + ", else 'watchfan proxy' of this installation.")
    private String proxyCommand;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        if (list) {
            Scenarios.names().forEach(name -> out.println(name + ": " + Scenarios.about(name)));
            out.flush();
            return 0;
        }
        List<String> chosen = scenarios.isEmpty() ? Scenarios.names() : scenarios;
        validate(chosen);
        BenchPlan plan = new BenchPlan(
                chosen,
                rounds,
                watchers,
                seed,
                patience,
                ProxyCommand.words(proxyCommand, spec),
                LoadTestMain.class.getName());
        BenchReport report = new BenchRun(plan, StatusLine.of(false)).run(soFar -> {
            write(json, soFar.toJson());
            write(html, HtmlReport.of(soFar));
        });
        out.println(report.toText());
        out.flush();
        return report.passed() ? 0 : 1;
    }

    private void validate(List<String> chosen) {
        for (String name : chosen) {
            require(
                    Scenarios.names().contains(name),
                    "there is no scenario '" + name + "'; there are " + String.join(", ", Scenarios.names()));
            require(
                    watchers == 0 || watchers >= Scenarios.leastWatchers(name),
                    "--watchers must be at least " + Scenarios.leastWatchers(name) + " for " + name);
        }
        require(rounds >= 1 && rounds <= MAX_ROUNDS, "--rounds must be from 1 to " + MAX_ROUNDS);
        require(
                watchers >= 0 && watchers <= MAX_WATCHERS,
                "--watchers must be from 1 to " + MAX_WATCHERS + ": a process has no more connections");
        require(!patience.isZero() && !patience.isNegative(), "--patience must be positive");
        requireWritable("--json", json);
        requireWritable("--html", html);
    }

    /** Better said before an hour of measuring than after it. */
    private void requireWritable(String option, Path file) {
        if (file != null) {
            Path folder = file.toAbsolutePath().getParent();
            require(
                    !Files.isDirectory(file)
                            && Files.isDirectory(folder)
                            && Files.isWritable(Files.exists(file) ? file : folder),
                    option + " cannot be written: " + file);
        }
    }

    private void require(boolean condition, String message) {
        Usage.require(spec, condition, message);
    }

    private static void write(Path file, String text) throws IOException {
        if (file != null) {
            Files.writeString(file, text);
        }
    }
}
