package io.watchfan.proxy.stream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;

/**
 * A stream written below the codec of its connection: the head and the end are the codec's, the body in between is ready-made
 * bytes. Where the channel is an epoll socket with nothing pending, they go straight to it; what the socket does not take, and
 * everything elsewhere, goes through Netty's outbound buffer, a unit at a time.
 *
 * <p>Confined to the channel's event loop.
 */
abstract class SocketStream implements ResponseStream {
    /** What Netty is given at a time, outside of the heap, of which there is less: all that a stuck client holds there. */
    private static final int PIECE_BYTES = 16 << 10;

    private final Channel channel;
    private final ChannelHandlerContext belowCodec;
    private final Socket socket;

    private Runnable onDrain = () -> {};
    private Rest rest;
    private boolean flushing;
    /** Whether it is known that nothing waits in Netty's outbound buffer. */
    private boolean isClear;

    private boolean inWrite;
    private boolean inPump;
    private Promise<Void> ending;
    private long handed;

    /**
     * @param belowCodec a context of the connection's pipeline; what is written to it passes the handlers below only
     * @param straight whether there is nothing below that must see the bytes (TLS), so that they may go to the socket itself
     */
    SocketStream(ChannelHandlerContext belowCodec, boolean straight) {
        this.channel = belowCodec.channel();
        this.belowCodec = belowCodec;
        this.socket = straight && channel instanceof EpollSocketChannel epoll ? (Socket) epoll.fd() : null;
    }

    @Override
    public boolean isWritable() {
        return rest == null && !flushing && ending == null && isOpen();
    }

    /** Asks what {@link #write} needs anyway: of ten thousand clients each object more is a miss of the cache. */
    private boolean isOpen() {
        return socket != null ? socket.isOpen() : channel.isActive();
    }

    @Override
    public int write(Frame frame, int fromUnit) {
        assert channel.eventLoop().inEventLoop() : "a stream belongs to its event loop";
        assert isWritable() : "not writable";
        int start = frame.start(fromUnit);
        int end = frame.length();
        int sent = 0;
        if (socket != null && (isClear || isNothingPending())) {
            isClear = true;
            try {
                sent = socket.sendAddress(frame.bytes().memoryAddress(), start, end);
            } catch (IOException e) {
                // Gone; the channel finds that out by itself, but need not be asked.
                cut();
                return frame.units();
            }
            handed += sent;
            if (sent == end - start) {
                return frame.units();
            }
        }
        isClear = false;
        int unit = frame.unitAt(start + sent);
        rest = frame.rest(unit, start + sent);
        inWrite = true;
        pump();
        inWrite = false;
        return unit + 1;
    }

    /** Whether nothing at all is on its way to the client. */
    final boolean isIdle() {
        return isWritable() && isNothingPending();
    }

    /** Something that is not of this stream is on its way through Netty. */
    final void otherWrites() {
        isClear = false;
    }

    private boolean isNothingPending() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return pending != null && pending.totalPendingWriteBytes() == 0;
    }

    /** Hands the rest to Netty, piece by piece, each when the last has gone out. */
    private void pump() {
        inPump = true;
        while (rest != null && !flushing) {
            ByteBuf next = rest.next(channel.alloc(), PIECE_BYTES);
            if (rest.isTaken()) {
                // What Netty has now need not be held twice: it may be for long.
                rest = null;
            }
            if (next == null) {
                break;
            }
            handed += next.readableBytes();
            flushing = true;
            ChannelFuture unused = belowCodec.writeAndFlush(next).addListener(done -> {
                flushing = false;
                if (!done.isSuccess()) {
                    rest = null;
                    cut();
                } else if (!inPump) {
                    pump();
                }
            });
        }
        inPump = false;
        if (rest == null && !flushing && !inWrite) {
            if (ending != null) {
                endNow();
            } else if (isOpen()) {
                onDrain.run();
            }
        }
    }

    @Override
    public void onDrain(Runnable action) {
        onDrain = action;
    }

    @Override
    public Future<Void> end() {
        if (ending == null) {
            ending = Promise.promise();
            if (rest == null && !flushing) {
                endNow();
            }
        }
        return ending.future();
    }

    private void endNow() {
        finish().onComplete(out -> {
            if (out.succeeded()) {
                ending.tryComplete();
            } else {
                ending.tryFail(out.cause());
            }
        });
    }

    /** Has the codec end the body; all of it has been handed over. */
    abstract Future<Void> finish();

    @Override
    public void abort() {
        rest = null;
        if (ending == null) {
            ending = Promise.promise();
        }
        ending.tryFail("cut");
        cut();
    }

    private void cut() {
        ResponseStreams.closeNow(channel);
    }

    @Override
    public long taken() {
        ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
        return pending == null ? handed : handed - pending.totalPendingWriteBytes() + pending.currentProgress();
    }
}
