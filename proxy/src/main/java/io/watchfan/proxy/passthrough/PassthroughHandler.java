package io.watchfan.proxy.passthrough;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.upstream.UpstreamClients;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Forwards requests to the API server and answers with what it says, unchanged: request target, headers and bodies byte
 * for byte, but for hop-by-hop headers, {@code Host}, claims of identity that nobody verified ({@code X-Remote-*}), and
 * the proxy's own credential where the caller brings none. Bodies of any size are streamed with back-pressure, each piece
 * as it comes; nothing is sent twice.
 *
 * <p>Upgrades to SPDY and WebSocket (exec, attach, port-forward) become a tunnel. To other protocols there is no upgrade.
 *
 * <p>How it fails: the API server cannot be reached, or {@link UpstreamClients#PASSTHROUGH_CONNECTIONS} requests are
 * under way, is 503 with {@code Retry-After}. A request that was sent and not answered is 503, without that header if it
 * may have had an effect. An answer that breaks off is broken off to the client; a client that goes takes its request
 * with it.
 *
 * <p>Called on the request's event loop, of the Vert.x that the passthrough client was created on. Holds no state between
 * requests.
 */
public final class PassthroughHandler {
    private static final int MOST_HEAD_BYTES = 256 * 1024;
    private static final Set<HttpMethod> NAMED_METHODS = Set.of(
            HttpMethod.GET,
            HttpMethod.HEAD,
            HttpMethod.OPTIONS,
            HttpMethod.POST,
            HttpMethod.PUT,
            HttpMethod.PATCH,
            HttpMethod.DELETE);

    private final Vertx vertx;
    private final UpstreamClients clients;
    private final ProxyConfig config;
    private final ProxyMetrics metrics;

    /**
     * Creates the handler of all event loops.
     *
     * @param vertx the one that serves the clients
     */
    public PassthroughHandler(Vertx vertx, UpstreamClients clients, ProxyConfig config, ProxyMetrics metrics) {
        this.vertx = vertx;
        this.clients = clients;
        this.config = config;
        this.metrics = metrics;
    }

    /**
     * What a server must allow so that requests get here as they were sent: heads as long as the API server accepts them,
     * no decompression, no compression of WebSockets (the API server has none), no answer to {@code Expect: 100-continue}
     * in the API server's place, and no idle timeout (of a followed log or an exec session nothing may come for hours).
     */
    public static HttpServerOptions serverOptions(HttpServerOptions options) {
        return options.setMaxHeaderSize(MOST_HEAD_BYTES)
                .setMaxInitialLineLength(MOST_HEAD_BYTES)
                .setHandle100ContinueAutomatically(false)
                .setDecompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setIdleTimeout(0)
                .setTcpKeepAlive(true)
                .setTcpNoDelay(true);
    }

    /**
     * Forwards this request. Nothing of its body may have been read, nor of its answer written: if it is not handled in
     * the same turn in which it came, it must have been paused, unless nothing can follow its head.
     *
     * @param reason why it is not answered from the cache, a fixed word for metrics
     */
    public void handle(HttpServerRequest request, String reason) {
        request.pause();
        Optional<String> upgrade = ForwardedRequest.upgrade(request);
        if (config.readOnly() && (upgrade.isPresent() || !ForwardedRequest.isReading(request))) {
            refuse(request, "read-only", StatusBody.methodNotAllowed());
            return;
        }
        if (request.method().equals(HttpMethod.CONNECT)) {
            refuse(request, "method", StatusBody.methodNotAllowed());
            return;
        }
        if ((upgrade.isPresent() || !ForwardedRequest.isReading(request)) && isOfForeignPage(request)) {
            refuse(request, "origin", foreignPage(request));
            return;
        }
        Optional<RequestOptions> head = ForwardedRequest.head(request, upgrade);
        if (head.isEmpty()) {
            refuse(request, "malformed", StatusBody.badRequest("the head of the request is malformed"));
            return;
        }
        metrics.request(verb(request), ProxyMetrics.Outcome.PASSTHROUGH, reason);
        metrics.passthroughStarted();
        Exchange exchange = upgrade.isPresent()
                ? new UpgradeExchange(clients.passthrough(), request, metrics::passthroughEnded)
                : new MessageExchange(vertx, clients.passthrough(), request, metrics::passthroughEnded);
        exchange.start(head.get());
    }

    private void refuse(HttpServerRequest request, String reason, StatusBody status) {
        metrics.request(verb(request), ProxyMetrics.Outcome.REFUSED, reason);
        StatusAnswer.send(request, status);
    }

    private static String verb(HttpServerRequest request) {
        return NAMED_METHODS.contains(request.method())
                ? request.method().name().toLowerCase(Locale.ROOT)
                : ProxyMetrics.OTHER;
    }

    /**
     * Whether a browser sends this on behalf of a page from elsewhere. Browsers let any page open WebSockets to any
     * address, this listener included, and then the session would have the proxy's rights.
     */
    private boolean isOfForeignPage(HttpServerRequest request) {
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        if (origin == null) {
            return false;
        }
        int scheme = origin.indexOf("://");
        String host = scheme < 0 ? origin : origin.substring(scheme + 3);
        return !host.equalsIgnoreCase(request.getHeader(HttpHeaders.HOST))
                && !config.allowedHosts().accepts(host);
    }

    /** Whether a request for an upgrade does not say which page it is for, or comes from one of elsewhere. */
    public boolean isOfUnknownPage(HttpServerRequest request) {
        return request.getHeader(HttpHeaders.ORIGIN) == null || isOfForeignPage(request);
    }

    private static StatusBody foreignPage(HttpServerRequest request) {
        return StatusBody.forbiddenPath(
                "system:anonymous",
                verb(request),
                request.path(),
                "a web page of another origin may not write or open sessions");
    }
}
