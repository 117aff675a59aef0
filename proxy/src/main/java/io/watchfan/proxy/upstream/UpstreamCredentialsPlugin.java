package io.watchfan.proxy.upstream;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.watchfan.proxy.config.UsageException;
import io.watchfan.proxy.upstream.UpstreamCredentials.Credential;
import io.watchfan.proxy.upstream.UpstreamTargetKubeconfig.Entry;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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
 * A credential plugin ({@code users[].user.exec} of a kubeconfig): a command that prints an ExecCredential. It is told
 * that nobody can answer questions; what it says on stderr goes to ours. It is asked again when what it gave is about to
 * expire, and killed when it takes longer than {@value #PATIENCE_SECONDS} s.
 */
final class UpstreamCredentialsPlugin implements UpstreamCredentials.Source {
    private static final int PATIENCE_SECONDS = 60;
    private static final int MOST_OUTPUT_BYTES = 1 << 20;
    private static final Duration EARLY = Duration.ofSeconds(30);

    private final String what;
    private final Entry exec;
    private final Entry cluster;
    private Instant expires = Instant.MAX;

    UpstreamCredentialsPlugin(String where, Entry exec, Entry cluster) {
        this.exec = exec;
        this.cluster = cluster;
        String command = exec.text("command")
                .orElseThrow(() -> new UsageException(where + ": 'exec' of its user has no 'command'"));
        this.what = where + ": credential plugin '" + command + "'";
    }

    @Override
    public Credential load() {
        String version =
                exec.text("apiVersion").orElseThrow(() -> new UsageException(what + ": 'exec' has no 'apiVersion'"));
        JsonObject output = decode(run(version));
        if (!version.equals(text(output, "apiVersion")) || !"ExecCredential".equals(text(output, "kind"))) {
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
        String token = text(status, "token");
        String certificate = text(status, "clientCertificateData");
        String key = text(status, "clientKeyData");
        if ((token.isEmpty() && certificate.isEmpty()) || certificate.isEmpty() != key.isEmpty()) {
            throw new UsageException(what + ": gave neither a token nor a client certificate with its key");
        }
        if (!token.isEmpty()) {
            UpstreamCredentialsFile.checkToken(what, token);
        }
        return new Credential(
                token.isEmpty() ? Optional.empty() : Optional.of("Bearer " + token),
                certificate.isEmpty() ? Optional.empty() : Optional.of(Buffer.buffer(certificate)),
                key.isEmpty() ? Optional.empty() : Optional.of(Buffer.buffer(key)));
    }

    private Instant expiry(JsonObject status) {
        String text = text(status, "expirationTimestamp");
        try {
            return text.isEmpty() ? Instant.MAX : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new UsageException(what + ": '" + text + "' is no time to expire at");
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

    private static String text(JsonObject object, String key) {
        return object.getValue(key) instanceof String text ? text : "";
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
        for (Entry variable : exec.entries("env")) {
            variable.text("name")
                    .ifPresent(name -> builder.environment()
                            .put(name, variable.text("value").orElse("")));
        }
        builder.environment().put("KUBERNETES_EXEC_INFO", info(version));
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UsageException(what + ": cannot be run: " + e.getMessage()
                    + exec.text("installHint").map(hint -> " (" + hint + ")").orElse(""));
        }
    }

    private List<String> command() {
        String command = exec.text("command").orElseThrow();
        List<String> words = new ArrayList<>();
        words.add(command.contains("/") ? exec.path("command").orElseThrow().toString() : command);
        words.addAll(exec.texts("args"));
        return words;
    }

    private String info(String version) {
        JsonObject spec = new JsonObject().put("interactive", false);
        if (exec.isTrue("provideClusterInfo")) {
            JsonObject about =
                    new JsonObject().put("server", cluster.text("server").orElse(""));
            cluster.text("tls-server-name").ifPresent(name -> about.put("tls-server-name", name));
            if (cluster.isTrue("insecure-skip-tls-verify")) {
                about.put("insecure-skip-tls-verify", true);
            }
            UpstreamTargetPem.dataOrFile(what, cluster, "certificate-authority")
                    .ifPresent(pem -> about.put("certificate-authority-data", pem.getBytes()));
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
