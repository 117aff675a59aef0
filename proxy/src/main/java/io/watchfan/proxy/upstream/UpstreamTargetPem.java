package io.watchfan.proxy.upstream;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.watchfan.proxy.config.UsageException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Optional;

/** Reads and checks PEM material, so that what is wrong with it is said at start and by name. Blocks on files. */
final class UpstreamTargetPem {
    private static final long MOST_BYTES = 4 << 20;

    private UpstreamTargetPem() {}

    /**
     * The content of a file.
     *
     * @param what the flag or key that names it, for errors
     */
    static Buffer read(String what, Path file) {
        try {
            if (Files.isDirectory(file)) {
                throw new UsageException(what + ": " + file + " is a directory");
            }
            if (Files.size(file) > MOST_BYTES) {
                throw new UsageException(what + ": " + file + " is larger than 4 MiB");
            }
            return Buffer.buffer(Files.readAllBytes(file));
        } catch (NoSuchFileException e) {
            throw new UsageException(what + ": " + file + " does not exist");
        } catch (AccessDeniedException e) {
            throw new UsageException(what + ": " + file + " may not be read");
        } catch (IOException e) {
            throw new UsageException(what + ": " + file + " cannot be read: " + e.getMessage());
        }
    }

    /**
     * What a kubeconfig gives as base64 under {@code key-data} or, failing that, as a file under {@code key}; empty if as
     * neither.
     *
     * @param base64 may be null
     * @param file may be null
     */
    static Optional<Buffer> dataOrFile(String what, String key, String base64, String file) {
        if (base64 != null && !base64.isEmpty()) {
            try {
                return Optional.of(Buffer.buffer(Base64.getDecoder().decode(base64.replaceAll("\\s", ""))));
            } catch (IllegalArgumentException e) {
                throw new UsageException(what + ": " + key + "-data is not base64");
            }
        }
        return Optional.ofNullable(file).map(path -> read(what + ": " + key, Path.of(path)));
    }

    /** Makes sure that there is at least one certificate and no other. */
    static void checkCertificates(String what, Buffer pem) {
        try {
            withVertx(new PemTrustOptions().addCertValue(pem)::getTrustManagerFactory);
        } catch (Exception e) {
            throw new UsageException(what + " holds no valid certificate: " + reason(e));
        }
    }

    /** Makes sure that certificate and key can be used together for TLS. */
    static void checkKeyPair(String what, PemKeyCertOptions pair) {
        try {
            withVertx(pair::getKeyManagerFactory);
        } catch (Exception e) {
            throw new UsageException(what + ": cannot be used: " + reason(e));
        }
    }

    private interface Check {
        Object with(Vertx vertx) throws Exception;
    }

    /** Vert.x's own reading of PEM, so that what is checked is what is used. At start there is no instance yet. */
    private static void withVertx(Check check) throws Exception {
        Context context = Vertx.currentContext();
        if (context != null) {
            check.with(context.owner());
            return;
        }
        Vertx passing = Vertx.vertx(
                new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1).setInternalBlockingPoolSize(1));
        try {
            check.with(passing);
        } finally {
            passing.close();
        }
    }

    private static String reason(Exception e) {
        Throwable cause = e instanceof GeneralSecurityException && e.getCause() != null ? e.getCause() : e;
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
