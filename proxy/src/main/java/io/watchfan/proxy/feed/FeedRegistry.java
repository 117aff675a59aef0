package io.watchfan.proxy.feed;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.Discovery;
import io.watchfan.proxy.upstream.SelectableFieldsSource;
import io.watchfan.proxy.upstream.UpstreamClient;
import java.util.Collection;
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

    private final Supplier<Context> contexts;
    private final FeedLimits limits;
    private final Discovery discovery;
    private final SelectableFieldsSource fieldsSource;
    private final ResourceFeed.Shared shared;
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
        this.contexts = contexts;
        this.limits = limits;
        this.discovery = new Discovery(readClient, System::nanoTime);
        this.fieldsSource = new SelectableFieldsSource(readClient);
        this.shared = new ResourceFeed.Shared(vertx, feedClient, readClient, limits, metrics);
        vertx.setPeriodic(Math.max(100, Math.min(10_000, limits.idle().toMillis() / 4)), t -> closeIdle());
    }

    /**
     * The feed that serves {@code gvr}, opened if need be.
     *
     * @param namespaced whether the request's path has a namespace; one that does not fit the resource is not served
     * @return fails when the API server cannot be asked what the resource is. Handlers may run on any thread
     */
    public Future<Lookup> find(GroupVersionResource gvr, boolean namespaced) {
        FeedKey key = new FeedKey(gvr, null);
        ResourceFeed open = feeds.get(key);
        if (open != null && open.ended() == null && open.acquire()) {
            return Future.succeededFuture(served(open, namespaced));
        }
        return discovery.find(gvr).compose(resource -> {
            if (resource == null) {
                return Future.succeededFuture(new Lookup.NotServed("unknown_resource"));
            }
            if (!resource.isWatchable()) {
                return Future.succeededFuture(new Lookup.NotServed("not_watchable"));
            }
            if (namespaced && !resource.namespaced()) {
                return Future.succeededFuture(new Lookup.NotServed("no_namespaces"));
            }
            return fieldsSource.of(resource).map(fields -> open(key, resource, fields));
        });
    }

    /**
     * Opens a feed by the name of its resource, in the version that the API server prefers, and keeps it open.
     *
     * @return done when the feed is listed; fails when it cannot be opened now
     */
    public Future<Void> keep(String resource, String group) {
        return discovery
                .preferredVersion(group)
                .compose(version -> find(new GroupVersionResource(group, version, resource), false))
                .compose(lookup -> lookup instanceof Lookup.Found found
                        ? found.feed().whenListed().mapEmpty()
                        : Future.failedFuture(((Lookup.NotServed) lookup).reason()));
    }

    private static Lookup served(ResourceFeed feed, boolean namespaced) {
        if (namespaced && !feed.resource().namespaced()) {
            feed.release();
            return new Lookup.NotServed("no_namespaces");
        }
        return new Lookup.Found(feed);
    }

    private Lookup open(FeedKey key, ApiResource resource, SelectableFields fields) {
        while (true) {
            ResourceFeed feed = feeds.get(key);
            if (feed == null) {
                if (count.get() >= limits.mostFeeds() && !closeOneUnused()) {
                    return new Lookup.NotServed("too_many_feeds");
                }
                ResourceFeed fresh = new ResourceFeed(key, resource, fields, contexts.get(), shared);
                boolean acquired = fresh.acquire();
                assert acquired;
                if (feeds.putIfAbsent(key, fresh) == null) {
                    count.incrementAndGet();
                    LOG.info("feed opened resource={}", key);
                    fresh.start();
                    return new Lookup.Found(fresh);
                }
            } else if (feed.ended() == null && feed.acquire()) {
                return new Lookup.Found(feed);
            } else {
                remove(feed);
            }
        }
    }

    /** A feed that has ended serves nobody any more; the next request begins anew. */
    public void remove(ResourceFeed feed) {
        if (feeds.remove(feed.key(), feed)) {
            count.decrementAndGet();
            discovery.forget(feed.key().gvr());
            feed.stop();
            LOG.info("feed closed resource={}", feed.key());
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
