package io.watchfan.loadtest.apiserver;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.watchfan.loadtest.net.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A simulated Kubernetes API server: pods, config maps, namespaces, nodes and one custom resource, with lists, watches
 * and writes over HTTP/1.1, changes at planned times and faults on order.
 *
 * <p>One event loop serves everything and owns all state; public methods may be called by any thread. A change that is
 * carried out late is counted from the time it was due, and its lateness is recorded.
 */
public final class SimulatedApiServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SimulatedApiServer.class);
    private static final int MAX_BODY_BYTES = 4 << 20;
    private static final int MAX_HEADER_BYTES = 64 << 10;
    /** Others have their turn between so many changes that are due. */
    private static final int MAX_CHANGES_PER_TURN = 1000;

    private static final int BACKLOG = 8192;
    private static final long BOOKMARK_CHECK_MILLIS = 250;
    private static final long CLOSE_TIMEOUT_SECONDS = 5;
    private static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(64 << 10, 128 << 10);

    private final EventLoopGroup group;
    private final SimulatedCluster cluster;
    private final PodChurn churn;
    private final ChannelGroup connections;
    private final Channel listener;
    private final Histogram lateness = new ConcurrentHistogram(TimeUnit.MINUTES.toNanos(10), 3);

    // Confined to the event loop.
    private boolean churning;
    private int refusing;
    private int stalling;
    private final RequestFaults faults;

    private SimulatedApiServer(
            ClusterSpec spec, InetSocketAddress address, ChangeListener changes, RequestListener requests)
            throws IOException {
        SplittableRandom random = new SplittableRandom(spec.seed());
        PodFactory factory = new PodFactory(random, spec.namespaces(), spec.nodes());
        cluster = new SimulatedCluster(spec.maxHistory(), changes);
        load(spec, factory);
        churn = new PodChurn(cluster, factory);
        group = Transport.newGroup("apiserver", 1);
        connections = new DefaultChannelGroup(group.next());
        faults = new RequestFaults(spec.seed());
        RequestHandler handler = new RequestHandler(
                cluster, group.next(), spec.bookmarkInterval().toNanos(), spec.seed(), faults, requests);
        listener = bind(address, handler);
        group.next()
                .scheduleWithFixedDelay(
                        () -> cluster.tellBookmarks(System.nanoTime()),
                        BOOKMARK_CHECK_MILLIS,
                        BOOKMARK_CHECK_MILLIS,
                        TimeUnit.MILLISECONDS)
                .addListener(done -> {
                    if (!done.isCancelled() && done.cause() != null) {
                        LOG.error("bookmarks stopped", done.cause());
                    }
                });
    }

    /**
     * Starts a server.
     *
     * @param address where to listen; port 0 for any
     * @param changes hears of every object at the start, and of every change
     */
    public static SimulatedApiServer start(ClusterSpec spec, InetSocketAddress address, ChangeListener changes)
            throws IOException {
        return start(spec, address, changes, RequestListener.NONE);
    }

    /**
     * Starts a server.
     *
     * @param address where to listen; port 0 for any
     * @param changes hears of every object at the start, and of every change
     * @param requests hears of what clients ask for
     */
    public static SimulatedApiServer start(
            ClusterSpec spec, InetSocketAddress address, ChangeListener changes, RequestListener requests)
            throws IOException {
        return new SimulatedApiServer(spec, address, changes, requests);
    }

    private void load(ClusterSpec spec, PodFactory factory) {
        for (int i = 0; i < spec.namespaces(); i++) {
            cluster.load(ResourceType.NAMESPACES, factory.namespace(i));
            cluster.load(ResourceType.CONFIG_MAPS, factory.configMap(i));
        }
        for (int i = 0; i < spec.nodes(); i++) {
            cluster.load(ResourceType.NODES, factory.node(i));
        }
        for (int i = 0; i < 10; i++) {
            cluster.load(ResourceType.WIDGETS, factory.widget(i));
        }
        for (int i = 0; i < spec.pods(); i++) {
            cluster.load(ResourceType.PODS, factory.runningPod(i));
        }
        cluster.loaded();
    }

    private Channel bind(InetSocketAddress address, RequestHandler handler) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(Transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, handler);
                    }
                });
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            closeGroup();
            throw new IOException(
                    "cannot listen on " + address + ": " + bound.cause().getMessage(), bound.cause());
        }
        return bound.channel();
    }

    private void accept(Channel channel, RequestHandler handler) {
        if (refusing > 0) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
            channel.pipeline().addLast(new ClosedAtOnce());
            return;
        }
        connections.add(channel);
        channel.pipeline()
                .addLast(new HttpServerCodec(new HttpDecoderConfig()
                        .setMaxInitialLineLength(MAX_HEADER_BYTES)
                        .setMaxHeaderSize(MAX_HEADER_BYTES)))
                .addLast(new HttpObjectAggregator(MAX_BODY_BYTES))
                .addLast(new ApiConnection(handler));
    }

    /** Closes a connection as soon as it is there. */
    private static final class ClosedAtOnce extends ChannelInboundHandlerAdapter {
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // there is nothing to do when a close fails
        public void channelActive(ChannelHandlerContext ctx) {
            ctx.close();
        }
    }

    /** Where the server listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** The server's address as a URL without a path. */
    public String url() {
        return "http://" + address().getHostString() + ":" + address().getPort();
    }

    /** Begins to carry out a schedule of changes from now on. */
    public void startChurn(ChurnSchedule schedule) {
        long start = System.nanoTime();
        group.next().execute(() -> {
            churning = true;
            scheduleChurn(schedule, start);
        });
    }

    /** Ends all schedules of changes; what is due later does not happen. Returns when that is so. */
    public void stopChurn() {
        group.next().submit(() -> churning = false).awaitUninterruptibly();
    }

    private void scheduleChurn(ChurnSchedule schedule, long startNanos) {
        long delay = startNanos + schedule.nextOffsetNanos() - System.nanoTime();
        onLoop(() -> runChurn(schedule, startNanos), delay);
    }

    private void runChurn(ChurnSchedule schedule, long startNanos) {
        long now = System.nanoTime();
        while (churning && startNanos + schedule.nextOffsetNanos() - now <= 0) {
            PlannedChange change = schedule.next();
            long planned = startNanos + change.offsetNanos();
            lateness.recordValue(Math.min(System.nanoTime() - planned, lateness.getHighestTrackableValue()));
            churn.apply(change, planned);
        }
        cluster.tellWatches();
        if (churning) {
            scheduleChurn(schedule, startNanos);
        }
    }

    /**
     * Carries out so many changes of a schedule from now on, and no more.
     *
     * @return the version of the last one, once the watches have been told of it
     */
    public CompletableFuture<Long> carryOut(ChurnSchedule schedule, long changes) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        long start = System.nanoTime();
        onLoop(() -> carryOutGuarded(schedule, start, changes, done), 0);
        return done;
    }

    private void carryOutGuarded(ChurnSchedule schedule, long startNanos, long changes, CompletableFuture<Long> done) {
        try {
            carryOutSome(schedule, startNanos, changes, done);
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
    }

    private void carryOutSome(ChurnSchedule schedule, long startNanos, long changes, CompletableFuture<Long> done) {
        long now = System.nanoTime();
        long left = changes;
        for (int i = 0; i < MAX_CHANGES_PER_TURN && left > 0 && startNanos + schedule.nextOffsetNanos() <= now; i++) {
            PlannedChange change = schedule.next();
            long planned = startNanos + change.offsetNanos();
            lateness.recordValue(
                    Math.max(0, Math.min(System.nanoTime() - planned, lateness.getHighestTrackableValue())));
            churn.apply(change, planned);
            left--;
        }
        cluster.tellWatches();
        if (left == 0) {
            done.complete(cluster.version());
        } else {
            long rest = left;
            long delay = startNanos + schedule.nextOffsetNanos() - System.nanoTime();
            onLoop(() -> carryOutGuarded(schedule, startNanos, rest, done), delay);
        }
    }

    /** Lets the faults of a plan happen from now on. */
    public void startFaults(FaultPlan plan) {
        long start = System.nanoTime();
        group.next().execute(() -> scheduleFaults(plan, start));
    }

    private void scheduleFaults(FaultPlan plan, long startNanos) {
        if (plan.nextOffsetNanos() == Long.MAX_VALUE) {
            return;
        }
        onLoop(
                () -> {
                    plan.due(System.nanoTime() - startNanos).forEach(this::happen);
                    scheduleFaults(plan, startNanos);
                },
                startNanos + plan.nextOffsetNanos() - System.nanoTime());
    }

    private void happen(Fault fault) {
        LOG.info("fault: {}", fault);
        switch (fault.kind()) {
            case CUT -> cut();
            case EXPIRE -> cluster.expireAll();
            case STALL -> {
                stalling++;
                cluster.setStalled(true);
                onLoop(() -> cluster.setStalled(--stalling > 0), fault.lengthNanos());
            }
            case REFUSE -> {
                refusing++;
                cut();
                onLoop(() -> refusing--, fault.lengthNanos());
            }
            case ERRORS -> {
                faults.beginErrors();
                onLoop(faults::endErrors, fault.lengthNanos());
            }
            case GARBAGE -> {
                forEachConnection(connection -> connection.spoilWatch(faults.line()));
                faults.beginGarbage();
                onLoop(faults::endGarbage, fault.lengthNanos());
            }
        }
    }

    private void cut() {
        forEachConnection(ApiConnection::cutWatch);
    }

    private void forEachConnection(Consumer<ApiConnection> action) {
        for (Channel channel : connections) {
            ApiConnection connection = channel.pipeline().get(ApiConnection.class);
            if (connection != null) {
                action.accept(connection);
            }
        }
    }

    private void onLoop(Runnable task, long delayNanos) {
        group.next()
                .schedule(task, Math.max(0, delayNanos), TimeUnit.NANOSECONDS)
                .addListener(done -> {
                    if (!done.isCancelled() && done.cause() != null) {
                        LOG.error("a planned task failed", done.cause());
                    }
                });
    }

    /** How many changes there were since the start. */
    public long changeCount() {
        return cluster.changeCount();
    }

    /** How many changes were sent as events, over all watches; a little behind. */
    public long sentCount() {
        return cluster.sentCount();
    }

    /** How many watches are open now. */
    public int openWatches() {
        return cluster.openWatches();
    }

    /** How many clients are connected now. */
    public int openConnections() {
        return connections.size();
    }

    /** How late changes were carried out so far, in nanoseconds. */
    public Histogram latenessNanos() {
        return lateness.copy();
    }

    @Override
    public void close() {
        listener.close().awaitUninterruptibly(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        connections.close().awaitUninterruptibly(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        closeGroup();
    }

    private void closeGroup() {
        group.shutdownGracefully(0, CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
}
