package io.watchfan.loadtest.apiserver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;

/**
 * Writes the body of an HTTP/1.1 response in chunks, one per piece, gathered into one buffer per flush and handed to
 * the pipeline below the HTTP codec. Confined to the server's event loop.
 */
final class ChunkedWriter implements StreamWriter {
    private static final int GATHER_BYTES = 64 * 1024;
    private static final byte[] LINE_END = {'\r', '\n'};

    private final ChannelHandlerContext codec;
    private final boolean keepAlive;
    private ByteBuf gathered;

    /**
     * A writer for a response whose head has been written.
     *
     * @param codec the context of the HTTP codec
     * @param keepAlive whether the connection stays open after the end
     */
    ChunkedWriter(ChannelHandlerContext codec, boolean keepAlive) {
        this.codec = codec;
        this.keepAlive = keepAlive;
    }

    @Override
    public boolean hasRoom() {
        return codec.channel().isWritable() && (gathered == null || gathered.readableBytes() < GATHER_BYTES);
    }

    @Override
    public void append(byte[] bytes, int from, int to) {
        if (gathered == null) {
            gathered = codec.alloc().directBuffer(Math.max(to - from + 16, 4096));
        }
        gathered.writeBytes(Integer.toHexString(to - from).getBytes(StandardCharsets.US_ASCII));
        gathered.writeBytes(LINE_END);
        gathered.writeBytes(bytes, from, to - from);
        gathered.writeBytes(LINE_END);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is noticed there
    public void flush() {
        ByteBuf full = gathered;
        if (full != null) {
            gathered = null;
            codec.writeAndFlush(full);
        }
    }

    @Override
    public void finish() {
        flush();
        var last = codec.channel().writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
        if (!keepAlive) {
            last.addListener(ChannelFutureListener.CLOSE);
        }
    }
}
