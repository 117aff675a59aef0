package io.watchfan.proxy.passthrough;

import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;
import io.watchfan.proxy.upstream.UpstreamClient;

/**
 * A request to switch protocols. When the API server does, both connections become one tunnel, with back-pressure in both
 * directions; what one side sent before it closed still gets to the other, which is closed then.
 */
final class UpgradeExchange extends Exchange {
    private static final int SWITCHING_PROTOCOLS = 101;

    UpgradeExchange(UpstreamClient client, HttpServerRequest request, Runnable onFinished) {
        super(client, request, onFinished);
    }

    @Override
    void send(HttpClientRequest to) {
        to.connect();
    }

    @Override
    void receive(HttpClientResponse from) {
        copyHead(from);
        if (from.statusCode() == SWITCHING_PROTOCOLS) {
            NetSocket server = from.netSocket();
            server.pause();
            from.headers()
                    .getAll(HttpHeaders.UPGRADE)
                    .forEach(protocol -> response.headers().add(HttpHeaders.UPGRADE, protocol));
            response.putHeader(HttpHeaders.CONNECTION, "Upgrade");
            request.toNetSocket().onComplete(client -> tunnel(client, server), this::abort);
        } else {
            refused(from);
        }
    }

    private void refused(HttpClientResponse from) {
        response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        response.setChunked(!from.headers().contains(HttpHeaders.CONTENT_LENGTH));
        response.writeHead();
        from.pipe()
                .endOnFailure(false)
                .to(response)
                .onComplete(
                        v -> {
                            if (finish()) {
                                request.connection().close();
                            }
                        },
                        this::abort);
    }

    private void tunnel(NetSocket client, NetSocket server) {
        client.closeHandler(v -> finish());
        server.closeHandler(v -> finish());
        client.pipe().endOnFailure(true).to(server);
        server.pipe().endOnFailure(true).to(client);
    }
}
