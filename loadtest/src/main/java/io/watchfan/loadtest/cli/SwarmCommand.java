package io.watchfan.loadtest.cli;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.contract.Truth;
import io.watchfan.loadtest.net.Transport;
import io.watchfan.loadtest.report.LatencySummary;
import io.watchfan.loadtest.report.RunEnvironment;
import io.watchfan.loadtest.report.RunReport;
import io.watchfan.loadtest.report.StatusLine;
import io.watchfan.loadtest.swarm.Expectations;
import io.watchfan.loadtest.swarm.ProfileMix;
import io.watchfan.loadtest.swarm.ReferenceWatchers;
import io.watchfan.loadtest.swarm.Target;
import io.watchfan.loadtest.swarm.TargetReader;
import io.watchfan.loadtest.swarm.WatcherProfile;
import io.watchfan.loadtest.swarm.WatcherSwarm;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Lets thousands of watchers watch any API server or proxy, and tells what they saw. */
@Command(
        name = "swarm",
        description = "Thousands of watchers against any API server or proxy, and a report. Latencies are told for"
                + " changes that say when they were due, as those of 'watchfan sim' on this machine do.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
public final class SwarmCommand implements Callable<Integer> {
    private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(1);
    private static final int MAX_NAMES = 100;
    private static final int JOURNAL_ENTRIES = 1 << 18;

    @Spec
    private CommandSpec spec;

    @Option(names = "--target", paramLabel = "URL", description = "The API server or proxy.", required = true)
    private String server;

    @Option(
            names = "--reference",
            paramLabel = "URL",
            description = "The API server behind the target: one more watcher per scope there tells what the others"
                    + " should receive. Without it only what each stream shows by itself is checked.")
    private String reference;

    @Option(names = "--watchers", description = "How many watchers (default ${DEFAULT-VALUE}).", defaultValue = "2000")
    private int watchers;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            description = "How long it goes on (default ${DEFAULT-VALUE}).",
            defaultValue = "30s")
    private Duration duration;

    @Option(
            names = "--path",
            description = "The collection over all namespaces (default ${DEFAULT-VALUE}).",
            defaultValue = "/api/v1/pods")
    private String path;

    @Option(
            names = "--everything",
            description = "All watch everything; otherwise half do, a quarter watch a namespace each, a quarter a node"
                    + " (pods only) or one of --label each.")
    private boolean everything;

    @Option(names = "--label", paramLabel = "KEY=VALUE", description = "A label that some watchers select; repeatable.")
    private List<String> labels = List.of();

    @Option(
            names = "--initial-percent",
            description = "How many begin with initial events (default ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private double initialPercent;

    @Option(
            names = "--stalled-percent",
            description = "How many stop reading for the whole time (default ${DEFAULT-VALUE}).",
            defaultValue = "0")
    private double stalledPercent;

    @Option(
            names = "--slow-percent",
            description = "How many read slowly (default ${DEFAULT-VALUE}).",
            defaultValue = "0")
    private double slowPercent;

    @Option(names = "--reconnect-every", paramLabel = "DURATION", description = "A tenth reconnects, again and again.")
    private Duration reconnectEvery;

    @Option(
            names = "--connect-timeout",
            paramLabel = "DURATION",
            description = "How long to wait for the server, a minute at most, and then until all watchers have a stream"
                    + " (default ${DEFAULT-VALUE}).",
            defaultValue = "2m")
    private Duration connectTimeout;

    @Option(names = "--event-loops", description = "Default: half the processors.")
    private int eventLoops;

    @Option(names = "--token-file", paramLabel = "FILE", description = "A bearer token.")
    private Path tokenFile;

    @Option(names = "--ca-file", paramLabel = "FILE", description = "Certificates to trust, for https.")
    private Path caFile;

    @Option(names = "--insecure", description = "Trust any certificate.")
    private boolean insecure;

    @Option(
            names = "--seed",
            description = "Fixes what is chosen at random (default ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private long seed;

    @Mixin
    private ReportOption output;

    @Override
    public Integer call() throws Exception {
        validate();
        URI url = Usage.url(spec, "--target", server);
        URI behind = reference == null ? url : Usage.url(spec, "--reference", reference);
        StatusLine status = output.status();
        Target target = target(url);
        Target source = reference == null ? target : target(behind);
        TargetReader reader = new TargetReader(
                source, connectTimeout.compareTo(ANSWER_TIMEOUT) < 0 ? connectTimeout : ANSWER_TIMEOUT);
        List<WatcherProfile> profiles = mix(reader).profiles(watchers, seed);
        long version = reader.currentVersion();
        RunReport report;
        if (reference == null) {
            report = run(target, profiles, version, null, status);
        } else {
            List<Scope> scopes =
                    profiles.stream().map(WatcherProfile::scope).distinct().toList();
            try (ReferenceWatchers references = new ReferenceWatchers(source, scopes, version, JOURNAL_ENTRIES, seed)) {
                if (!references.start(connectTimeout)) {
                    throw new IOException("the reference does not let us watch: " + references.lastError());
                }
                report = run(target, profiles, version, references, status);
            }
        }
        return output.print(report);
    }

    private RunReport run(
            Target target, List<WatcherProfile> profiles, long version, ReferenceWatchers references, StatusLine status)
            throws InterruptedException {
        int loops =
                eventLoops > 0 ? eventLoops : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        Truth truth = references == null ? null : references.truth();
        try (WatcherSwarm swarm = new WatcherSwarm(
                target, profiles, version, Expectations.ofEvents(truth, Strictness.EXACT), loops, seed, null)) {
            List<String> troubles = new ArrayList<>();
            swarm.start();
            if (!swarm.awaitStreaming(connectTimeout)) {
                troubles.add("only " + swarm.stats().streaming() + " of " + watchers
                        + " watchers got a stream; the last error was: " + swarm.lastError());
            }
            status.print(String.format(
                    Locale.ROOT, "%,d watchers are watching", swarm.stats().streaming()));
            swarm.setStalled(true);
            LiveFigures figures = new LiveFigures(swarm, null, null);
            follow(swarm, figures, status);
            RunReport.Watchers counted = Reports.watchers(figures.startStats(), swarm.stats(), figures.seconds());
            double seconds = figures.seconds();
            swarm.setStalled(false);
            // Changes go on, so that there is always something on its way: only gaps count.
            swarm.settle(false);
            troubles.addAll(references == null ? List.of() : references.troubles());
            troubles.addAll(Reports.details(swarm.violations()));
            Histogram latencies = figures.latencies();
            return new RunReport(
                    "swarm",
                    troubles.isEmpty(),
                    options(),
                    RunEnvironment.here(Transport.name()),
                    seconds,
                    null,
                    counted,
                    latencies.getTotalCount() == 0 ? null : LatencySummary.ofMicros(latencies),
                    null,
                    null,
                    figures.generatorCpuPercent(),
                    Reports.counts(swarm.violations()),
                    troubles);
        }
    }

    private void follow(WatcherSwarm swarm, LiveFigures figures, StatusLine status) throws InterruptedException {
        long start = System.nanoTime();
        long reconnectNanos = reconnectEvery == null ? Long.MAX_VALUE : reconnectEvery.toNanos();
        long nextReconnect = reconnectNanos;
        long elapsed = 0;
        while (elapsed < duration.toNanos()) {
            TimeUnit.NANOSECONDS.sleep(Math.min(TimeUnit.SECONDS.toNanos(1), duration.toNanos() - elapsed));
            elapsed = System.nanoTime() - start;
            if (elapsed >= nextReconnect) {
                nextReconnect += reconnectNanos;
                swarm.reconnect(0.1);
            }
            status.show(figures.line());
        }
        status.close();
    }

    private ProfileMix mix(TargetReader reader) throws IOException, InterruptedException {
        List<Scope> labelScopes = labels.stream().map(this::labelScope).toList();
        boolean pods = path.equals("/api/v1/pods");
        return new ProfileMix(
                everything ? List.of() : reader.names("/api/v1/namespaces", MAX_NAMES),
                everything || !pods ? List.of() : reader.names("/api/v1/nodes", MAX_NAMES),
                everything ? List.of() : labelScopes,
                stalledPercent / 100,
                slowPercent / 100,
                initialPercent / 100);
    }

    private Scope labelScope(String label) {
        int equals = label.indexOf('=');
        require(equals > 0, "--label must be KEY=VALUE: " + label);
        return Scope.ofLabel(label.substring(0, equals), label.substring(equals + 1));
    }

    private Target target(URI url) throws IOException {
        String token = tokenFile == null ? "" : Files.readString(tokenFile).strip();
        return Target.of(url, path, url.getScheme().equals("https") ? ssl() : null, token);
    }

    private SslContext ssl() throws IOException {
        SslContextBuilder builder = SslContextBuilder.forClient();
        if (insecure) {
            builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
        } else if (caFile != null) {
            builder.trustManager(caFile.toFile());
        }
        return builder.build();
    }

    private void validate() {
        require(watchers > 0, "--watchers must be positive");
        require(!duration.isZero(), "--duration must be positive");
        require(path.startsWith("/"), "--path must begin with a slash");
        require(reconnectEvery == null || !reconnectEvery.isZero(), "--reconnect-every must be positive");
        for (double percent : new double[] {initialPercent, stalledPercent, slowPercent}) {
            require(percent >= 0 && percent <= 100, "a percentage is from 0 to 100");
        }
    }

    private void require(boolean condition, String message) {
        Usage.require(spec, condition, message);
    }

    private Map<String, Object> options() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("target", server);
        map.put("reference", reference == null ? "none" : reference);
        map.put("path", path);
        map.put("watchers", watchers);
        map.put("duration", duration.toString());
        map.put("everything", everything);
        map.put("stalledPercent", stalledPercent);
        map.put("slowPercent", slowPercent);
        map.put("seed", seed);
        return map;
    }
}
