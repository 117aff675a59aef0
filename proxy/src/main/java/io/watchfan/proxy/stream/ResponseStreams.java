package io.watchfan.proxy.stream;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.websocketx.WebSocketFrameEncoder;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Map;

/** Opens streams on requests. */
public final class ResponseStreams {
    private static final boolean PLAIN_ONLY = Boolean.getBoolean("watchfan.plainStreams");

    private ResponseStreams() {}

    /**
     * Sends the head of {@code request}'s response, whose status and headers are set, and opens its body. Call on the
     * request's event loop; handlers run there, once the head is out.
     */
    public static Future<ResponseStream> open(HttpServerRequest request) {
        HttpServerResponse response = request.response();
        if (request.version() == HttpVersion.HTTP_2) {
            return response.writeHead().map(v -> {
                letGo(request);
                return new PlainStream(request);
            });
        }
        response.setChunked(true);
        return response.writeHead().map(v -> {
            letGo(request);
            ChannelHandlerContext codec = PLAIN_ONLY ? null : codec(request, HttpResponseEncoder.class);
            return codec == null ? new PlainStream(request) : new Http1Stream(response, codec, isStraight(codec));
        });
    }

    /**
     * Accepts {@code request}'s WebSocket handshake and opens a stream of messages; what the client sends is discarded. Fails
     * when the handshake does, which has been answered then.
     */
    public static Future<ResponseStream> openWebSocket(HttpServerRequest request, Runnable onClose) {
        return request.toWebSocket().compose(webSocket -> {
            webSocket.closeHandler(v -> onClose.run());
            webSocket.exceptionHandler(e -> {});
            ChannelHandlerContext codec = codec(request, WebSocketFrameEncoder.class);
            if (codec == null) {
                webSocket.close((short) 1011);
                return Future.failedFuture("no WebSocket codec in the pipeline");
            }
            WebSocketStream stream = new WebSocketStream(webSocket, codec, isStraight(codec));
            ChannelPipeline pipeline = codec.pipeline();
            pipeline.addBefore(pipeline.lastContext().name(), "watchfanControlFrames", new ControlFrames(stream));
            return Future.succeededFuture(stream);
        });
    }

    /**
     * Cuts the connection of {@code request}, or its stream where the connection has others, whatever is still to be sent.
     */
    public static void cut(HttpServerRequest request) {
        if (request.version() != HttpVersion.HTTP_2 && request.connection() instanceof ConnectionBase connection) {
            closeNow(connection.channel());
        } else {
            request.response().reset();
        }
    }

    /** Closes from below all handlers: one of Vert.x waits for what a stuck client will never take. */
    static void closeNow(Channel channel) {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        ChannelFuture unused = first == null ? channel.close() : first.close();
    }

    /** Lets go of what nobody asks for any more: a watch may last for an hour. */
    private static void letGo(HttpServerRequest request) {
        request.headers().clear();
        request.response().headers().clear();
        if (!PLAIN_ONLY) {
            OutboundQueues.shrink(request);
        }
    }

    private static ChannelHandlerContext codec(HttpServerRequest request, Class<?> type) {
        if (!(request.connection() instanceof ConnectionBase connection)) {
            return null;
        }
        for (Map.Entry<String, ChannelHandler> entry : connection.channel().pipeline()) {
            if (type.isInstance(entry.getValue())) {
                return connection.channel().pipeline().context(entry.getValue());
            }
        }
        return null;
    }

    private static boolean isStraight(ChannelHandlerContext codec) {
        return codec.pipeline().get(SslHandler.class) == null;
    }
}
