package io.watchfan.proxy.stream;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Future;
import io.vertx.core.http.ServerWebSocket;

/** A watch as a WebSocket: one line a text message (W-128); Vert.x has made the handshake, and closes. */
final class WebSocketStream extends SocketStream {
    private static final short NORMAL_CLOSURE = 1000;

    private final ServerWebSocket webSocket;

    WebSocketStream(ServerWebSocket webSocket, ChannelHandlerContext belowCodec, boolean straight) {
        super(belowCodec, straight);
        this.webSocket = webSocket;
    }

    @Override
    public Framing framing() {
        return Framing.WEBSOCKET;
    }

    @Override
    Future<Void> finish() {
        return webSocket.close(NORMAL_CLOSURE);
    }
}
