package io.watchfan.loadtest.apiserver;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;

/** Writes a watch as WebSocket messages, one per event. Confined to the server's event loop. */
final class WebSocketWriter implements StreamWriter {
    private final Channel channel;

    /** A writer for a channel on which the handshake is done. */
    WebSocketWriter(Channel channel) {
        this.channel = channel;
    }

    @Override
    public boolean hasRoom() {
        return channel.isWritable();
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is noticed there
    public void append(byte[] bytes, int from, int to) {
        channel.write(new TextWebSocketFrame(Unpooled.copiedBuffer(bytes, from, to - from)));
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public void finish() {
        channel.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE))
                .addListener(ChannelFutureListener.CLOSE);
    }
}
