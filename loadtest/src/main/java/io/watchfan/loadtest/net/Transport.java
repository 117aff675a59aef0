package io.watchfan.loadtest.net;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;

/** Epoll where there is one, else NIO. */
public final class Transport {
    private static final boolean EPOLL = Epoll.isAvailable();

    private Transport() {}

    /** Event loops on daemon threads with a name. */
    public static EventLoopGroup newGroup(String name, int loops) {
        return new MultiThreadIoEventLoopGroup(
                loops,
                new DefaultThreadFactory(name, true),
                EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    public static Class<? extends ServerChannel> serverChannel() {
        return EPOLL ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    public static Class<? extends Channel> clientChannel() {
        return EPOLL ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** What is in use, for reports. */
    public static String name() {
        return EPOLL ? "epoll" : "nio";
    }
}
