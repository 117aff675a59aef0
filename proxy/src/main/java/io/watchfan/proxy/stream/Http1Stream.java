package io.watchfan.proxy.stream;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;

/** The body of an HTTP/1.1 response; Vert.x has sent its head as chunked, and sends its end. */
final class Http1Stream extends SocketStream {
    private final HttpServerResponse response;

    Http1Stream(HttpServerResponse response, ChannelHandlerContext belowCodec, boolean straight) {
        super(belowCodec, straight);
        this.response = response;
    }

    @Override
    public Framing framing() {
        return Framing.CHUNKED;
    }

    @Override
    Future<Void> finish() {
        return response.end();
    }
}
