package io.watchfan.loadtest.swarm;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.watchfan.loadtest.net.Transport;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One GET request with a small answer, for what must be known before the watchers start. Any thread. */
public final class HttpGet {
    private static final int MAX_BODY_BYTES = 256 << 20;
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

    private HttpGet() {}

    /** An answer. Immutable. */
    public record Answer(int status, String body) {}

    /**
     * Asks and waits for the answer.
     *
     * @param pathAndQuery what to ask for
     * @throws IOException when there is no complete answer in time
     */
    public static Answer get(Target target, String pathAndQuery, Duration timeout)
            throws IOException, InterruptedException {
        EventLoopGroup group = Transport.newGroup("get", 1);
        try {
            Exchange exchange = new Exchange(target.request(pathAndQuery));
            new Bootstrap()
                    .group(group)
                    .channel(Transport.clientChannel())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                    .handler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            if (target.ssl() != null) {
                                channel.pipeline()
                                        .addLast(
                                                target.ssl().newHandler(channel.alloc(), target.host(), target.port()));
                            }
                            channel.pipeline().addLast(exchange);
                        }
                    })
                    .connect(target.host(), target.port())
                    .addListener(done -> {
                        if (!done.isSuccess()) {
                            exchange.answer.completeExceptionally(done.cause());
                        }
                    });
            return exchange.answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            Throwable cause = e instanceof ExecutionException ? e.getCause() : e;
            throw new IOException(
                    "no answer from " + target.host() + ":" + target.port() + " to GET " + pathAndQuery + ": "
                            + (e instanceof TimeoutException ? "timed out" : cause.getMessage()),
                    cause);
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
    }

    private static final class Exchange extends ChannelInboundHandlerAdapter implements ResponseDecoder.Listener {
        final CompletableFuture<Answer> answer = new CompletableFuture<>();
        private final String request;
        private final ResponseDecoder decoder = new ResponseDecoder(this);
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private int status;

        Exchange(String request) {
            this.request = request;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is noticed there
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.writeAndFlush(Unpooled.copiedBuffer(request, StandardCharsets.ISO_8859_1));
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            try {
                byte[] bytes = new byte[buffer.readableBytes()];
                buffer.readBytes(bytes);
                decoder.feed(bytes, 0, bytes.length);
            } catch (IllegalStateException | NumberFormatException e) {
                answer.completeExceptionally(e);
            } finally {
                buffer.release();
            }
        }

        @Override
        public void onHead(int code) {
            status = code;
        }

        @Override
        public void onBody(byte[] bytes, int from, int to) {
            if (body.size() + to - from > MAX_BODY_BYTES) {
                throw new IllegalStateException("an answer of more than " + MAX_BODY_BYTES + " bytes");
            }
            body.write(bytes, from, to - from);
        }

        @Override
        public void onEnd() {
            answer.complete(new Answer(status, body.toString(StandardCharsets.UTF_8)));
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            answer.completeExceptionally(new IOException("the connection was closed before the answer was complete"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            answer.completeExceptionally(cause);
        }
    }
}
