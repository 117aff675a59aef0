package io.watchfan.proxy;

import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.LogLimits;
import io.watchfan.proxy.config.FeedSpec;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.config.ScopeMode;
import io.watchfan.proxy.feed.FeedLimits;
import io.watchfan.proxy.feed.FeedRegistry;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.metrics.AdminServer;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.passthrough.PassthroughHandler;
import io.watchfan.proxy.upstream.UpstreamClient;
import io.watchfan.proxy.upstream.UpstreamClients;
import io.watchfan.proxy.upstream.UpstreamTarget;
import io.watchfan.proxy.watch.FeedRequests;
import io.watchfan.proxy.watch.LoopDispatcher;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The assembly: two Vert.x instances, one whose event loops serve clients, one whose event loops run the feeds, so that
 * decoding an upstream burst does not stall clients, nor a slow pass an upstream.
 */
public final class ProxyServer {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyServer.class);
    private static final int BACKLOG = 4096;
    private static final int SEND_BUFFER_BYTES = 128 << 10;
    private static final long RETRY_MILLIS = 1000;
    /** What is left after the grace period may hold up the end for so long. */
    private static final long CLOSE_SECONDS = 1;
    /** A connection on which no request has come whole within so long is closed, as the API server does. */
    private static final long HEAD_MILLIS = 32_000;

    private final ProxyConfig config;
    private final Vertx serving;
    private final Vertx feeding;
    private final ProxyMetrics metrics = new ProxyMetrics();
    private final UpstreamClients clients;
    private final FeedRegistry feeds;
    private final List<Context> feedContexts = new CopyOnWriteArrayList<>();
    private final AtomicInteger nextFeedContext = new AtomicInteger();
    private final List<Loop> loops = new CopyOnWriteArrayList<>();
    private final Set<FeedSpec> feedsToCome = ConcurrentHashMap.newKeySet();
    private final AdminServer admin;
    private volatile boolean upstreamAnswered;
    private volatile boolean ready;
    private volatile boolean draining;

    /** What belongs to one event loop. */
    private record Loop(Context context, LoopDispatcher dispatcher, RequestRouter router, HttpServer server) {}

    /** Assembles the process; nothing is started. */
    public ProxyServer(ProxyConfig config, UpstreamTarget target) {
        this.config = config;
        int cores = Runtime.getRuntime().availableProcessors();
        this.serving = vertx(cores);
        this.feeding = vertx(Math.max(1, cores / 2));
        this.clients = new UpstreamClients(target, config, feeding, serving);
        LogLimits window = new LogLimits(
                config.window().events(),
                config.window().bytes(),
                config.window().age().toNanos());
        this.feeds = new FeedRegistry(
                feeding,
                this::nextFeedContext,
                clients.feeds(),
                clients.reads(),
                new FeedLimits(
                        window,
                        config.memoryBytes(),
                        config.scope() != ScopeMode.NAMESPACE,
                        config.scope() != ScopeMode.CLUSTER,
                        config.maxFeeds(),
                        config.feedIdle(),
                        config.upstreamTimeout()),
                metrics);
        this.feedsToCome.addAll(config.feeds());
        this.admin = new AdminServer(
                serving, config.admin().host(), config.admin().port(), metrics, this::missing, this::statusLines);
        metrics.feeds(feeds, registry -> registry.all().size());
        metrics.cacheBytes(feeds, FeedRegistry::bytes);
        metrics.upstreamWatches(feeds, FeedRegistry::upstreamWatches);
    }

    private static Vertx vertx(int eventLoops) {
        return Vertx.vertx(new VertxOptions().setPreferNativeTransport(true).setEventLoopPoolSize(eventLoops));
    }

    private Context nextFeedContext() {
        return feedContexts.get(Math.floorMod(nextFeedContext.getAndIncrement(), feedContexts.size()));
    }

    /** Listens; fails when it cannot. An API server that cannot be reached is no failure: it is asked again. */
    public Future<Void> start() {
        int feedLoops = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        return feeding.deployVerticle(FeedLoop::new, new DeploymentOptions().setInstances(feedLoops))
                .compose(v -> serving.deployVerticle(
                        ServingLoop::new,
                        new DeploymentOptions()
                                .setInstances(Runtime.getRuntime().availableProcessors())))
                .compose(v -> admin.start())
                .onSuccess(v -> {
                    LOG.info("listening address={} admin={}", config.listen(), config.admin());
                    askUpstream();
                })
                .mapEmpty();
    }

    /** Remembers the context of one event loop of the feeds. */
    private final class FeedLoop extends VerticleBase {
        @Override
        public Future<?> start() {
            feedContexts.add(context);
            return Future.succeededFuture();
        }
    }

    /** One event loop that serves clients. */
    private final class ServingLoop extends VerticleBase {
        private LoopDispatcher dispatcher;

        @Override
        public Future<?> stop() {
            dispatcher.close();
            return Future.succeededFuture();
        }

        @Override
        public Future<?> start() {
            dispatcher = new LoopDispatcher(vertx, context, metrics, config.bookmarkInterval(), config.writeTimeout());
            PassthroughHandler passthrough = new PassthroughHandler(vertx, clients, config, metrics);
            FeedRequests requests =
                    new FeedRequests(context, dispatcher, feeds, passthrough::handle, metrics, config.requestTimeout());
            RequestRouter router = new RequestRouter(config, requests, passthrough, metrics);
            HttpServer server = vertx.createHttpServer(PassthroughHandler.serverOptions(new HttpServerOptions())
                    .setHost(config.listen().host())
                    .setPort(config.listen().port())
                    .setAcceptBacklog(BACKLOG)
                    .setSendBufferSize(SEND_BUFFER_BYTES)
                    .setReuseAddress(true));
            loops.add(new Loop(context, dispatcher, router, server));
            Set<HttpConnection> silent = Collections.newSetFromMap(new IdentityHashMap<>());
            server.connectionHandler(connection -> {
                silent.add(connection);
                long timer = vertx.setTimer(HEAD_MILLIS, t -> {
                    if (silent.remove(connection)) {
                        connection.close();
                    }
                });
                connection.closeHandler(v -> {
                    silent.remove(connection);
                    vertx.cancelTimer(timer);
                });
            });
            return server.requestHandler(request -> {
                        silent.remove(request.connection());
                        router.handle(request);
                    })
                    .invalidRequestHandler(HttpServerRequest.DEFAULT_INVALID_REQUEST_HANDLER)
                    .listen();
        }
    }

    // ---- readiness

    /** Asks until the API server has answered once with our credential, and then for the feeds that are to be kept. */
    private void askUpstream() {
        if (draining) {
            return;
        }
        clients.reads().get("/api", 10_000).map(UpstreamClient.Answer::code).onComplete(answer -> {
            boolean answered = answer.succeeded() && answer.result() != 401 && answer.result() < 500;
            if (!answered) {
                LOG.warn(
                        "the API server has not answered yet; asked again address={} reason={}",
                        clients.target(),
                        answer.succeeded()
                                ? "status " + answer.result()
                                : answer.cause().getMessage());
                if (answer.succeeded() && answer.result() == 401) {
                    clients.reloadCredentials();
                }
                serving.setTimer(RETRY_MILLIS, t -> askUpstream());
                return;
            }
            LOG.info("the API server has answered address={}", clients.target());
            upstreamAnswered = true;
            config.feeds().forEach(this::keep);
        });
    }

    /** Opens a feed and keeps it open; one that ends is opened again. */
    private void keep(FeedSpec spec) {
        if (draining) {
            return;
        }
        String namespace = spec.namespace().isEmpty() ? null : spec.namespace();
        feeds.keep(spec.resource(), spec.group(), namespace).onComplete(kept -> {
            if (kept.succeeded()) {
                feedsToCome.remove(spec);
                serving.setPeriodic(RETRY_MILLIS, timer -> {
                    if (kept.result().ended() != null) {
                        serving.cancelTimer(timer);
                        kept.result().release();
                        feeds.remove(kept.result());
                        keep(spec);
                    }
                });
            } else if (!draining) {
                LOG.warn(
                        "feed not in sync yet; tried again feed={} reason={}",
                        spec,
                        kept.cause().getMessage());
                serving.setTimer(RETRY_MILLIS, t -> keep(spec));
            }
        });
    }

    /**
     * What is missing for readiness; empty when nothing is. Once ready, only draining withdraws it: trouble upstream must not
     * take every replica out of service.
     */
    private List<String> missing() {
        if (draining) {
            return List.of("draining");
        }
        if (!ready) {
            List<String> missing = new ArrayList<>();
            if (!upstreamAnswered) {
                missing.add("the API server has not answered yet");
            }
            feedsToCome.forEach(feed -> missing.add("feed " + feed + " is not in sync"));
            ready = missing.isEmpty();
            return missing;
        }
        return List.of();
    }

    private List<String> statusLines() {
        List<String> lines = new ArrayList<>();
        lines.add("upstream " + clients.target());
        lines.add("watchers " + metrics.watcherCount());
        feeds.all().forEach(feed -> lines.add(describe(feed)));
        return lines;
    }

    private static String describe(ResourceFeed feed) {
        FeedState state = feed.state();
        String what = state == null
                ? "not listed yet"
                : "resourceVersion " + state.position().resourceVersion() + ", "
                        + state.position().objects().size() + " objects, window from "
                        + state.window().oldest() + " with " + state.window().events() + " events, "
                        + Math.max(0, feed.users()) + " users";
        String trouble = feed.trouble();
        return "feed " + feed.key() + ": " + what + (trouble == null ? "" : ", trouble: " + trouble);
    }

    // ---- the end

    /** Whether nothing is being sent to anybody, nor waited for. */
    private boolean isIdle() {
        return metrics.waitingCount() == 0
                && metrics.watcherCount() == 0
                && metrics.listCount() == 0
                && metrics.passthroughCount() == 0;
    }

    /** Ends all streams cleanly, spread over the grace period, and then the process' work. Never fails. */
    public Future<Void> drainAndStop() {
        draining = true;
        LOG.info("draining watchers={} grace={}", metrics.watcherCount(), config.drainGrace());
        for (Loop loop : loops) {
            loop.context().runOnContext(v -> {
                loop.router().drain();
                loop.dispatcher().drain(config.drainGrace());
            });
        }
        Promise<Void> ended = Promise.promise();
        long untilNanos = System.nanoTime() + config.drainGrace().toNanos();
        serving.setPeriodic(50, timer -> {
            if (isIdle() || System.nanoTime() - untilNanos > 0) {
                serving.cancelTimer(timer);
                ended.tryComplete();
            }
        });
        return ended.future()
                .compose(v -> {
                    feeds.stopAll();
                    return clients.closeAll();
                })
                .transform(v -> admin.stop())
                .transform(v -> feeding.close().timeout(CLOSE_SECONDS, TimeUnit.SECONDS))
                .transform(v -> serving.close().timeout(CLOSE_SECONDS, TimeUnit.SECONDS))
                .onComplete(v -> metrics.close())
                .otherwiseEmpty();
    }
}
