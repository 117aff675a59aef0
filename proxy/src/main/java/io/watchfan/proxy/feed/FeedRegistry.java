package io.watchfan.proxy.feed;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.Discovery;
import io.watchfan.proxy.upstream.EncodingRefusedException;
import io.watchfan.proxy.upstream.ObjectEncoding;
import io.watchfan.proxy.upstream.TypeDefinition;
import io.watchfan.proxy.upstream.TypeDefinitions;
import io.watchfan.proxy.upstream.UnversionedException;
import io.watchfan.proxy.upstream.UpstreamClient;
import io.watchfan.proxy.upstream.UpstreamStatusException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The feeds there are: opened on demand, shared by all that ask at once, closed when idle. Bounded by
 * {@link FeedLimits#mostFeeds}. Safe for any thread.
 */
public final class FeedRegistry {
    /** What came of looking for a feed. */
    public sealed interface Lookup {
        /** A feed, acquired once for the caller. */
        record Found(ResourceFeed feed) implements Lookup {}

        /** No feed serves this; the reason is a metric label. */
        record NotServed(String reason) implements Lookup {}
    }

    private static final Logger LOG = LoggerFactory.getLogger(FeedRegistry.class);
    /** How long a resource that cannot be fed is left alone. */
    private static final long REFUSAL_MILLIS = 60_000;

    private static final int MOST_REFUSALS = 1000;
    private static final String FORBIDDEN = "forbidden";
    /** Why a feed in protobuf is not to be had: the API server does not have the resource in it, or we do not know how. */
    public static final String NO_PROTOBUF = "no_protobuf";

    private final Supplier<Context> contexts;
    private final FeedLimits limits;
    private final Discovery discovery;
    private final TypeDefinitions definitions;
    private final ResourceFeed.Shared shared;
    private final Vertx vertx;

    /** Guarded by itself, as is {@code refusals}. */
    private final Map<FeedKey, Future<Prepared>> preparing = new HashMap<>();

    private final Map<FeedKey, String> refusals = new HashMap<>();
    private final Map<FeedKey, ResourceFeed> feeds = new ConcurrentHashMap<>();
    private final AtomicInteger count = new AtomicInteger();

    /**
     * @param vertx the upstream instance
     * @param contexts gives a context of it for each new feed
     * @param feedClient the client of the feeds' watches
     * @param readClient the client of single reads
     * @param limits the bounds
     * @param metrics counts
     */
    public FeedRegistry(
            Vertx vertx,
            Supplier<Context> contexts,
            UpstreamClient feedClient,
            UpstreamClient readClient,
            FeedLimits limits,
            ProxyMetrics metrics) {
        this.vertx = vertx;
        this.contexts = contexts;
        this.limits = limits;
        this.discovery = new Discovery(readClient, System::nanoTime);
        this.definitions = new TypeDefinitions(readClient);
        this.shared = new ResourceFeed.Shared(vertx, feedClient, readClient, definitions, limits, metrics);
        vertx.setPeriodic(Math.max(100, Math.min(10_000, limits.idle().toMillis() / 4)), t -> closeIdle());
    }

    /**
     * The feed that serves {@code gvr}, opened if need be: that of the whole cluster where the proxy may read it, else that of
     * the namespace.
     *
     * @param namespace the namespace of the request's path; null when it has none. One that does not fit the resource is not
     *     served
     * @param encoding what its objects are to be in
     * @param resumeFrom the version that the request goes on from; 0 for none. A feed that is opened begins there if it can
     * @return fails when the API server cannot be asked what the resource is. Handlers may run on any thread
     */
    public Future<Lookup> find(GroupVersionResource gvr, String namespace, ObjectEncoding encoding, long resumeFrom) {
        FeedKey everywhere = new FeedKey(gvr, null, encoding);
        ResourceFeed open = acquired(everywhere);
        if (open == null && namespace != null) {
            open = acquired(new FeedKey(gvr, namespace, encoding));
        }
        if (open != null) {
            return Future.succeededFuture(served(open, namespace, resumeFrom));
        }
        String refusal = refusal(everywhere);
        boolean narrow =
                limits.namespaced() && namespace != null && (!limits.clusterWide() || FORBIDDEN.equals(refusal));
        FeedKey key = narrow ? new FeedKey(gvr, namespace, encoding) : everywhere;
        return prepare(key).map(prepared -> {
            if (prepared.refusal() != null) {
                return new Lookup.NotServed(prepared.refusal());
            }
            if (namespace != null && !prepared.resource().namespaced()) {
                return new Lookup.NotServed("no_namespaces");
            }
            if (!narrow && !limits.clusterWide() && prepared.resource().namespaced()) {
                return new Lookup.NotServed("scope");
            }
            return open(key, prepared.resource(), prepared.definition(), resumeFrom);
        });
    }

    private ResourceFeed acquired(FeedKey key) {
        ResourceFeed feed = feeds.get(key);
        return feed != null && feed.ended() == null && feed.acquire() ? feed : null;
    }

    private String refusal(FeedKey key) {
        synchronized (preparing) {
            return refusals.get(key);
        }
    }

    /** What must be known of a resource before a feed of it can be opened, or why there cannot be one. */
    private record Prepared(ApiResource resource, TypeDefinition definition, String refusal) {
        static Prepared refused(String reason) {
            return new Prepared(null, null, reason);
        }
    }

    /** Finds out about a resource; once, for all that ask meanwhile. */
    private Future<Prepared> prepare(FeedKey key) {
        Promise<Prepared> promise;
        synchronized (preparing) {
            String refusal = refusals.get(key);
            if (refusal != null) {
                return Future.succeededFuture(Prepared.refused(refusal));
            }
            Future<Prepared> underWay = preparing.get(key);
            if (underWay != null) {
                return underWay;
            }
            promise = Promise.promise();
            preparing.put(key, promise.future());
        }
        discovery
                .find(key.gvr())
                .compose(resource -> {
                    if (resource == null) {
                        return Future.succeededFuture(Prepared.refused("unknown_resource"));
                    }
                    if (!resource.isWatchable()) {
                        return Future.succeededFuture(Prepared.refused("not_watchable"));
                    }
                    return definitions
                            .of(resource)
                            .map(definition -> ResourceFeed.canBe(key, resource, definition)
                                    ? new Prepared(resource, definition, null)
                                    : Prepared.refused(NO_PROTOBUF));
                })
                .onComplete(done -> {
                    synchronized (preparing) {
                        preparing.remove(key);
                    }
                    promise.handle(done);
                });
        return promise.future();
    }

    /**
     * Opens a feed by the name of its resource, in the version that the API server prefers, and keeps it acquired.
     *
     * @param namespace the only namespace it feeds; null for all
     * @return the feed once it is listed; fails when it cannot be opened now
     */
    public Future<ResourceFeed> keep(String resource, String group, String namespace) {
        return discovery
                .preferredVersion(group)
                .map(version ->
                        new FeedKey(new GroupVersionResource(group, version, resource), namespace, ObjectEncoding.JSON))
                .compose(key -> prepare(key)
                        .compose(prepared -> prepared.refusal() != null
                                ? Future.failedFuture(prepared.refusal())
                                : Future.succeededFuture(open(key, prepared.resource(), prepared.definition(), 0))))
                .compose(lookup -> {
                    if (!(lookup instanceof Lookup.Found found)) {
                        return Future.failedFuture(((Lookup.NotServed) lookup).reason());
                    }
                    ResourceFeed feed = found.feed();
                    return feed.whenListed().map(state -> feed).onFailure(e -> {
                        feed.release();
                        if (feed.ended() != null) {
                            remove(feed);
                        }
                    });
                });
    }

    private static Lookup served(ResourceFeed feed, String namespace, long resumeFrom) {
        if (namespace != null && !feed.resource().namespaced()) {
            feed.release();
            return new Lookup.NotServed("no_namespaces");
        }
        feed.beginNoLaterThan(resumeFrom);
        return new Lookup.Found(feed);
    }

    private Lookup open(FeedKey key, ApiResource resource, TypeDefinition definition, long resumeFrom) {
        while (true) {
            ResourceFeed feed = feeds.get(key);
            if (feed == null) {
                if (count.incrementAndGet() > limits.mostFeeds() && !closeOneUnused()) {
                    count.decrementAndGet();
                    return new Lookup.NotServed("too_many_feeds");
                }
                if (bytes() > limits.mostBytes() && !closeOneUnused()) {
                    count.decrementAndGet();
                    return new Lookup.NotServed("memory");
                }
                ResourceFeed fresh = new ResourceFeed(key, resource, definition, contexts.get(), shared);
                boolean acquired = fresh.acquire();
                assert acquired;
                if (feeds.putIfAbsent(key, fresh) != null) {
                    count.decrementAndGet();
                } else {
                    LOG.info("feed opened resource={}", key);
                    fresh.start(resumeFrom);
                    return new Lookup.Found(fresh);
                }
            } else if (feed.ended() == null && feed.acquire()) {
                feed.beginNoLaterThan(resumeFrom);
                return new Lookup.Found(feed);
            } else {
                remove(feed);
            }
        }
    }

    /**
     * A feed that has ended serves nobody any more; the next request begins anew.
     *
     * @return whether it ended because the proxy may not read the whole cluster, so that its namespaces may be tried
     */
    public boolean remove(ResourceFeed feed) {
        if (feeds.remove(feed.key(), feed)) {
            String refusal = refusalFor(feed.ended());
            if (refusal != null) {
                refuse(feed.key(), refusal);
            }
            count.decrementAndGet();
            discovery.forget(feed.key().gvr());
            feed.stop();
            LOG.info("feed closed resource={}", feed.key());
        }
        return limits.namespaced()
                && feed.key().namespace() == null
                && feed.ended() instanceof UpstreamStatusException refusal
                && refusal.code() == 403;
    }

    /** Why a resource is not to be tried again for a while, by what its feed ended of; null when it may be. */
    private static String refusalFor(Throwable ended) {
        if (ended instanceof UnversionedException) {
            return "unversioned";
        }
        if (ended instanceof EncodingRefusedException) {
            return NO_PROTOBUF;
        }
        int code = ended instanceof UpstreamStatusException refusal ? refusal.code() : 0;
        return code == 405 ? "not_watchable" : code == 403 ? FORBIDDEN : null;
    }

    private void refuse(FeedKey key, String reason) {
        synchronized (preparing) {
            if (refusals.size() < MOST_REFUSALS && refusals.put(key, reason) == null) {
                LOG.info("not fed for a while resource={} reason={}", key, reason);
                vertx.setTimer(REFUSAL_MILLIS, t -> {
                    synchronized (preparing) {
                        refusals.remove(key);
                    }
                });
            }
        }
    }

    private void closeIdle() {
        for (ResourceFeed feed : feeds.values()) {
            if (feed.ended() != null) {
                remove(feed);
            } else if (feed.isIdleFor(limits.idle()) && feed.closeIfUnused()) {
                forget(feed, "idle");
            }
        }
    }

    private boolean closeOneUnused() {
        for (ResourceFeed feed : feeds.values()) {
            if (feed.closeIfUnused()) {
                forget(feed, "room for another");
                return true;
            }
        }
        return false;
    }

    private void forget(ResourceFeed feed, String why) {
        if (feeds.remove(feed.key(), feed)) {
            count.decrementAndGet();
            LOG.info("feed closed resource={} reason={}", feed.key(), why);
        }
    }

    /** The serialized bytes of the state and windows of all feeds, about. */
    public long bytes() {
        return feeds.values().stream().mapToLong(ResourceFeed::heldBytes).sum();
    }

    /** How many upstream watches are open. */
    public int upstreamWatches() {
        return (int) feeds.values().stream().filter(ResourceFeed::isWatching).count();
    }

    /** The feeds there are; a view. */
    public Collection<ResourceFeed> all() {
        return feeds.values();
    }

    /** Stops all feeds, at the end of the process. */
    public void stopAll() {
        feeds.values().forEach(ResourceFeed::stop);
        feeds.clear();
    }
}
