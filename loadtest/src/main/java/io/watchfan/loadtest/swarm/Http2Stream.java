package io.watchfan.loadtest.swarm;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * Asks for a watch on an HTTP/2 stream, and hands what comes to the watcher's connection, which stands behind it in the
 * pipeline. Confined to the watcher's event loop.
 */
final class Http2Stream extends ChannelInboundHandlerAdapter {
    private final Target target;
    private final String pathAndQuery;
    private final WatcherConnection connection;

    Http2Stream(Target target, String pathAndQuery, WatcherConnection connection) {
        this.target = target;
        this.pathAndQuery = pathAndQuery;
        this.connection = connection;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is noticed there
    public void channelActive(ChannelHandlerContext ctx) {
        ctx.fireChannelActive();
        Http2Headers headers = new DefaultHttp2Headers()
                .method("GET")
                .scheme("http")
                .authority(target.host() + ":" + target.port())
                .path(pathAndQuery)
                .set("accept", "application/json")
                .set("user-agent", "watchfan-loadtest");
        if (!target.bearerToken().isEmpty()) {
            headers.set("authorization", "Bearer " + target.bearerToken());
        }
        ctx.writeAndFlush(new DefaultHttp2HeadersFrame(headers, true));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            if (message instanceof Http2HeadersFrame frame) {
                // Trailers have no status.
                if (frame.headers().status() != null) {
                    connection.onHead(Integer.parseInt(frame.headers().status().toString()));
                }
                onEnd(frame.isEndStream());
            } else if (message instanceof Http2DataFrame frame) {
                connection.onBytes(frame.content(), connection::onBody);
                onEnd(frame.isEndStream());
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void onEnd(boolean end) {
        if (end) {
            connection.onEnd();
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // there is nothing to do when a close fails
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Http2ResetFrame) {
            ctx.close();
        }
        ctx.fireUserEventTriggered(event);
    }
}
