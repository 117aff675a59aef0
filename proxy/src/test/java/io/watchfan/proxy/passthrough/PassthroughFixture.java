package io.watchfan.proxy.passthrough;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.upstream.UpstreamClients;
import io.watchfan.proxy.upstream.UpstreamTarget;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server that passes everything through to an API server played by the test. */
final class PassthroughFixture implements Closeable {
    private static final int ANY = 0;

    final ProxyMetrics metrics = new ProxyMetrics();
    private final Vertx vertx = Vertx.vertx();
    private final ServerSocket apiServer;
    private final UpstreamClients clients;
    private final HttpServer server;
    private final List<Wire> wires = new ArrayList<>();

    PassthroughFixture(String... flags) throws Exception {
        this(UpstreamClients.PASSTHROUGH_CONNECTIONS, "", flags);
    }

    PassthroughFixture(int connections, String basePath, String... flags) throws Exception {
        apiServer = new ServerSocket(ANY, 50, InetAddress.getLoopbackAddress());
        apiServer.setSoTimeout(10_000);
        List<String> all = new ArrayList<>(Arrays.asList(flags));
        all.addAll(List.of("--upstream", "http://127.0.0.1:" + apiServer.getLocalPort() + basePath));
        ProxyConfig config = ConfigLoader.parse(all.toArray(String[]::new));
        clients = new UpstreamClients(UpstreamTarget.of(config.upstream()), config, vertx, vertx, connections);
        PassthroughHandler handler = new PassthroughHandler(vertx, clients, config, metrics);
        server = vertx.createHttpServer(PassthroughHandler.serverOptions(
                        new HttpServerOptions().setHost("127.0.0.1").setHttp2ClearTextEnabled(false)))
                .requestHandler(request -> handler.handle(request, "test"))
                .listen(ANY)
                .await(10, TimeUnit.SECONDS);
    }

    /** A client's connection. */
    Wire client() throws IOException {
        return keep(Wire.connect(server.actualPort()));
    }

    /** The next connection that arrives at the API server. */
    Wire upstream() throws IOException {
        return keep(new Wire(apiServer.accept()));
    }

    /** From now on nobody listens where the API server was. */
    void stopListening() throws IOException {
        apiServer.close();
    }

    String upstreamAddress() {
        return "127.0.0.1:" + apiServer.getLocalPort();
    }

    /** Requests under way, as the metrics have it. */
    double active() {
        return metrics.registry().get("watchfan.passthrough.active").gauge().value();
    }

    private Wire keep(Wire wire) {
        wires.add(wire);
        return wire;
    }

    @Override
    public void close() throws IOException {
        for (Wire wire : wires) {
            wire.close();
        }
        apiServer.close();
        try {
            clients.closeAll().await(10, TimeUnit.SECONDS);
            vertx.close().await(10, TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException e) {
            throw new IOException(e);
        }
        metrics.close();
    }
}
