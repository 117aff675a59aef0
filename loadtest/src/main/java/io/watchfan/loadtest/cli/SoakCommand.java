package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.swarm.Sabotage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Random faults for a long time, on every side of the proxy, beside watchers and lists that check what they receive. */
@Command(
        name = "soak",
        description =
                "A simulated API server, the proxy, watchers and lists on this machine, and random faults of all of"
                        + " them. Fails when any watcher or list was told anything wrong, or ended without a cause.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SoakCommand implements Callable<Integer> {
    private static final int MAX_WATCHERS = 5_000;
    private static final int MAX_SEED = 1_000_000_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            description = "How long it goes on (default ${DEFAULT-VALUE}).",
            defaultValue = "30m")
    private Duration duration;

    @Option(names = "--seed", description = "Fixes the plan of faults and all else that is chosen. Default: a new one.")
    private Long seed;

    @Option(names = "--watchers", description = "How many watchers (default ${DEFAULT-VALUE}).", defaultValue = "120")
    private int watchers;

    @Option(
            names = "--churn",
            description = "Changes of pods per second, on average (default ${DEFAULT-VALUE}).",
            defaultValue = "40")
    private double churn;

    @Option(names = "--pods", description = "Pods at the start (default ${DEFAULT-VALUE}).", defaultValue = "200")
    private int pods;

    @Mixin
    private ReportOption output;

    @Option(
            names = "--proxy-command",
            paramLabel = "COMMAND",
            description =
                    "What starts the proxy; --upstream, --listen, --admin and short timeouts are appended. Default: $"
                            + ProxyCommand.VARIABLE + ", else 'watchfan proxy' of this installation.")
    private String proxyCommand;

    @Option(
            names = "--direct",
            description = "Without a proxy: watchers and lists straight at the API server, and faults of clients only.")
    private boolean direct;

    @Option(names = "--sabotage", hidden = true, description = "Corrupt what one watcher, or the lists, receive.")
    private Sabotage sabotage;

    @Override
    public Integer call() throws Exception {
        require(watchers >= SoakWorld.LEAST_WATCHERS, "--watchers must be at least " + SoakWorld.LEAST_WATCHERS);
        require(watchers <= MAX_WATCHERS, "--watchers must be at most " + MAX_WATCHERS);
        require(churn > 0, "--churn must be positive");
        require(pods >= SoakWorld.LEAST_PODS, "--pods must be at least " + SoakWorld.LEAST_PODS);
        require(duration.compareTo(Duration.ofSeconds(1)) >= 0, "--duration must be at least 1s");
        long chosen = seed == null ? ThreadLocalRandom.current().nextInt(MAX_SEED) : seed;
        RunOptions options = new RunOptions(watchers, duration, churn, pods, chosen, false, sabotage, proxyWords());
        return output.printOnceEnded(new SoakRun(options, output.status())::run);
    }

    private void require(boolean condition, String message) {
        Usage.require(spec, condition, message);
    }

    private List<String> proxyWords() {
        if (direct) {
            return List.of();
        }
        List<String> words = new ArrayList<>(ProxyCommand.words(proxyCommand, spec));
        words.addAll(SoakRun.PROXY_FLAGS);
        return words;
    }
}
