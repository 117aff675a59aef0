package io.watchfan.proxy.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The flags of {@code watchfan proxy} and, in their annotations, every default. */
@Command(
        name = "watchfan proxy",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = "Answers LIST, GET and WATCH of many clients out of one upstream watch per resource.",
        footer = {
            "",
            "Durations: 500ms, 10s, 2m, 1h30m. Sizes: bytes, or with k, M, G, KiB, MiB, GiB.",
            "Without --kubeconfig and --upstream: the pod's service account, else $KUBECONFIG, else ~/.kube/config."
        })
final class ProxyOptions {
    @Option(names = "--kubeconfig", paramLabel = "FILE", description = "Kubeconfig that leads to the API server.")
    Path kubeconfig;

    @Option(names = "--context", paramLabel = "NAME", description = "Context of the kubeconfig (default: the current).")
    String context;

    @Option(names = "--upstream", paramLabel = "URL", description = "URL of the API server, instead of a kubeconfig.")
    URI upstream;

    @Option(names = "--upstream-ca", paramLabel = "FILE", description = "Certificates to trust with --upstream, PEM.")
    Path upstreamCa;

    @Option(
            names = "--upstream-token-file",
            paramLabel = "FILE",
            description = "Bearer token for --upstream; read again when it changes.")
    Path upstreamTokenFile;

    @Option(
            names = "--listen",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8001",
            description = "Where clients connect (default ${DEFAULT-VALUE}).")
    HostPort listen;

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            defaultValue = "127.0.0.1:8002",
            description = "/livez, /readyz, /metrics and the status page (default ${DEFAULT-VALUE}).")
    HostPort admin;

    @Option(
            names = "--auth",
            paramLabel = "none",
            defaultValue = "none",
            description = "How callers are told apart: none, they act with the proxy's own credential"
                    + " (default ${DEFAULT-VALUE}).")
    AuthMode auth;

    @Option(
            names = "--allow-unauthenticated-network",
            arity = "0..1",
            defaultValue = "false",
            fallbackValue = "true",
            paramLabel = "BOOL",
            description = "Allow --auth none on a --listen address that others can reach.")
    boolean allowUnauthenticatedNetwork;

    @Option(
            names = "--allow-host",
            paramLabel = "HOST",
            description = "Accept this name in the Host header; repeatable. Always accepted: localhost, loopback"
                    + " addresses and the host of --listen.")
    List<String> allowHost;

    @Option(
            names = "--feed",
            paramLabel = "RESOURCE[.GROUP][@NAMESPACE]",
            description = "Start this feed at once; repeatable. Others start on demand.")
    List<FeedSpec> feed;

    @Option(
            names = "--no-cache",
            paramLabel = "RESOURCE[.GROUP]",
            defaultValue = "secrets",
            description = "Never cache this resource; repeatable, replaces the default (${DEFAULT-VALUE});"
                    + " none: cache all.")
    List<String> noCache;

    @Option(
            names = "--read-only",
            arity = "0..1",
            defaultValue = "false",
            fallbackValue = "true",
            paramLabel = "BOOL",
            description =
                    "Refuse everything but GET, HEAD and OPTIONS, and refuse upgrades (exec, attach, port-forward).")
    boolean readOnly;

    @Option(
            names = "--scope",
            paramLabel = "auto|cluster|namespace",
            defaultValue = "auto",
            description = "How wide feeds are: the cluster, single namespaces, or the cluster where it may be read"
                    + " (default ${DEFAULT-VALUE}).")
    ScopeMode scope;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Once the state and windows of all feeds take so much, no more feeds are opened (default:"
                    + " 60 %% of the heap).")
    Long memory;

    @Option(
            names = "--max-feeds",
            paramLabel = "N",
            defaultValue = "100",
            description = "Most feeds at a time (default ${DEFAULT-VALUE}).")
    int maxFeeds;

    @Option(
            names = "--window-events",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Most events a feed keeps (default ${DEFAULT-VALUE}).")
    int windowEvents;

    @Option(
            names = "--window-bytes",
            paramLabel = "SIZE",
            defaultValue = "64MiB",
            converter = SizeConverter.class,
            description = "Most bytes of events a feed keeps (default ${DEFAULT-VALUE}).")
    long windowBytes;

    @Option(
            names = "--window-age",
            paramLabel = "DURATION",
            defaultValue = "10m",
            description = "Events older than this are let go (default ${DEFAULT-VALUE}).")
    Duration windowAge;

    @Option(
            names = "--bookmark-interval",
            paramLabel = "DURATION",
            defaultValue = "60s",
            description = "Between two bookmarks of a watch (default ${DEFAULT-VALUE}).")
    Duration bookmarkInterval;

    @Option(
            names = "--upstream-timeout",
            paramLabel = "DURATION",
            defaultValue = "90s",
            description = "Silence after which an upstream watch is replaced (default ${DEFAULT-VALUE}).")
    Duration upstreamTimeout;

    @Option(
            names = "--write-timeout",
            paramLabel = "DURATION",
            defaultValue = "30s",
            description = "A client that takes nothing for so long is cut (default ${DEFAULT-VALUE}).")
    Duration writeTimeout;

    @Option(
            names = "--request-timeout",
            paramLabel = "DURATION",
            defaultValue = "1m",
            description = "A client that has not taken a list whole after so long is cut (default ${DEFAULT-VALUE}).")
    Duration requestTimeout;

    @Option(
            names = "--feed-idle",
            paramLabel = "DURATION",
            defaultValue = "10m",
            description = "A feed that nobody uses for so long is closed (default ${DEFAULT-VALUE}).")
    Duration feedIdle;

    @Option(
            names = "--drain-grace",
            paramLabel = "DURATION",
            defaultValue = "15s",
            description = "Over so long streams are ended at shutdown (default ${DEFAULT-VALUE}).")
    Duration drainGrace;

    @Option(
            names = ConfigLoader.CONFIG_FLAG,
            paramLabel = "FILE.yaml",
            description = "File whose keys are the flags without dashes in front; flags win.")
    Path config;

    @Option(names = "--version", versionHelp = true, description = "Print the version and exit.")
    boolean version;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Print this help and exit.")
    boolean help;

    /** Sizes are plain longs, so the type alone does not tell how to read them. */
    static final class SizeConverter implements picocli.CommandLine.ITypeConverter<Long> {
        @Override
        public Long convert(String value) {
            return ConfigLoader.converting(value, ByteSize::parse);
        }
    }
}
