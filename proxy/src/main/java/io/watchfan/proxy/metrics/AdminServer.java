package io.watchfan.proxy.metrics;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Supplier;

/**
 * What is for operators: {@code /livez} (the process runs), {@code /readyz} (it may be sent clients), {@code /metrics} in
 * Prometheus' format, and a page that says what it does at the moment. Tells nothing of objects and callers, only names of
 * resources, addresses and numbers.
 */
public final class AdminServer {
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String STYLE =
            "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}"
                    + "table{border-collapse:collapse}td,th{border-bottom:1px solid #ddd;padding:.25rem 1.5rem .25rem 0;"
                    + "text-align:left;vertical-align:top}";

    private final Vertx vertx;
    private final String host;
    private final int port;
    private final ProxyMetrics metrics;
    private final Supplier<List<String>> missing;
    private final Supplier<List<String>> status;
    private HttpServer server;

    /**
     * A server that does not listen yet.
     *
     * @param vertx runs it
     * @param host where to listen
     * @param port 0 for any
     * @param missing what readiness lacks, empty when ready; called on an event loop, at any time
     * @param status lines for the page, of the form {@code name value...}; called like {@code missing}
     */
    public AdminServer(
            Vertx vertx,
            String host,
            int port,
            ProxyMetrics metrics,
            Supplier<List<String>> missing,
            Supplier<List<String>> status) {
        this.vertx = vertx;
        this.host = host;
        this.port = port;
        this.metrics = metrics;
        this.missing = missing;
        this.status = status;
    }

    /** Listens; fails if it cannot. */
    public Future<Void> start() {
        Router router = Router.router(vertx);
        router.get("/livez").handler(context -> text(context, 200, "ok\n"));
        router.get("/readyz").handler(this::ready);
        router.get("/metrics").handler(this::scrape);
        router.get("/").handler(this::page);
        server = vertx.createHttpServer(
                        new HttpServerOptions().setHost(host).setPort(port).setIdleTimeout(120))
                .requestHandler(router);
        return server.listen().mapEmpty();
    }

    /** Stops listening and closes the connections. */
    public Future<Void> stop() {
        return server == null ? Future.succeededFuture() : server.close();
    }

    /** The port it listens on, once started. */
    public int actualPort() {
        return server.actualPort();
    }

    private void ready(RoutingContext context) {
        List<String> lacking = missing.get();
        if (lacking.isEmpty()) {
            text(context, 200, "ok\n");
        } else {
            text(context, 503, "not ready: " + String.join("; ", lacking) + "\n");
        }
    }

    private void scrape(RoutingContext context) {
        String accept = context.request().getHeader(HttpHeaders.ACCEPT);
        boolean openMetrics = accept != null && accept.contains(ProxyMetrics.OPEN_METRICS_NAME);
        String type = openMetrics ? ProxyMetrics.OPEN_METRICS : ProxyMetrics.PROMETHEUS_TEXT;
        // Meters are read one by one; there may be thousands, and the loop has clients to serve.
        vertx.executeBlocking(() -> metrics.scrape(type), false)
                .onSuccess(body -> context.response()
                        .putHeader(HttpHeaders.CONTENT_TYPE, type)
                        .end(body))
                .onFailure(context::fail);
    }

    private void page(RoutingContext context) {
        List<String> lacking = missing.get();
        StringBuilder html = new StringBuilder("<!doctype html><meta charset=utf-8><title>watchfan</title><style>")
                .append(STYLE)
                .append("</style><h1>watchfan</h1><p>")
                .append(lacking.isEmpty() ? "Ready." : escape("Not ready: " + String.join("; ", lacking) + "."))
                .append("</p><table>");
        for (String line : status.get()) {
            int space = line.indexOf(' ');
            html.append("<tr><th>")
                    .append(escape(space < 0 ? line : line.substring(0, space)))
                    .append("</th><td>")
                    .append(escape(space < 0 ? "" : line.substring(space + 1)))
                    .append("</td></tr>");
        }
        html.append("</table><p><a href=metrics>metrics</a> <a href=readyz>readyz</a> <a href=livez>livez</a></p>\n");
        context.response()
                .putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .putHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
                .end(html.toString());
    }

    private static void text(RoutingContext context, int code, String body) {
        context.response()
                .setStatusCode(code)
                .putHeader(HttpHeaders.CONTENT_TYPE, TEXT)
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
                .end(body);
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
