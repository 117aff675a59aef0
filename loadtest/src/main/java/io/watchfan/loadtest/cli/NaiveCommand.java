package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.naive.NaiveProxy;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the proxy that the benchmark compares with. Takes the options that every proxy command understands. */
@Command(
        name = "naive",
        description = "A proxy that encodes each event for each client: what the benchmark compares with.",
        mixinStandardHelpOptions = true,
        hidden = true)
public final class NaiveCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--upstream", paramLabel = "URL", required = true)
    private String upstream;

    @Option(names = "--listen", paramLabel = "HOST:PORT", required = true)
    private String listen;

    @Option(names = "--admin", paramLabel = "HOST:PORT", required = true)
    private String admin;

    @Option(names = "--feed", description = "Pods in any case.")
    private List<String> feeds = List.of();

    @Override
    public Integer call() throws Exception {
        Usage.require(spec, feeds.stream().allMatch("pods"::equals), "--feed can be pods only");
        NaiveProxy.serve(
                Usage.url(spec, "--upstream", upstream),
                Usage.address(spec, "--listen", listen),
                Usage.address(spec, "--admin", admin));
        return 1;
    }
}
