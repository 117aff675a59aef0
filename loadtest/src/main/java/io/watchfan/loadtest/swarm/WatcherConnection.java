package io.watchfan.loadtest.swarm;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * One connection of a watcher, from the request to its end, of which it tells once. Confined to the watcher's event
 * loop.
 */
final class WatcherConnection extends ChannelInboundHandlerAdapter implements ResponseDecoder.Listener {
    private static final int MAX_ERROR_BYTES = 1024;
    private static final long SLOW_PAUSE_MILLIS = 20;
    private static final int OK = 200;
    private static final int GONE = 410;

    private final Watcher watcher;
    private final SwarmLoop loop;
    private final String request;
    private final ResponseDecoder decoder = new ResponseDecoder(this);
    private final LineScanner scanner;
    private ChannelHandlerContext context;
    private int status;
    private StringBuilder errorBody;
    private EndReason end;
    private boolean over;
    private long receivedNanos;

    /**
     * A connection that is not open yet.
     *
     * @param request what to send first; null when someone else asks
     */
    WatcherConnection(Watcher watcher, SwarmLoop loop, String request, LineSink sink) {
        this.watcher = watcher;
        this.loop = loop;
        this.request = request;
        this.scanner = new LineScanner(sink);
    }

    /** When the bytes that are being read arrived. */
    long receivedNanos() {
        return receivedNanos;
    }

    /** Reads on, or stops reading. */
    void setReading(boolean reading) {
        if (context != null) {
            context.channel().config().setAutoRead(reading);
        }
    }

    /** Vanishes without a goodbye; the watcher is told at once. */
    void reset() {
        if (context != null) {
            context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
        }
        end(EndReason.LEFT);
    }

    /** Leaves; the watcher is told at once. */
    void leave(EndReason reason) {
        end(reason);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is noticed there
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        if (request != null) {
            ctx.writeAndFlush(Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        try {
            onBytes(buffer, decoder::feed);
        } finally {
            buffer.release();
        }
    }

    /** Takes bytes as they lie in the loop's scratch space. */
    interface Bytes {
        void feed(byte[] bytes, int from, int to);
    }

    /** Passes on what has just been received, in pieces; the buffer stays the caller's. */
    void onBytes(ByteBuf buffer, Bytes sink) {
        try {
            receivedNanos = System.nanoTime();
            loop.reads.add(1);
            loop.bytes.add(buffer.readableBytes());
            while (buffer.isReadable() && !over) {
                int count = Math.min(buffer.readableBytes(), SwarmLoop.SCRATCH_BYTES);
                buffer.readBytes(loop.scratch, 0, count);
                sink.feed(loop.scratch, 0, count);
            }
        } catch (IllegalStateException | NumberFormatException e) {
            loop.lastError = e.getMessage();
            end(EndReason.CUT);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (watcher.pace() == Pace.SLOW && !over) {
            setReading(false);
            loop.executor
                    .schedule(() -> setReading(true), SLOW_PAUSE_MILLIS, TimeUnit.MILLISECONDS)
                    .addListener(done -> {});
        }
    }

    @Override
    public void onHead(int code) {
        status = code;
        if (code == OK) {
            watcher.onOpen();
        } else {
            errorBody = new StringBuilder();
        }
    }

    @Override
    public void onBody(byte[] bytes, int from, int to) {
        if (status == OK) {
            scanner.feed(bytes, from, to);
        } else if (errorBody.length() < MAX_ERROR_BYTES) {
            int count = Math.min(to - from, MAX_ERROR_BYTES - errorBody.length());
            errorBody.append(new String(bytes, from, count, StandardCharsets.UTF_8));
        }
    }

    @Override
    public void onEnd() {
        if (status == OK) {
            if (scanner.pendingBytes() > 0) {
                watcher.onUnreadable("the stream ended properly in the middle of a line");
            }
            end(EndReason.CLEAN);
        } else {
            onErrorEnd();
        }
    }

    private void onErrorEnd() {
        loop.lastError = "HTTP " + status + " " + errorBody.toString().strip();
        end(status == GONE ? EndReason.EXPIRED : EndReason.ERROR);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (errorBody != null && !over) {
            onErrorEnd();
        } else {
            end(EndReason.CUT);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            loop.lastError = cause.toString();
        }
        end(EndReason.CUT);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // there is nothing to do when a close fails
    private void end(EndReason reason) {
        if (over) {
            return;
        }
        over = true;
        end = reason;
        if (context != null) {
            context.close();
        }
        watcher.onEnd(this, end);
    }
}
