package io.watchfan.proxy.stream;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * What a client sends on a WebSocket watch, before anybody else sees it. An answer of the codec's own would land in the middle
 * of a line that is still on its way, and answers that nobody reads would pile up; so a ping is answered when nothing is on
 * its way, and else is not (RFC 6455, 5.5.3, lets later ones stand for it). What the client says besides is discarded, but for
 * its close.
 */
final class ControlFrames extends ChannelInboundHandlerAdapter {
    private final SocketStream stream;

    ControlFrames(SocketStream stream) {
        this.stream = stream;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof CloseWebSocketFrame && stream.isIdle()) {
            stream.otherWrites();
            context.fireChannelRead(message);
            return;
        }
        try {
            if (message instanceof PingWebSocketFrame ping && stream.isIdle()) {
                stream.otherWrites();
                ChannelFuture unused = context.writeAndFlush(
                        new PongWebSocketFrame(ping.content().retain()));
            } else if (message instanceof CloseWebSocketFrame) {
                // In the middle of a line there is no place for the answer.
                stream.abort();
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }
}
