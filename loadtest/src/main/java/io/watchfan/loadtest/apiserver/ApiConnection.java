package io.watchfan.loadtest.apiserver;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshakerFactory;
import io.netty.util.ReferenceCountUtil;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: HTTP/1.1 with keep-alive, one response at a time, and WebSocket for watches. Confined to the
 * server's event loop.
 */
final class ApiConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ApiConnection.class);

    private final RequestHandler handler;
    private ChannelHandlerContext context;
    private FullHttpRequest request;
    private StreamedResponse streamed;
    private StreamWriter writer;
    private boolean pumping;
    private boolean pumpAgain;

    ApiConnection(RequestHandler handler) {
        this.handler = handler;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            if (message instanceof FullHttpRequest next) {
                onRequest(next);
            } else if (message instanceof CloseWebSocketFrame) {
                close();
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void onRequest(FullHttpRequest next) {
        if (streamed != null || !next.decoderResult().isSuccess()) {
            // Pipelining behind a stream, or no HTTP: neither is served.
            close();
            return;
        }
        request = next.retain();
        ApiRequest parsed =
                ApiRequest.of(next.method(), next.uri(), next.headers().copy(), ByteBufUtil.getBytes(next.content()));
        try {
            handler.handle(parsed, this);
        } catch (ApiException e) {
            fail(e);
        } catch (RuntimeException e) {
            LOG.error("request failed: {} {}", next.method(), next.uri(), e);
            fail(new ApiException(500, "InternalError", "Internal error occurred: " + e));
        }
    }

    /** Whether the client is still there. */
    boolean isOpen() {
        return context.channel().isActive();
    }

    /** Answers with a {@code Status}. */
    void fail(ApiException e) {
        byte[] status = e.status();
        byte[] line = Arrays.copyOf(status, status.length + 1);
        line[status.length] = '\n';
        respond(e.code, "application/json", line, e.retryAfterSeconds());
    }

    /** Answers with JSON. */
    void json(int code, byte[] body) {
        respond(code, "application/json", body, 0);
    }

    /** Answers with plain text. */
    void text(int code, String body) {
        respond(code, "text/plain; charset=utf-8", body.getBytes(StandardCharsets.UTF_8), 0);
    }

    private void respond(int code, String contentType, byte[] body, int retryAfterSeconds) {
        if (request == null) {
            return;
        }
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(code), Unpooled.wrappedBuffer(body));
        setHeaders(response.headers(), contentType, keepAlive);
        response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length);
        if (retryAfterSeconds > 0) {
            response.headers().set(HttpHeaderNames.RETRY_AFTER, retryAfterSeconds);
        }
        releaseRequest();
        var written = context.writeAndFlush(response);
        if (!keepAlive) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void setHeaders(HttpHeaders headers, String contentType, boolean keepAlive) {
        String auditId = request.headers().get("Audit-Id");
        headers.set("Audit-Id", auditId == null ? UUID.randomUUID().toString() : auditId);
        headers.set(HttpHeaderNames.CACHE_CONTROL, "no-cache, private");
        headers.set(HttpHeaderNames.CONTENT_TYPE, contentType);
        if (!keepAlive) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
    }

    /** Begins a streamed answer; the head goes out at once. */
    @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is noticed there
    void stream(StreamedResponse response) {
        boolean keepAlive = HttpUtil.isKeepAlive(request);
        DefaultHttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
        setHeaders(head.headers(), "application/json", keepAlive);
        head.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
        releaseRequest();
        context.writeAndFlush(head);
        begin(response, new ChunkedWriter(context.pipeline().context(HttpServerCodec.class), keepAlive));
    }

    /** Whether the client asks for a WebSocket. */
    boolean wantsWebSocket() {
        HttpHeaders headers = request.headers();
        return headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && headers.contains(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
    }

    /** Begins a streamed answer over a WebSocket. */
    void streamOverWebSocket(StreamedResponse response) {
        WebSocketServerHandshaker handshaker = new WebSocketServerHandshakerFactory(
                        request.uri(), request.headers().get("Sec-WebSocket-Protocol"), false)
                .newHandshaker(request);
        if (handshaker == null) {
            throw ApiException.badRequest("not a WebSocket handshake");
        }
        FullHttpRequest upgrade = request;
        handshaker.handshake(context.channel(), upgrade).addListener(done -> {
            if (done.isSuccess()) {
                begin(response, new WebSocketWriter(context.channel()));
            } else {
                response.onClosed();
                close();
            }
        });
        releaseRequest();
    }

    private void begin(StreamedResponse response, StreamWriter responseWriter) {
        if (!isOpen()) {
            response.onClosed();
            return;
        }
        streamed = response;
        writer = responseWriter;
        pump();
    }

    /** Lets the streamed answer send what there is. A write can call this again from within: then once more. */
    void pump() {
        pumpAgain = true;
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            while (pumpAgain && streamed != null) {
                pumpAgain = false;
                pumpOnce();
            }
        } finally {
            pumping = false;
        }
    }

    private void pumpOnce() {
        if (streamed.pump(writer)) {
            StreamedResponse ended = streamed;
            streamed = null;
            ended.onClosed();
            writer.finish();
            return;
        }
        pumpAgain |= !writer.hasRoom();
        writer.flush();
        pumpAgain &= context.channel().isWritable();
    }

    /** Answers 200 with something that is no answer. */
    void garbage(RequestFaults.Garbage garbage) {
        byte[] body = garbage.bytes();
        stream(new StreamedResponse() {
            @Override
            public boolean pump(StreamWriter out) {
                out.append(body, 0, body.length);
                return garbage.after() != RequestFaults.After.CUT;
            }

            @Override
            public void onClosed() {}
        });
        if (garbage.after() == RequestFaults.After.CUT) {
            close();
        }
    }

    /** Sends something that is no event if a watch is open on the connection. */
    void spoilWatch(RequestFaults.Garbage garbage) {
        if (!(streamed instanceof WatchStream watch) || !(writer instanceof ChunkedWriter)) {
            return;
        }
        byte[] bytes = garbage.bytes();
        watch.onSpoiled();
        writer.append(bytes, 0, bytes.length);
        writer.flush();
        switch (garbage.after()) {
            case GO_ON -> {}
            case CUT -> close();
            case END -> {
                watch.end(null);
                pump();
            }
        }
    }

    /** Resets the connection if a watch is open on it. */
    void cutWatch() {
        if (streamed instanceof WatchStream) {
            context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            close();
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // there is nothing to do when a close fails
    private void close() {
        context.close();
    }

    private void releaseRequest() {
        request.release();
        request = null;
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (ctx.channel().isWritable()) {
            pump();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (request != null) {
            releaseRequest();
        }
        if (streamed != null) {
            StreamedResponse ended = streamed;
            streamed = null;
            ended.onClosed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("connection failed", cause);
        close();
    }
}
