package io.watchfan.proxy.upstream;

import static io.watchfan.proxy.upstream.UpstreamTargetKubeconfig.list;
import static io.watchfan.proxy.upstream.UpstreamTargetKubeconfig.text;

import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.ExecConfig;
import io.fabric8.kubernetes.api.model.ExecEnvVar;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.upstream.UpstreamCredentials.Credential;
import io.watchfan.proxy.upstream.UpstreamTargetKubeconfig.Content;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A credential plugin ({@code users[].user.exec} of a kubeconfig): a command that prints an ExecCredential. The Kubernetes
 * client's own runner will not do (docs/ARCHITECTURE.md says why). The command is told that nobody can answer questions;
 * what it says on stderr goes to ours. It is asked again when what it gave is about to expire, and killed when it takes
 * longer than {@value #PATIENCE_SECONDS} s.
 */
final class UpstreamCredentialsPlugin implements UpstreamCredentials.Source {
    private static final int PATIENCE_SECONDS = 60;
    private static final int MOST_OUTPUT_BYTES = 1 << 20;
    private static final Duration EARLY = Duration.ofSeconds(30);

    private final String what;
    private final Content content;
    private final ExecConfig exec;
    private final String command;
    private Instant expires = Instant.MAX;

    UpstreamCredentialsPlugin(Content content) {
        this.content = content;
        this.exec = content.user().getExec();
        this.command = text(exec.getCommand())
                .orElseThrow(() -> new UsageException(content.where() + ": 'exec' of its user has no 'command'"));
        this.what = content.where() + ": credential plugin '" + command + "'";
    }

    @Override
    public Credential load() {
        String version =
                text(exec.getApiVersion()).orElseThrow(() -> new UsageException(what + ": 'exec' has no 'apiVersion'"));
        JsonObject output = decode(run(version));
        if (!version.equals(output.getValue("apiVersion")) || !"ExecCredential".equals(output.getValue("kind"))) {
            throw new UsageException(what + ": printed no ExecCredential of " + version);
        }
        if (!(output.getValue("status") instanceof JsonObject status)) {
            throw new UsageException(what + ": printed no status");
        }
        Credential credential = credential(status);
        expires = expiry(status);
        return credential;
    }

    @Override
    public boolean isStale() {
        return !expires.equals(Instant.MAX) && Instant.now().isAfter(expires.minus(EARLY));
    }

    private Credential credential(JsonObject status) {
        Optional<String> token = member(status, "token");
        Optional<String> certificate = member(status, "clientCertificateData");
        Optional<String> key = member(status, "clientKeyData");
        if (token.or(() -> certificate).isEmpty() || certificate.isPresent() != key.isPresent()) {
            throw new UsageException(what + ": gave neither a token nor a client certificate with its key");
        }
        token.ifPresent(text -> UpstreamCredentialsFile.checkToken(what, text));
        return new Credential(token.map("Bearer "::concat), certificate.map(Buffer::buffer), key.map(Buffer::buffer));
    }

    private Instant expiry(JsonObject status) {
        Optional<String> text = member(status, "expirationTimestamp");
        try {
            return text.map(time -> OffsetDateTime.parse(time).toInstant()).orElse(Instant.MAX);
        } catch (DateTimeException e) {
            throw new UsageException(what + ": '" + text.orElseThrow() + "' is no time to expire at");
        }
    }

    private JsonObject decode(byte[] output) {
        try {
            return new JsonObject(Buffer.buffer(output));
        } catch (DecodeException e) {
            // The message of the parser would repeat parts of a secret.
            throw new UsageException(what + ": printed no JSON object");
        }
    }

    private static Optional<String> member(JsonObject object, String key) {
        return object.getValue(key) instanceof String text ? text(text) : Optional.empty();
    }

    private byte[] run(String version) {
        Process process = start(version);
        try {
            byte[] output = CompletableFuture.supplyAsync(() -> read(process.getInputStream()))
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new TimeoutException();
            }
            if (process.exitValue() != 0) {
                throw new UsageException(what + ": failed with exit code " + process.exitValue());
            }
            return output;
        } catch (TimeoutException e) {
            throw new UsageException(what + ": took longer than " + PATIENCE_SECONDS + " s");
        } catch (ExecutionException e) {
            throw new UsageException(what + ": " + e.getCause().getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UsageException(what + ": interrupted");
        } finally {
            process.destroyForcibly();
        }
    }

    private Process start(String version) {
        ProcessBuilder builder = new ProcessBuilder(command())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        for (ExecEnvVar variable : list(exec.getEnv())) {
            text(variable.getName())
                    .ifPresent(name -> builder.environment()
                            .put(name, text(variable.getValue()).orElse("")));
        }
        builder.environment().put("KUBERNETES_EXEC_INFO", info(version));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UsageException(what + ": cannot be run: " + e.getMessage()
                    + text(exec.getInstallHint()).map(hint -> " (" + hint + ")").orElse(""));
        }
    }

    private List<String> command() {
        List<String> words = new ArrayList<>();
        Path file = (Path) content.user().getAdditionalProperties().get(UpstreamTargetKubeconfig.FILE);
        words.add(command.contains("/") ? file.resolveSibling(command).toString() : command);
        words.addAll(list(exec.getArgs()));
        return words;
    }

    private String info(String version) {
        JsonObject spec = new JsonObject().put("interactive", false);
        if (Boolean.TRUE.equals(exec.getProvideClusterInfo())) {
            Cluster cluster = content.cluster();
            JsonObject about = new JsonObject().put("server", cluster.getServer());
            text(cluster.getTlsServerName()).ifPresent(name -> about.put("tls-server-name", name));
            if (content.resolved().isTrustCerts()) {
                about.put("insecure-skip-tls-verify", true);
            }
            content.authorities().ifPresent(pem -> about.put("certificate-authority-data", pem.getBytes()));
            spec.put("cluster", about);
        }
        return new JsonObject()
                .put("kind", "ExecCredential")
                .put("apiVersion", version)
                .put("spec", spec)
                .encode();
    }

    private static byte[] read(InputStream in) {
        try {
            byte[] output = in.readNBytes(MOST_OUTPUT_BYTES + 1);
            if (output.length > MOST_OUTPUT_BYTES) {
                throw new UncheckedIOException(new IOException("printed more than 1 MiB"));
            }
            return output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
