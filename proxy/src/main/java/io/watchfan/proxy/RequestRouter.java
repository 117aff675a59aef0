package io.watchfan.proxy;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.passthrough.PassthroughHandler;
import io.watchfan.proxy.request.MediaTypes;
import io.watchfan.proxy.request.RequestInfo;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.watch.Answers;
import io.watchfan.proxy.watch.FeedRequests;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, by the request's head alone, whether it may be answered from the cache. One per event loop. Whatever is not known
 * to be answered exactly here goes to the API server, with the reason counted.
 */
final class RequestRouter implements Handler<HttpServerRequest> {
    private static final String IMPERSONATE = "impersonate-";

    private static final Logger LOG = LoggerFactory.getLogger(RequestRouter.class);

    private final ProxyConfig config;
    private final FeedRequests feeds;
    private final PassthroughHandler passthrough;
    private final ProxyMetrics metrics;
    private volatile boolean draining;

    RequestRouter(ProxyConfig config, FeedRequests feeds, PassthroughHandler passthrough, ProxyMetrics metrics) {
        this.metrics = metrics;
        this.config = config;
        this.feeds = feeds;
        this.passthrough = passthrough;
    }

    /** From now on requests are refused: the process is stopping. */
    void drain() {
        draining = true;
    }

    @Override
    public void handle(HttpServerRequest request) {
        try {
            route(request);
        } catch (RuntimeException | LinkageError e) {
            // A fault of ours: the client is told, rather than left waiting.
            LOG.error("a request could not be handled path={}", request.path(), e);
            refuse(request, "fault", StatusBody.internalError(String.valueOf(e)));
        }
    }

    private void route(HttpServerRequest request) {
        if (!isForUs(request)) {
            refuse(request, "host", foreignHost(request));
        } else if (draining) {
            refuse(request, "draining", StatusBody.shuttingDown("the proxy is shutting down"));
        } else if (request.version() == HttpVersion.HTTP_1_0) {
            metrics.request(ProxyMetrics.OTHER, ProxyMetrics.Outcome.REFUSED, "http_1_0");
            request.response().setStatusCode(505).end();
        } else {
            RequestInfo info = RequestInfo.parse(request.method().name(), request.path() == null ? "" : request.path());
            String reason = passthroughReason(request, info);
            if (reason == null) {
                negotiate(request, info);
            } else {
                passthrough.handle(request, reason);
            }
        }
    }

    /** Whether every name that the request was sent to is one that this proxy may be reached by. */
    private boolean isForUs(HttpServerRequest request) {
        List<String> hosts = request.headers().getAll("Host");
        HostAndPort authority = request.version() == HttpVersion.HTTP_2 ? request.authority() : null;
        return hosts.size() <= 1
                && hosts.stream().allMatch(config.allowedHosts()::accepts)
                && (authority == null || config.allowedHosts().accepts(authority.toString()));
    }

    private void refuse(HttpServerRequest request, String reason, StatusBody status) {
        metrics.request(ProxyMetrics.OTHER, ProxyMetrics.Outcome.REFUSED, reason);
        Answers.status(request, status, false);
    }

    /** Why the request is not answered here; null when it may be. */
    private String passthroughReason(HttpServerRequest request, RequestInfo info) {
        if (info.kind() == RequestInfo.Kind.OTHER) {
            return "other";
        }
        if (info.kind() == RequestInfo.Kind.OBJECT && info.isWatchPath()) {
            return "deprecated_watch";
        }
        if (!config.mayCache(info.resource(), info.group())) {
            return "no_cache";
        }
        if (impersonates(request)) {
            return "impersonation";
        }
        if (request.headers().contains("Upgrade") && passthrough.isOfUnknownPage(request)) {
            // Browsers let any page open a WebSocket; who says nothing of itself is for the API server to judge.
            return "origin";
        }
        return null;
    }

    private void negotiate(HttpServerRequest request, RequestInfo info) {
        MediaTypes accept = MediaTypes.parse(request.getHeader("Accept"));
        MediaTypes.Decision decision = accept.decide(info.gvr().isBuiltIn());
        MediaTypes.Choice choice = decision.choice();
        if (choice == null) {
            passthrough.handle(request, decision.reason());
        } else if (choice.pretty() && !choice.isProtobuf()) {
            passthrough.handle(request, "pretty");
        } else {
            feeds.handle(request, info, accept, choice);
        }
    }

    private static boolean impersonates(HttpServerRequest request) {
        for (Map.Entry<String, String> header : request.headers()) {
            if (header.getKey().regionMatches(true, 0, IMPERSONATE, 0, IMPERSONATE.length())) {
                return true;
            }
        }
        return false;
    }

    /** A browser that a foreign name has led here (DNS rebinding). */
    private static StatusBody foreignHost(HttpServerRequest request) {
        return StatusBody.forbiddenPath(
                "system:anonymous",
                request.method().name().toLowerCase(Locale.ROOT),
                String.valueOf(request.path()),
                "the Host header names no host that this proxy is allowed to be reached by");
    }
}
