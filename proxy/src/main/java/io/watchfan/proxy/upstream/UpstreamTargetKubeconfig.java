package io.watchfan.proxy.upstream;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.config.YamlTree;
import io.watchfan.proxy.upstream.UpstreamTarget.Trust;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One or several kubeconfig files and the context in use, parsed and merged by the Kubernetes client. Refused instead of
 * passed over is what would change rights or routes: impersonation, {@code proxy-url}, {@code auth-provider}. Nothing of
 * this is loaded with {@code --upstream}: the client's classes cost about half a second.
 *
 * @param origin the flag or variable that names the files, for errors
 * @param files at least one
 * @param context the context to use instead of the current one
 */
record UpstreamTargetKubeconfig(String origin, List<Path> files, Optional<String> context) {
    /** Property of a user: the {@link Path} of the file it stands in. */
    static final String FILE = "watchfan.io/file";

    private static final Pattern QUOTED_KEY = Pattern.compile("\\[\"([^\"]*)\"\\]");

    /**
     * What the files say now.
     *
     * @param where names files and context in errors
     * @param cluster as it stands in its file, with absolute paths
     * @param user as it stands in its file, with absolute paths but for the plugin
     * @param resolved what both come to
     */
    record Content(String where, Cluster cluster, AuthInfo user, io.fabric8.kubernetes.client.Config resolved) {
        /** The certificates that the cluster names, PEM. */
        Optional<Buffer> authorities() {
            return UpstreamTargetPem.dataOrFile(
                    where, "certificate-authority", resolved.getCaCertData(), resolved.getCaCertFile());
        }
    }

    /** The target that the files lead to. Blocks. */
    UpstreamTarget target() {
        Content content = read();
        Optional<Buffer> authorities = content.authorities();
        authorities.ifPresent(
                pem -> UpstreamTargetPem.checkCertificates(content.where() + ": certificate-authority", pem));
        return new UpstreamTarget(
                content.cluster().getServer(),
                content.where(),
                new Trust(
                        authorities,
                        content.resolved().isTrustCerts(),
                        text(content.resolved().getTlsServerName())),
                new UpstreamCredentialsKubeconfig(this));
    }

    /**
     * Reads the files. Blocks.
     *
     * @throws UsageException if they cannot be read, or the context does not lead to a cluster
     */
    Content read() {
        List<Config> configs = files.stream().map(this::parse).toList();
        String in = origin + ": " + files.stream().map(Path::toString).collect(Collectors.joining(", "));
        String name = context.or(() -> configs.stream()
                        .flatMap(config -> text(config.getCurrentContext()).stream())
                        .findFirst())
                .orElseThrow(() -> new UsageException(in + ": no current-context, and no --context"));
        String where = in + ": context '" + name + "'";
        Context chosen = find(configs, Config::getContexts, NamedContext::getName, name, where + " does not exist")
                .getContext();
        String clusterName =
                text(chosen.getCluster()).orElseThrow(() -> new UsageException(where + " names no cluster"));
        Cluster cluster = find(
                        configs,
                        Config::getClusters,
                        NamedCluster::getName,
                        clusterName,
                        where + " names the cluster '" + clusterName + "', which does not exist")
                .getCluster();
        AuthInfo user = text(chosen.getUser())
                .map(userName -> find(
                                configs,
                                Config::getUsers,
                                NamedAuthInfo::getName,
                                userName,
                                where + " names the user '" + userName + "', which does not exist")
                        .getUser())
                .orElseGet(AuthInfo::new);
        refuseUnsupported(where, cluster, user);
        return new Content(where, cluster, user, merge(name, configs));
    }

    private static io.fabric8.kubernetes.client.Config merge(String context, List<Config> configs) {
        // Not from the environment and system properties, as other constructors would.
        io.fabric8.kubernetes.client.Config resolved = io.fabric8.kubernetes.client.Config.empty();
        // Keeps the client from running a plugin by itself, see UpstreamCredentialsPlugin.
        resolved.setOauthTokenProvider(() -> null);
        KubeConfigUtils.merge(resolved, context, configs.toArray(Config[]::new));
        return resolved;
    }

    private Config parse(Path file) {
        String content = UpstreamTargetPem.read(origin, file).toString();
        try {
            // Not from the file: what begins with a brace the client would read as JSON, which not all such YAML is.
            Config config = KubeConfigUtils.parseConfigFromString(
                    content.stripLeading().startsWith("{") ? "#\n" + content : content);
            return config == null ? new Config() : complete(config, file.toAbsolutePath());
        } catch (RuntimeException e) {
            // The client's messages have several lines and repeat what stands in the file, be it secret.
            YamlTree.read(origin, file);
            throw new UsageException(origin + ": " + file + " is not a kubeconfig" + place(e.getMessage()));
        }
    }

    /** Sees to lists without null, to a body for entries that have but a name, and to absolute paths. */
    private static Config complete(Config config, Path file) {
        config.setContexts(list(config.getContexts()));
        for (NamedContext named : config.getContexts()) {
            named.setContext(named.getContext() == null ? new Context() : named.getContext());
        }
        config.setClusters(list(config.getClusters()));
        for (NamedCluster named : config.getClusters()) {
            Cluster cluster = named.getCluster() == null ? new Cluster() : named.getCluster();
            cluster.setCertificateAuthority(resolve(file, cluster.getCertificateAuthority()));
            named.setCluster(cluster);
        }
        config.setUsers(list(config.getUsers()));
        for (NamedAuthInfo named : config.getUsers()) {
            AuthInfo user = named.getUser() == null ? new AuthInfo() : named.getUser();
            user.setClientCertificate(resolve(file, user.getClientCertificate()));
            user.setClientKey(resolve(file, user.getClientKey()));
            user.setTokenFile(resolve(file, user.getTokenFile()));
            user.setAdditionalProperty(FILE, file);
            named.setUser(user);
        }
        return config;
    }

    private static String resolve(Path file, String path) {
        return text(path)
                .map(present -> file.resolveSibling(present).toString())
                .orElse(null);
    }

    /** The keys at the end of a message: {@code ... (through reference chain: a.b.Type["users"]->a.b.Type[0])}. */
    private static String place(String message) {
        int chain = message == null ? -1 : message.lastIndexOf("reference chain: ");
        return chain < 0
                ? ""
                : QUOTED_KEY
                        .matcher(message.substring(chain))
                        .results()
                        .map(key -> key.group(1))
                        .collect(Collectors.joining(".", ": wrong at ", ""));
    }

    private static void refuseUnsupported(String where, Cluster cluster, AuthInfo user) {
        Stream.of(
                        user.getAs() != null ? "as" : "",
                        user.getAsUid() != null ? "as-uid" : "",
                        list(user.getAsGroups()).isEmpty() ? "" : "as-groups",
                        user.getAsUserExtra() == null || user.getAsUserExtra().isEmpty() ? "" : "as-user-extra",
                        user.getAuthProvider() != null ? "auth-provider" : "")
                .filter(key -> !key.isEmpty())
                .findFirst()
                .ifPresent(key -> {
                    throw new UsageException(where + ": '" + key + "' of its user is not supported");
                });
        if (text(cluster.getProxyUrl()).isPresent()) {
            throw new UsageException(where + ": 'proxy-url' of its cluster is not supported");
        }
        if (text(cluster.getServer()).isEmpty()) {
            throw new UsageException(where + ": its cluster has no 'server'");
        }
        // The client would connect to find out which scheme to put before what has none, or another.
        UpstreamTarget.parse(cluster.getServer(), where);
    }

    /** The entry of this name that the client takes: of the first file that has one, there the last. */
    private static <T> T find(
            List<Config> configs,
            Function<Config, List<T>> entries,
            Function<T, String> name,
            String wanted,
            String otherwise) {
        return configs.stream()
                .flatMap(config -> entries.apply(config).stream()
                        .filter(entry -> wanted.equals(name.apply(entry)))
                        .reduce((one, later) -> later)
                        .stream())
                .findFirst()
                .orElseThrow(() -> new UsageException(configs.stream()
                        .flatMap(config -> entries.apply(config).stream())
                        .flatMap(entry -> text(name.apply(entry)).stream())
                        .distinct()
                        .reduce((some, more) -> some + ", " + more)
                        .map(names -> otherwise + "; there is: " + names)
                        .orElse(otherwise + "; there is: none")));
    }

    /** The entries of what may be null, or hold null. */
    static <T> List<T> list(List<T> entries) {
        return entries == null
                ? List.of()
                : entries.stream().filter(Objects::nonNull).toList();
    }

    /** This text, if there is any. */
    static Optional<String> text(String text) {
        return Optional.ofNullable(text).filter(present -> !present.isEmpty());
    }
}
