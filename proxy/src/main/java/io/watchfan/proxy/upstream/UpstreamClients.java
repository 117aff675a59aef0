package io.watchfan.proxy.upstream;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.watchfan.proxy.config.ProxyConfig;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The three ways to the API server. They are separate and bounded each, so that followed logs cannot hold up reads, nor
 * either of them the feeds. All use one set of credentials.
 */
public final class UpstreamClients {
    private static final Logger LOG = LoggerFactory.getLogger(UpstreamClients.class);

    /** Most connections for lists, reviews and the like. */
    public static final int READ_CONNECTIONS = 32;

    /** Most connections for what is passed through. */
    public static final int PASSTHROUGH_CONNECTIONS = 1024;

    private static final int QUEUED_PER_CONNECTION = 4;

    private final UpstreamTarget target;
    private final UpstreamClient feeds;
    private final UpstreamClient reads;
    private final UpstreamClient passthrough;

    /**
     * Creates the clients; connects nowhere yet.
     *
     * @param target where to
     * @param config for the number of feeds
     * @param feedVertx runs the feeds' connections, lists and reviews
     * @param servingVertx runs the connections of what is passed through, beside the clients' own
     */
    public UpstreamClients(UpstreamTarget target, ProxyConfig config, Vertx feedVertx, Vertx servingVertx) {
        this(target, config, feedVertx, servingVertx, PASSTHROUGH_CONNECTIONS);
    }

    /** As above, with another bound than {@link #PASSTHROUGH_CONNECTIONS}. */
    public UpstreamClients(
            UpstreamTarget target,
            ProxyConfig config,
            Vertx feedVertx,
            Vertx servingVertx,
            int passthroughConnections) {
        this.target = target;
        int feedConnections = 2 * config.maxFeeds() + 8;
        this.feeds = new UpstreamClient(feedVertx, target, feedConnections, feedConnections);
        this.reads = new UpstreamClient(feedVertx, target, READ_CONNECTIONS, QUEUED_PER_CONNECTION * READ_CONNECTIONS);
        this.passthrough = new UpstreamClient(servingVertx, target, passthroughConnections, 0);
        target.credentials().onCertificateChange(credential -> renewCertificate());
        target.credentials().start(feedVertx);
    }

    /** For the upstream watches and the lists that begin them. */
    public UpstreamClient feeds() {
        return feeds;
    }

    /** For lists, discovery and reviews that callers wait for. */
    public UpstreamClient reads() {
        return reads;
    }

    /** For requests that are forwarded as they came. */
    public UpstreamClient passthrough() {
        return passthrough;
    }

    /** Where these clients connect to. */
    public UpstreamTarget target() {
        return target;
    }

    /** See {@link UpstreamCredentials#reload()}. */
    public Future<Void> reloadCredentials() {
        return target.credentials().reload();
    }

    private void renewCertificate() {
        for (UpstreamClient client : List.of(feeds, reads, passthrough)) {
            client.updateSsl(target.sslOptions())
                    .onFailure(e ->
                            LOG.warn("the client certificate for the API server cannot be replaced: {}", e.toString()));
        }
    }

    /** Closes every connection; idempotent. */
    public Future<Void> closeAll() {
        target.credentials().stop();
        return Future.join(feeds.close(), reads.close(), passthrough.close()).mapEmpty();
    }
}
