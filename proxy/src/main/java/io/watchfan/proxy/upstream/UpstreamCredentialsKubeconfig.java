package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.upstream.UpstreamCredentials.Credential;
import io.watchfan.proxy.upstream.UpstreamTargetKubeconfig.Content;
import io.watchfan.proxy.upstream.UpstreamTargetKubeconfig.Entry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
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
        Entry user = content.user();
        certificateFiles = Stream.of("client-certificate", "client-key")
                .flatMap(key -> user.path(key).stream())
                .toList();
        certificateStamps = stamps();
        Credential inFiles = certificate(content);
        token = tokenSource(content, user);
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
        Optional<Buffer> certificate = pem(content, "client-certificate");
        Optional<Buffer> key = pem(content, "client-key");
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

    private static Optional<Buffer> pem(Content content, String key) {
        return UpstreamTargetPem.dataOrFile(content.where(), content.user(), key);
    }

    private static UpstreamCredentials.Source tokenSource(Content content, Entry user) {
        String where = content.where();
        if (user.text("tokenFile").isPresent()) {
            return new UpstreamCredentialsFile(
                    where + ": tokenFile", user.path("tokenFile").get());
        }
        if (user.text("token").isPresent()) {
            String fixed = user.text("token").get();
            UpstreamCredentialsFile.checkToken(where + ": token", fixed);
            return UpstreamCredentials.fixed(Credential.bearer(fixed));
        }
        if (user.text("username").isPresent()) {
            String pair =
                    user.text("username").get() + ":" + user.text("password").orElse("");
            String encoded = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
            return UpstreamCredentials.fixed(
                    new Credential(Optional.of("Basic " + encoded), Optional.empty(), Optional.empty()));
        }
        return user.entry("exec")
                .<UpstreamCredentials.Source>map(exec -> new UpstreamCredentialsPlugin(where, exec, content.cluster()))
                .orElse(UpstreamCredentials.fixed(Credential.NONE));
    }
}
