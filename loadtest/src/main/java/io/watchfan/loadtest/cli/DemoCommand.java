package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.ClusterSpec;
import io.watchfan.loadtest.swarm.Sabotage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows the whole on one machine: a simulated API server, the proxy, and watchers that check what they receive. */
@Command(
        name = "demo",
        description = "A simulated API server, the proxy, and thousands of watchers on this machine, with live figures."
                + " Fails when any watcher missed, repeated or reordered anything.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class DemoCommand implements Callable<Integer> {
    private static final int MAX_WATCHERS = 25_000;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            description = "How long it goes on (default ${DEFAULT-VALUE}).",
            defaultValue = "30s")
    private Duration duration;

    @Option(names = "--watchers", description = "How many watchers (default ${DEFAULT-VALUE}).", defaultValue = "2000")
    private int watchers;

    @Option(
            names = "--churn",
            description = "Changes of pods per second (default ${DEFAULT-VALUE}).",
            defaultValue = "20")
    private double churn;

    @Option(
            names = "--pods",
            description = "Pods at the start (default ${DEFAULT-VALUE}).",
            defaultValue = "" + ClusterSpec.DEFAULT_PODS)
    private int pods;

    @Option(
            names = "--seed",
            description = "Fixes what is chosen at random (default ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private long seed;

    @Mixin
    private ReportOption output;

    @Option(
            names = "--proxy-command",
            paramLabel = "COMMAND",
            description = "What starts the proxy; --upstream, --listen and --admin are appended." + " Default: $"
                    + ProxyCommand.VARIABLE + ", else 'watchfan proxy' of this installation.")
    private String proxyCommand;

    @Option(names = "--direct", description = "Without a proxy: watchers straight at the API server, as a baseline.")
    private boolean direct;

    @Option(
            names = "--expire",
            description = "Half way through, the API server forgets its history, so that single events are lost for"
                    + " good; watchers are then held to the state they come to.")
    private boolean expire;

    @Option(names = "--sabotage", hidden = true, description = "Corrupt what one watcher receives.")
    private Sabotage sabotage;

    @Override
    public Integer call() throws Exception {
        RunOptions options = new RunOptions(
                watchers,
                duration,
                churn,
                pods,
                seed,
                expire,
                sabotage,
                direct ? List.of() : ProxyCommand.words(proxyCommand, spec));
        validate();
        return output.printOnceEnded(new DemoRun(options, output.status())::run);
    }

    private void validate() {
        require(watchers > 0, "--watchers must be positive");
        require(watchers <= MAX_WATCHERS, "--watchers must be at most " + MAX_WATCHERS + ": there are no more ports");
        require(churn > 0, "--churn must be positive");
        require(pods >= 0, "--pods must not be negative");
        require(duration.compareTo(Duration.ofSeconds(1)) >= 0, "--duration must be at least 1s");
    }

    private void require(boolean condition, String message) {
        Usage.require(spec, condition, message);
    }
}
