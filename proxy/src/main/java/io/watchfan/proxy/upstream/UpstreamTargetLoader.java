package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.config.UpstreamConfig;
import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.upstream.UpstreamCredentials.Credential;
import io.watchfan.proxy.upstream.UpstreamTarget.Trust;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Turns what the operator says, or the environment holds, into an {@link UpstreamTarget}. Blocks on files. */
final class UpstreamTargetLoader {
    static final Path SERVICE_ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

    private final Map<String, String> environment;
    private final Path serviceAccount;

    /** A loader that sees this environment. */
    UpstreamTargetLoader(Map<String, String> environment, Path serviceAccount) {
        this.environment = Map.copyOf(environment);
        this.serviceAccount = serviceAccount;
    }

    UpstreamTarget load(UpstreamConfig config) {
        if (config.url().isPresent()) {
            return fromUrl(config.url().get(), config);
        }
        if (config.kubeconfig().isPresent()) {
            return new UpstreamTargetKubeconfig(
                            "--kubeconfig", List.of(config.kubeconfig().get()), config.context())
                    .target();
        }
        Path token = serviceAccount.resolve("token");
        String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
        if (config.context().isEmpty() && !host.isEmpty() && Files.exists(token)) {
            return fromServiceAccount(host, environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443"), token);
        }
        String variable = environment.getOrDefault("KUBECONFIG", "");
        if (!variable.isEmpty()) {
            List<Path> files = Arrays.stream(variable.split(File.pathSeparator))
                    .filter(Predicate.not(String::isEmpty))
                    .map(Path::of)
                    .toList();
            List<Path> existing = files.stream().filter(Files::exists).toList();
            return new UpstreamTargetKubeconfig("$KUBECONFIG", existing.isEmpty() ? files : existing, config.context())
                    .target();
        }
        Path home = Path.of(environment.getOrDefault("HOME", System.getProperty("user.home", "/")), ".kube", "config");
        if (Files.exists(home)) {
            return new UpstreamTargetKubeconfig("~/.kube/config", List.of(home), config.context()).target();
        }
        throw new UsageException("--kubeconfig: no API server is named: give --kubeconfig or --upstream (this is no pod"
                + " with a service account, $KUBECONFIG is not set, and " + home + " does not exist)");
    }

    private static UpstreamTarget fromUrl(URI url, UpstreamConfig config) {
        Optional<Buffer> authorities = config.caFile().map(file -> UpstreamTargetPem.read("--upstream-ca", file));
        authorities.ifPresent(pem -> UpstreamTargetPem.checkCertificates(
                "--upstream-ca: " + config.caFile().get(), pem));
        if (authorities.isPresent() && !"https".equalsIgnoreCase(url.getScheme())) {
            throw new UsageException("--upstream-ca: goes with an https URL, and --upstream is " + url);
        }
        UpstreamCredentials.Source source = config.tokenFile()
                .<UpstreamCredentials.Source>map(file -> new UpstreamCredentialsFile("--upstream-token-file", file))
                .orElse(UpstreamCredentials.fixed(Credential.NONE));
        return new UpstreamTarget(
                url.toString(), "--upstream", new Trust(authorities, false, Optional.empty()), source);
    }

    private UpstreamTarget fromServiceAccount(String host, String port, Path token) {
        Path ca = serviceAccount.resolve("ca.crt");
        Buffer authorities = UpstreamTargetPem.read("service account", ca);
        UpstreamTargetPem.checkCertificates("service account: " + ca, authorities);
        String url = "https://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
        return new UpstreamTarget(
                url,
                "$KUBERNETES_SERVICE_HOST",
                new Trust(Optional.of(authorities), false, Optional.empty()),
                new UpstreamCredentialsFile("service account", token));
    }
}
