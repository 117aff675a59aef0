package io.watchfan.proxy.passthrough;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;

/**
 * The connection of a request, from which HTTP has been taken off. {@link HttpServerRequest#toNetSocket} is the API for this,
 * but it refuses every method other than GET and CONNECT, and kubectl's SPDY sessions begin with POST. So the method behind
 * it is called, the only use of Vert.x's internals outside of the package {@code stream}.
 */
final class ClientSocket {
    private ClientSocket() {}

    /** Takes over the connection of an HTTP/1.1 request. Nothing has been answered; the caller writes the answer. */
    static Future<NetSocket> of(HttpServerRequest request) {
        return request.connection() instanceof io.vertx.core.http.impl.http1.Http1ServerConnection connection
                ? connection.netSocket()
                : Future.failedFuture("not an HTTP/1.1 connection");
    }
}
