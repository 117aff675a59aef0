package io.watchfan.loadtest.naive;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.EventExecutor;
import io.watchfan.loadtest.net.Transport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * One upstream watch of all pods, whose events are told to all clients, who get nothing else: no selectors, no
 * versions, no state. It does what an honest first attempt does: an event is parsed once, the clients are spread over
 * as many event loops as there are processors, and each client's copy is encoded by Jackson and written through the
 * HTTP codec. What it leaves out makes it faster, not slower.
 *
 * <p>The thread that reads upstream hands each event to each loop, and waits when so many have not been dealt with.
 */
public final class NaiveProxy {
    private static final int MAX_IN_FLIGHT = 1024;
    private static final int MAX_REQUEST_BYTES = 64 << 10;
    private static final int BACKLOG = 4096;

    private final ObjectMapper mapper = new ObjectMapper();
    private final EventLoopGroup group;
    private final List<LoopClients> loops = new ArrayList<>();

    private NaiveProxy(int eventLoops) {
        group = Transport.newGroup("naive", eventLoops);
        for (EventExecutor loop : group) {
            loops.add(new LoopClients((EventLoop) loop, mapper));
        }
    }

    /**
     * Serves until the upstream watch ends.
     *
     * @param listen where clients connect
     * @param admin where {@code /readyz} is asked for
     */
    public static void serve(URI upstream, InetSocketAddress listen, InetSocketAddress admin)
            throws IOException, InterruptedException {
        NaiveProxy proxy = new NaiveProxy(Runtime.getRuntime().availableProcessors());
        try (BufferedReader events = proxy.watch(upstream)) {
            proxy.bind(listen);
            proxy.bind(admin);
            proxy.follow(events);
        }
    }

    private BufferedReader watch(URI upstream) throws IOException, InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        JsonNode page = mapper.readTree(client.send(
                        HttpRequest.newBuilder(upstream.resolve("/api/v1/pods?limit=1"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body());
        String version = page.at("/metadata/resourceVersion").asText();
        HttpRequest request = HttpRequest.newBuilder(
                        upstream.resolve("/api/v1/pods?watch=1&timeoutSeconds=86400&resourceVersion=" + version))
                .build();
        return new BufferedReader(new InputStreamReader(
                client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body(), StandardCharsets.UTF_8));
    }

    private void bind(InetSocketAddress address) throws IOException {
        var bound = new ServerBootstrap()
                .group(group)
                .channel(Transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(MAX_REQUEST_BYTES))
                                .addLast(new NaiveConnection(clientsOf(channel.eventLoop())));
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
    }

    private LoopClients clientsOf(EventLoop loop) {
        return loops.stream()
                .filter(clients -> clients.loop() == loop)
                .findFirst()
                .orElseThrow();
    }

    private void follow(BufferedReader lines) throws IOException, InterruptedException {
        Semaphore room = new Semaphore(MAX_IN_FLIGHT);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonNode event = mapper.readTree(line);
            for (LoopClients clients : loops) {
                room.acquire();
                clients.loop().execute(() -> {
                    try {
                        clients.tell(event);
                    } finally {
                        room.release();
                    }
                });
            }
        }
    }
}
