package io.watchfan.proxy.upstream;

import static io.watchfan.proxy.upstream.UpstreamTargetKubeconfig.text;

import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.client.Config;
import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.upstream.UpstreamCredentials.Credential;
import io.watchfan.proxy.upstream.UpstreamTargetKubeconfig.Content;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What stands under {@code user} in a kubeconfig: client certificate and key; token file, token, user name with password, or
 * a credential plugin, in this order. The files are read again on every {@link #load}.
 */
final class UpstreamCredentialsKubeconfig implements UpstreamCredentials.Source {
    private final UpstreamTargetKubeconfig kubeconfig;
    private List<Path> certificateFiles = List.of();
    private List<Object> certificateStamps = List.of();
    private UpstreamCredentials.Source token = UpstreamCredentials.fixed(Credential.NONE);

    UpstreamCredentialsKubeconfig(UpstreamTargetKubeconfig kubeconfig) {
        this.kubeconfig = kubeconfig;
    }

    @Override
    public Credential load() {
        Content content = kubeconfig.read();
        Config resolved = content.resolved();
        certificateFiles = Stream.of(resolved.getClientCertFile(), resolved.getClientKeyFile())
                .filter(Objects::nonNull)
                .map(Path::of)
                .toList();
        certificateStamps = stamps();
        Credential inFiles = certificate(content);
        token = tokenSource(content);
        Credential other = token.load();
        Credential credential = new Credential(
                other.authorization(),
                other.certificate().or(inFiles::certificate),
                other.key().or(inFiles::key));
        credential
                .keyCertOptions()
                .ifPresent(
                        pair -> UpstreamTargetPem.checkKeyPair(content.where() + ": client certificate and key", pair));
        return credential;
    }

    @Override
    public boolean isStale() {
        return token.isStale() || !certificateStamps.equals(stamps());
    }

    private List<Object> stamps() {
        return certificateFiles.stream().map(UpstreamCredentialsFile::stamp).toList();
    }

    private static Credential certificate(Content content) {
        Config resolved = content.resolved();
        Optional<Buffer> certificate = UpstreamTargetPem.dataOrFile(
                content.where(), "client-certificate", resolved.getClientCertData(), resolved.getClientCertFile());
        Optional<Buffer> key = UpstreamTargetPem.dataOrFile(
                content.where(), "client-key", resolved.getClientKeyData(), resolved.getClientKeyFile());
        if (certificate.isPresent() != key.isPresent()) {
            throw new UsageException(content.where() + ": its user has a "
                    + (key.isEmpty()
                            ? "client-certificate without a client-key"
                            : "client-key without a client-certificate"));
        }
        certificate.ifPresent(
                chain -> UpstreamTargetPem.checkCertificates(content.where() + ": client-certificate", chain));
        return new Credential(Optional.empty(), certificate, key);
    }

    private static UpstreamCredentials.Source tokenSource(Content content) {
        String where = content.where();
        AuthInfo user = content.user();
        Optional<String> file = text(user.getTokenFile());
        if (file.isPresent()) {
            // The client does not know of it.
            return new UpstreamCredentialsFile(where + ": tokenFile", Path.of(file.get()));
        }
        Optional<String> fixed = text(content.resolved().getAutoOAuthToken());
        if (fixed.isPresent()) {
            UpstreamCredentialsFile.checkToken(where + ": token", fixed.get());
            return UpstreamCredentials.fixed(Credential.bearer(fixed.get()));
        }
        Optional<String> name = text(content.resolved().getUsername());
        if (name.isPresent()) {
            String pair =
                    name.get() + ":" + text(content.resolved().getPassword()).orElse("");
            String encoded = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
            return UpstreamCredentials.fixed(
                    new Credential(Optional.of("Basic " + encoded), Optional.empty(), Optional.empty()));
        }
        return user.getExec() == null
                ? UpstreamCredentials.fixed(Credential.NONE)
                : new UpstreamCredentialsPlugin(content);
    }
}
