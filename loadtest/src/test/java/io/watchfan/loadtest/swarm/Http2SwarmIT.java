package io.watchfan.loadtest.swarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.util.ReferenceCountUtil;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.net.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watchers as streams of shared connections. */
@Timeout(60)
class Http2SwarmIT {
    private static final String FROM = "resourceVersion=";

    private final EventLoopGroup group = Transport.newGroup("http2-server", 1);
    private final Set<Channel> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger requests = new AtomicInteger();

    /** Answers each request with one event, in two frames, and ends only the streams from version 1. */
    private final class Answer extends ChannelInboundHandlerAdapter {
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // what is lost is missed
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (message instanceof Http2HeadersFrame frame) {
                connections.add(ctx.channel().parent());
                requests.incrementAndGet();
                String path = frame.headers().path().toString();
                int at = path.indexOf(FROM) + FROM.length();
                long from = Long.parseLong(path.substring(at, path.indexOf('&', at)));
                String event = "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\""
                        + (from + 1) + "\"}}}\n";
                ctx.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
                ctx.write(data(event.substring(0, 30), false));
                ctx.writeAndFlush(data(event.substring(30), from == 1));
            }
            ReferenceCountUtil.release(message);
        }

        private DefaultHttp2DataFrame data(String text, boolean end) {
            return new DefaultHttp2DataFrame(Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII), end);
        }
    }

    private URI serve() {
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(Transport.serverChannel())
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        Http2FrameCodecBuilder.forServer().build(),
                                        new Http2MultiplexHandler(new ChannelInitializer<Channel>() {
                                            @Override
                                            protected void initChannel(Channel stream) {
                                                stream.pipeline().addLast(new Answer());
                                            }
                                        }));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
        return URI.create("http://127.0.0.1:" + ((InetSocketAddress) listener.localAddress()).getPort());
    }

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static WatcherSwarm swarm(URI server, int watchers, int connections, long from) {
        return new WatcherSwarm(
                Target.of(server, "/api/v1/pods"),
                IntStream.range(0, watchers)
                        .mapToObj(id -> new WatcherProfile(id, Scope.EVERYTHING, Pace.FAST, false))
                        .toList(),
                from,
                Expectations.ofEvents(null, Strictness.EXACT),
                new SwarmTuning(2, 64, 300, connections),
                1,
                null);
    }

    @Test
    void shouldShareConnectionsAndReadEachStream() throws Exception {
        try (WatcherSwarm swarm = swarm(serve(), 40, 4, 5)) {
            swarm.start();

            assertThat(swarm.awaitStreaming(Duration.ofSeconds(20))).isTrue();
            await().atMost(Duration.ofSeconds(20)).until(() -> swarm.stats().events() == 40);
            assertThat(connections).hasSize(4);
            assertThat(requests).hasValue(40);
            assertThat(swarm.violations().first()).isEmpty();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> connections.stream().noneMatch(Channel::isActive));
    }

    @Test
    void shouldGoOnWhereAStreamEnded() throws Exception {
        try (WatcherSwarm swarm = swarm(serve(), 6, 2, 1)) {
            swarm.start();

            await().atMost(Duration.ofSeconds(20)).until(() -> swarm.stats().events() == 12);
            assertThat(swarm.stats().endedClean()).isEqualTo(6);
            assertThat(swarm.violations().first()).isEmpty();
        }
    }

    @Test
    void shouldConnectAgainWhenAConnectionIsLost() throws Exception {
        try (WatcherSwarm swarm = swarm(serve(), 6, 2, 5)) {
            swarm.start();
            await().atMost(Duration.ofSeconds(20)).until(() -> swarm.stats().events() == 6);

            connections.forEach(connection -> connection.close().addListener(done -> {}));

            await().atMost(Duration.ofSeconds(20)).until(() -> swarm.stats().events() == 12);
            assertThat(swarm.stats().endedCut()).isEqualTo(6);
            assertThat(connections).hasSize(4);
        }
    }
}
