package io.watchfan.proxy.config;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/**
 * Makes a {@link ProxyConfig} of command line and file. Both are read by the same rules into {@link ProxyOptions}; what
 * the command line does not say is taken from the file, what neither says is the default.
 */
public final class ConfigLoader {
    static final String CONFIG_FLAG = "--config";

    /** As picocli words what its own converters refuse. */
    private static final Pattern STANDARD_COMPLAINT =
            Pattern.compile("Invalid value for option '(--[a-z-]+)'(?: \\([^)]*\\))?: (.*)", Pattern.DOTALL);

    private static final String NOTHING = "none";
    private static final Duration LONGEST = Duration.ofDays(365);
    private static final Set<String> KUBECONFIG_FLAGS = Set.of("--kubeconfig", "--context");
    private static final Set<String> URL_FLAGS = Set.of("--upstream", "--upstream-ca", "--upstream-token-file");

    /** What the command line asks for. */
    public sealed interface Invocation {
        /** Run the proxy. */
        record Run(ProxyConfig config) implements Invocation {}

        /** Print this text and be done. */
        record Show(String text) implements Invocation {}
    }

    private ConfigLoader() {}

    /**
     * Reads the arguments of {@code watchfan proxy}.
     *
     * @throws UsageException if anything about them is wrong
     */
    public static Invocation load(String... args) {
        CommandLine flags = commandLine();
        ParseResult given = parse(flags, List.of(args), Function.identity());
        if (given.isUsageHelpRequested()) {
            return new Invocation.Show(flags.getUsageMessage());
        }
        if (given.isVersionHelpRequested()) {
            return new Invocation.Show("watchfan " + version() + System.lineSeparator());
        }
        ProxyOptions options = flags.getCommandSpec().userObject() instanceof ProxyOptions read ? read : null;
        if (options.config != null) {
            mergeFile(flags, given, options.config);
        }
        return new Invocation.Run(config(options));
    }

    /**
     * Reads arguments that ask for a proxy, and for neither help nor version.
     *
     * @throws UsageException if anything about them is wrong
     */
    public static ProxyConfig parse(String... args) {
        if (load(args) instanceof Invocation.Run run) {
            return run.config();
        }
        throw new UsageException("--help and --version start no proxy");
    }

    /** The version of this build. */
    public static String version() {
        try (InputStream in =
                ConfigLoader.class.getResourceAsStream("/META-INF/maven/io.watchfan/proxy/pom.properties")) {
            if (in != null) {
                Properties properties = new Properties();
                properties.load(in);
                return properties.getProperty("version", "unknown");
            }
        } catch (IOException e) {
            throw new IllegalStateException("the version file of this build cannot be read", e);
        }
        return "development";
    }

    private static CommandLine commandLine() {
        CommandLine line = new CommandLine(new ProxyOptions());
        line.setExpandAtFiles(false);
        line.setCaseInsensitiveEnumValuesAllowed(false);
        line.registerConverter(Duration.class, text -> converting(text, DurationText::parse));
        line.registerConverter(HostPort.class, text -> converting(text, HostPort::parse));
        line.registerConverter(FeedSpec.class, text -> converting(text, FeedSpec::parse));
        line.registerConverter(AuthMode.class, text -> converting(text, ConfigLoader::authMode));
        line.registerConverter(ScopeMode.class, text -> converting(text, ConfigLoader::scopeMode));
        line.registerConverter(URI.class, text -> converting(text, ConfigLoader::upstreamUrl));
        line.registerConverter(Path.class, text -> converting(text, ConfigLoader::path));
        line.registerConverter(Integer.class, text -> converting(text, ConfigLoader::count));
        line.registerConverter(int.class, text -> converting(text, ConfigLoader::count));
        return line;
    }

    static <T> T converting(String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /** Parses, and turns whatever is wrong into one line. */
    private static ParseResult parse(CommandLine line, List<String> args, Function<String, String> wording) {
        try {
            ParseResult result = line.parseArgs(args.toArray(String[]::new));
            if (!result.unmatched().isEmpty()) {
                throw new UsageException(
                        wording.apply("unknown argument '" + result.unmatched().get(0) + "'"));
            }
            return result;
        } catch (CommandLine.UnmatchedArgumentException e) {
            throw new UsageException(
                    wording.apply("unknown argument '" + e.getUnmatched().get(0) + "'"));
        } catch (CommandLine.ParameterException e) {
            throw new UsageException(wording.apply(complaint(e)));
        }
    }

    private static String complaint(CommandLine.ParameterException e) {
        if (e instanceof CommandLine.OverwrittenOptionException twice
                && twice.getOverwritten() instanceof OptionSpec option) {
            return option.longestName() + ": given more than once";
        }
        if (e.getCause() instanceof TypeConversionException wrong && e.getArgSpec() instanceof OptionSpec option) {
            return option.longestName() + ": " + wrong.getMessage();
        }
        Matcher standard = STANDARD_COMPLAINT.matcher(e.getMessage());
        return standard.matches() ? standard.group(1) + ": " + standard.group(2) : e.getMessage();
    }

    private static void mergeFile(CommandLine flags, ParseResult given, Path file) {
        Set<String> known = flags.getCommandSpec().options().stream()
                .map(OptionSpec::longestName)
                .filter(name -> !Set.of(CONFIG_FLAG, "--version", "--help").contains(name))
                .collect(Collectors.toSet());
        CommandLine fromFile = commandLine();
        ParseResult read = parse(
                fromFile,
                ConfigFile.asFlags(file, known),
                text -> CONFIG_FLAG + ": " + file + ": " + withoutDashes(text));
        Set<String> excluded = new HashSet<>();
        if (KUBECONFIG_FLAGS.stream().anyMatch(given::hasMatchedOption)) {
            excluded.addAll(URL_FLAGS);
        }
        if (given.hasMatchedOption("--upstream")) {
            excluded.addAll(KUBECONFIG_FLAGS);
        }
        for (OptionSpec option : flags.getCommandSpec().options()) {
            String name = option.longestName();
            if (!given.hasMatchedOption(name) && read.hasMatchedOption(name) && !excluded.contains(name)) {
                option.setValue(read.matchedOption(name).getValue());
            }
        }
    }

    private static String withoutDashes(String text) {
        return text.startsWith("--") ? text.substring(2) : text;
    }

    private static ProxyConfig config(ProxyOptions options) {
        UpstreamConfig upstream = new UpstreamConfig(
                Optional.ofNullable(options.kubeconfig),
                Optional.ofNullable(options.context),
                Optional.ofNullable(options.upstream),
                Optional.ofNullable(options.upstreamCa),
                Optional.ofNullable(options.upstreamTokenFile));
        requireKnown("--listen", options.listen);
        requireKnown("--admin", options.admin);
        if (!options.listen.isLoopback() && !options.allowUnauthenticatedNetwork) {
            throw new UsageException("--listen: " + options.listen + " can be reached from the network, where everyone"
                    + " would act with the proxy's own rights; add --allow-unauthenticated-network if that is meant");
        }
        if (options.listen.port() != 0 && options.listen.port() == options.admin.port()) {
            // Both would be bound, and requests come to either.
            throw new UsageException("--admin: " + options.admin + " has the port of --listen " + options.listen);
        }
        return new ProxyConfig(
                upstream,
                options.listen,
                options.admin,
                options.auth,
                new AllowedHosts(options.listen, options.allowHost == null ? List.of() : hostNames(options.allowHost)),
                options.feed == null ? List.of() : options.feed,
                noCache(options.noCache),
                options.readOnly,
                options.scope,
                options.memory == null
                        ? Runtime.getRuntime().maxMemory() / 10 * 6
                        : positiveBytes("--memory", options.memory),
                within("--max-feeds", options.maxFeeds, 1, 10_000),
                new WindowConfig(
                        within("--window-events", options.windowEvents, 1, 100_000_000),
                        positiveBytes("--window-bytes", options.windowBytes),
                        positive("--window-age", options.windowAge)),
                positive("--bookmark-interval", options.bookmarkInterval),
                positive("--upstream-timeout", options.upstreamTimeout),
                positive("--write-timeout", options.writeTimeout),
                positive("--request-timeout", options.requestTimeout),
                positive("--feed-idle", options.feedIdle),
                notTooLong("--drain-grace", options.drainGrace));
    }

    private static void requireKnown(String flag, HostPort address) {
        if (!address.isKnown()) {
            throw new UsageException(flag + ": there is no host '" + address.host() + "', its name does not resolve");
        }
    }

    private static AuthMode authMode(String text) {
        if (!text.equals("none")) {
            throw new IllegalArgumentException("'" + text + "' is not a way to tell callers apart; there is: none");
        }
        return AuthMode.NONE;
    }

    private static ScopeMode scopeMode(String text) {
        return switch (text) {
            case "auto" -> ScopeMode.AUTO;
            case "cluster" -> ScopeMode.CLUSTER;
            case "namespace" -> ScopeMode.NAMESPACE;
            default -> throw new IllegalArgumentException("'" + text + "' is none of auto, cluster and namespace");
        };
    }

    private static URI upstreamUrl(String text) {
        URI url = HttpUrl.parse(text);
        if (url.getRawQuery() != null || url.getRawFragment() != null || url.getRawUserInfo() != null) {
            throw new IllegalArgumentException("'" + text + "' may hold scheme, host, port and path only");
        }
        if (url.getPort() == 0 || url.getPort() > 65535) {
            throw new IllegalArgumentException("'" + text + "' has no port that exists");
        }
        return url;
    }

    private static Path path(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException("names no file");
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("'" + text + "' is not the name of a file", e);
        }
    }

    private static int count(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number", e);
        }
    }

    private static List<String> hostNames(List<String> names) {
        for (String name : names) {
            if (name.isBlank() || name.contains("/") || name.contains("*")) {
                throw new UsageException("--allow-host: '" + name + "' is not the name of a host");
            }
        }
        return names;
    }

    private static Set<ResourceName> noCache(List<String> names) {
        if (names.equals(List.of(NOTHING))) {
            return Set.of();
        }
        try {
            return names.stream().map(ResourceName::parse).collect(Collectors.toSet());
        } catch (IllegalArgumentException e) {
            throw new UsageException("--no-cache: " + e.getMessage());
        }
    }

    private static int within(String flag, int value, int least, int most) {
        if (value < least || value > most) {
            throw new UsageException(flag + ": " + value + " is not between " + least + " and " + most);
        }
        return value;
    }

    private static long positiveBytes(String flag, long value) {
        if (value < 1) {
            throw new UsageException(flag + ": must be more than 0");
        }
        return value;
    }

    private static Duration positive(String flag, Duration value) {
        if (value.isZero()) {
            throw new UsageException(flag + ": must be more than 0");
        }
        return notTooLong(flag, value);
    }

    private static Duration notTooLong(String flag, Duration value) {
        if (value.compareTo(LONGEST) > 0) {
            throw new UsageException(flag + ": is longer than a year");
        }
        return value;
    }
}
