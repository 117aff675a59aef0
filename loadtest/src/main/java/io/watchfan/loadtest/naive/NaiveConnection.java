package io.watchfan.loadtest.naive;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/** One client: watches pods, or asks whether all is well. Confined to its event loop. */
final class NaiveConnection extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final String PODS = "/api/v1/pods?";

    private final LoopClients clients;

    NaiveConnection(LoopClients clients) {
        this.clients = clients;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is noticed there
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        if (request.uri().startsWith(PODS) && !request.uri().contains("Selector=")) {
            DefaultHttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
            head.headers()
                    .set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON)
                    .set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
            ctx.writeAndFlush(head);
            clients.add(ctx.channel());
            return;
        }
        DefaultFullHttpResponse answer = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1,
                request.uri().equals("/readyz") ? HttpResponseStatus.OK : HttpResponseStatus.NOT_FOUND,
                Unpooled.EMPTY_BUFFER);
        answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
        ctx.writeAndFlush(answer);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        clients.remove(ctx.channel());
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // there is nothing to do when a close fails
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
