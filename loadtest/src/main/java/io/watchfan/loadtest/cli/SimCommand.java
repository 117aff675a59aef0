package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.ChangeListener;
import io.watchfan.loadtest.apiserver.ChurnSchedule;
import io.watchfan.loadtest.apiserver.ClusterSpec;
import io.watchfan.loadtest.apiserver.Fault;
import io.watchfan.loadtest.apiserver.FaultPlan;
import io.watchfan.loadtest.apiserver.SimulatedApiServer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the simulated API server until it is told to stop. */
@Command(
        name = "sim",
        description = "A simulated API server: objects, changes, faults. Runs until it is told to stop.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SimCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            description = "Where it listens (default ${DEFAULT-VALUE}).",
            defaultValue = "127.0.0.1:8080")
    private String listen;

    @Option(
            names = "--pods",
            description = "Pods at the start (default ${DEFAULT-VALUE}).",
            defaultValue = "" + ClusterSpec.DEFAULT_PODS)
    private int pods;

    @Option(
            names = "--namespaces",
            description = "Namespaces at the start (default ${DEFAULT-VALUE}).",
            defaultValue = "" + ClusterSpec.DEFAULT_NAMESPACES)
    private int namespaces;

    @Option(
            names = "--nodes",
            description = "Nodes at the start (default ${DEFAULT-VALUE}).",
            defaultValue = "" + ClusterSpec.DEFAULT_NODES)
    private int nodes;

    @Option(
            names = "--churn",
            description = "Changes of pods per second; 0 for none (default ${DEFAULT-VALUE}).",
            defaultValue = "20")
    private double churn;

    @Option(
            names = "--seed",
            description = "Fixes what is chosen at random (default ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private long seed;

    @Option(
            names = "--bookmark-interval",
            paramLabel = "DURATION",
            description = "Between two bookmarks of a watch (default ${DEFAULT-VALUE}).",
            defaultValue = "60s")
    private Duration bookmarkInterval;

    @Option(
            names = "--history",
            description = "Changes of a resource that a watch can reach back (default ${DEFAULT-VALUE}).",
            defaultValue = "" + ClusterSpec.DEFAULT_HISTORY)
    private int history;

    @Option(names = "--cut-every", paramLabel = "DURATION", description = "Reset all watches.")
    private Duration cutEvery;

    @Option(names = "--expire-every", paramLabel = "DURATION", description = "Forget all history; watches get 410.")
    private Duration expireEvery;

    @Option(names = "--stall-every", paramLabel = "DURATION", description = "Send nothing for --fault-length.")
    private Duration stallEvery;

    @Option(names = "--refuse-every", paramLabel = "DURATION", description = "Reset everything for --fault-length.")
    private Duration refuseEvery;

    @Option(
            names = "--error-every",
            paramLabel = "DURATION",
            description = "Answer everything with 429 or 5xx for --fault-length.")
    private Duration errorEvery;

    @Option(
            names = "--garbage-every",
            paramLabel = "DURATION",
            description = "Send watches a line that is no event; answer lists and watches so for --fault-length.")
    private Duration garbageEvery;

    @Option(
            names = "--fault-length",
            paramLabel = "DURATION",
            description = "How long a fault lasts that is not over at once (default ${DEFAULT-VALUE}).",
            defaultValue = "2s")
    private Duration faultLength;

    @Option(
            names = "--orders",
            description =
                    "Read orders from stdin, one a line: 'burst N', N changes of pods at once; 'pace N R', N changes,"
                            + " R a second. Each is answered with 'done VERSION' once carried out. The end of stdin ends"
                            + " the server.")
    private boolean orders;

    @Override
    public Integer call() throws Exception {
        FaultPlan faults = faults();
        ClusterSpec cluster = clusterSpec();
        Usage.require(spec, churn >= 0, "--churn must not be negative");
        CountDownLatch never = new CountDownLatch(1);
        try (SimulatedApiServer server =
                SimulatedApiServer.start(cluster, Usage.address(spec, "--listen", listen), ChangeListener.NONE)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "stop"));
            spec.commandLine().getOut().println("listening on " + server.url());
            spec.commandLine().getOut().flush();
            if (churn > 0) {
                server.startChurn(new ChurnSchedule(churn, seed));
            }
            server.startFaults(faults);
            if (orders) {
                new SimOrders(server, seed).serve(System.in, spec.commandLine().getOut());
                return 0;
            }
            never.await();
        }
        return 0;
    }

    /** To be told to stop is the proper end, not a failure. */
    private static void stop(SimulatedApiServer server) {
        server.close();
        Runtime.getRuntime().halt(0);
    }

    private ClusterSpec clusterSpec() {
        try {
            return new ClusterSpec(pods, namespaces, nodes, seed, bookmarkInterval, history);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private FaultPlan faults() {
        FaultPlan plan = FaultPlan.none();
        add(plan, cutEvery, Fault.Kind.CUT);
        add(plan, expireEvery, Fault.Kind.EXPIRE);
        add(plan, stallEvery, Fault.Kind.STALL);
        add(plan, refuseEvery, Fault.Kind.REFUSE);
        add(plan, errorEvery, Fault.Kind.ERRORS);
        add(plan, garbageEvery, Fault.Kind.GARBAGE);
        return plan;
    }

    private void add(FaultPlan plan, Duration period, Fault.Kind kind) {
        if (period == null) {
            return;
        }
        Usage.require(spec, !period.isZero(), "a fault needs a period above 0");
        plan.every(period, kind, faultLength);
    }
}
