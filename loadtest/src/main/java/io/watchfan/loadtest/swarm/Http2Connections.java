package io.watchfan.loadtest.swarm;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.watchfan.loadtest.net.Transport;
import java.util.ArrayList;
import java.util.List;

/**
 * The HTTP/2 connections of one event loop, without TLS and by prior knowledge, which watchers share as streams. A
 * connection is opened for the first watcher that needs it, and again after it was lost. Confined to the event loop.
 */
final class Http2Connections {
    private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
    private static final int STREAM_WINDOW_BYTES = 1 << 20;

    private final SwarmLoop loop;
    private final List<Future<Channel>> connections = new ArrayList<>();

    Http2Connections(SwarmLoop loop, int count) {
        this.loop = loop;
        for (int i = 0; i < count; i++) {
            connections.add(null);
        }
    }

    /** Opens a stream for a watcher on the connection that is its by its number. */
    @SuppressWarnings("FutureReturnValueIgnored") // it is the promise that is given
    Future<Http2StreamChannel> open(Target target, int watcher, ChannelHandler handler) {
        Promise<Http2StreamChannel> opened = loop.executor.newPromise();
        connection(target, watcher % connections.size()).addListener((Future<Channel> parent) -> {
            if (parent.isSuccess()) {
                new Http2StreamChannelBootstrap(parent.getNow())
                        .handler(handler)
                        .open(opened);
            } else {
                opened.setFailure(parent.cause());
            }
        });
        return opened;
    }

    private Future<Channel> connection(Target target, int index) {
        Future<Channel> known = connections.get(index);
        if (known != null
                && (!known.isDone() || (known.isSuccess() && known.getNow().isActive()))) {
            return known;
        }
        Promise<Channel> connected = loop.executor.newPromise();
        connections.set(index, connected);
        new Bootstrap()
                .group(loop.executor)
                .channel(Transport.clientChannel())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(Http2FrameCodecBuilder.forClient()
                                        .initialSettings(Http2Settings.defaultSettings()
                                                .pushEnabled(false)
                                                .initialWindowSize(STREAM_WINDOW_BYTES))
                                        .build())
                                .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()));
                    }
                })
                .connect(target.host(), target.port())
                .addListener((ChannelFuture done) -> {
                    if (done.isSuccess()) {
                        connected.setSuccess(done.channel());
                    } else {
                        connected.setFailure(done.cause());
                    }
                });
        return connected;
    }

    /** Closes all connections. */
    void close() {
        for (Future<Channel> connection : connections) {
            if (connection != null && connection.isSuccess()) {
                connection.getNow().close().addListener(done -> {});
            }
        }
    }
}
