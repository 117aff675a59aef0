package io.watchfan.proxy.upstream;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import io.watchfan.proxy.config.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the proxy shows the API server: an {@code Authorization} header, a client certificate, or both. Files are looked
 * at every {@value #CHECK_MILLIS} ms on a worker thread, plugins are asked again shortly before what they gave expires;
 * {@link #reload} does either at once. What cannot be read leaves the last good credential in use.
 *
 * <p>Any thread may call; nothing here blocks the caller.
 */
public final class UpstreamCredentials {
    private static final Logger LOG = LoggerFactory.getLogger(UpstreamCredentials.class);
    private static final long CHECK_MILLIS = 10_000;
    /** A reload sooner after the last one tells nothing new, and answers of 401 may come in thousands. */
    private static final long LEAST_NANOS_BETWEEN_RELOADS = TimeUnit.SECONDS.toNanos(2);

    /**
     * A credential.
     *
     * @param authorization value of the header
     * @param certificate chain of the client certificate, PEM
     * @param key its private key, PEM
     */
    record Credential(Optional<String> authorization, Optional<Buffer> certificate, Optional<Buffer> key) {
        static final Credential NONE = new Credential(Optional.empty(), Optional.empty(), Optional.empty());

        static Credential bearer(String token) {
            return new Credential(Optional.of("Bearer " + token), Optional.empty(), Optional.empty());
        }

        Optional<PemKeyCertOptions> keyCertOptions() {
            return certificate.flatMap(chain -> key.map(
                    secret -> new PemKeyCertOptions().addCertValue(chain).addKeyValue(secret)));
        }

        @Override
        public String toString() {
            return "Credential[hidden]";
        }
    }

    /** Where credentials come from. Called on one thread at a time, and may block. */
    interface Source {
        /** The credential now, read afresh. */
        Credential load();

        /** Whether it may have changed since {@link #load}, at little cost. */
        boolean isStale();
    }

    /** A source of always the same. */
    static Source fixed(Credential credential) {
        return new Source() {
            @Override
            public Credential load() {
                return credential;
            }

            @Override
            public boolean isStale() {
                return false;
            }
        };
    }

    private final Source source;
    private final List<Consumer<Credential>> certificateListeners = new ArrayList<>();
    private volatile Credential current;

    // Guarded by this.
    private Vertx vertx;
    private long timer = -1;
    private Future<Void> loading;
    private long loadedNanos = System.nanoTime() - LEAST_NANOS_BETWEEN_RELOADS;

    /** Loads for the first time, on the calling thread. */
    UpstreamCredentials(Source source) {
        this.source = source;
        this.current = source.load();
    }

    /** The value of the header {@code Authorization}, if it is that by which the proxy is known. */
    public Optional<String> authorization() {
        return current.authorization();
    }

    /** The credential in use. */
    Credential current() {
        return current;
    }

    /**
     * Reads the credentials again, as after an answer of 401. Calls while one is under way, or right after one, share its
     * outcome.
     *
     * @return done when later requests use what was read; failed if nothing could be read, and the old is still in use
     */
    public synchronized Future<Void> reload() {
        if (loading != null) {
            return loading;
        }
        if (vertx == null || System.nanoTime() - loadedNanos < LEAST_NANOS_BETWEEN_RELOADS) {
            return Future.succeededFuture();
        }
        Future<Void> reloading = vertx.executeBlocking(this::load, false);
        loading = reloading;
        reloading.onComplete(done -> {
            synchronized (this) {
                loading = null;
                loadedNanos = System.nanoTime();
            }
        });
        return reloading;
    }

    /** Calls {@code listener} on a worker thread whenever the client certificate has become another one. */
    synchronized void onCertificateChange(Consumer<Credential> listener) {
        certificateListeners.add(listener);
    }

    /** Begins to look for changes. */
    synchronized void start(Vertx on) {
        vertx = on;
        timer = on.setPeriodic(CHECK_MILLIS, id -> on.executeBlocking(this::loadIfStale, false));
    }

    /** Stops looking for changes. */
    synchronized void stop() {
        if (vertx != null) {
            vertx.cancelTimer(timer);
            vertx = null;
        }
    }

    private Void loadIfStale() {
        boolean stale;
        synchronized (source) {
            stale = source.isStale();
        }
        return stale ? load() : null;
    }

    private Void load() {
        Credential before;
        Credential loaded;
        List<Consumer<Credential>> listeners;
        synchronized (source) {
            before = current;
            try {
                loaded = source.load();
            } catch (UsageException e) {
                LOG.warn(
                        "the credential for the API server cannot be read again, the last one stays in use: {}",
                        e.getMessage());
                throw e;
            }
            current = loaded;
        }
        synchronized (this) {
            listeners = List.copyOf(certificateListeners);
        }
        if (!loaded.certificate().equals(before.certificate()) || !loaded.key().equals(before.key())) {
            listeners.forEach(listener -> listener.accept(loaded));
        }
        return null;
    }
}
