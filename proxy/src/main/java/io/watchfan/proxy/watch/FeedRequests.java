package io.watchfan.proxy.watch;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpServerRequest;
import io.watchfan.fanout.event.ResourceVersions;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.LabelSelector;
import io.watchfan.fanout.selector.SelectorParser;
import io.watchfan.fanout.selector.SelectorSyntaxException;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.proxy.feed.FeedRegistry;
import io.watchfan.proxy.feed.FeedRegistry.Lookup;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.metrics.ProxyMetrics.Outcome;
import io.watchfan.proxy.request.ListOptions;
import io.watchfan.proxy.request.MediaTypes;
import io.watchfan.proxy.request.QueryParams;
import io.watchfan.proxy.request.RequestInfo;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.request.StatusException;
import io.watchfan.proxy.upstream.EncodingRefusedException;
import io.watchfan.proxy.upstream.UnversionedException;
import io.watchfan.proxy.upstream.UpstreamStatusException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * LIST, GET and WATCH of one event loop: finds the feed, has the request answered from it, and hands to the API server what
 * cannot be. Confined to its event loop.
 */
public final class FeedRequests {
    /** Takes a request that is not answered here; nothing of its answer has been written, and it is paused. */
    public interface Passthrough {
        /** Hands {@code request} to the API server; {@code reason} is a metric label. */
        void handle(HttpServerRequest request, String reason);
    }

    private static final Logger LOG = LoggerFactory.getLogger(FeedRequests.class);
    /** So long a request that takes any state waits for the feed's thread to look what has come. */
    private static final long SETTLE_MILLIS = 100;

    private final Context context;
    private final LoopDispatcher loop;
    private final FeedRegistry feeds;
    private final Passthrough passthrough;
    private final ProxyMetrics metrics;
    private final WatchHandler watches;
    private final ReadHandler reads;

    /**
     * @param context the event loop's
     * @param loop the watches of the event loop
     * @param feeds the feeds there are
     * @param passthrough takes what cannot be answered
     * @param metrics counts
     * @param requestTimeout a client that has not taken a list whole after so long is cut
     */
    public FeedRequests(
            Context context,
            LoopDispatcher loop,
            FeedRegistry feeds,
            Passthrough passthrough,
            ProxyMetrics metrics,
            Duration requestTimeout) {
        Freshness freshness = new Freshness(metrics);
        this.context = context;
        this.loop = loop;
        this.feeds = feeds;
        this.passthrough = passthrough;
        this.metrics = metrics;
        this.watches = new WatchHandler(loop, freshness);
        this.reads = new ReadHandler(loop, freshness, requestTimeout);
    }

    /**
     * Answers a GET of a collection or an object, or passes it on.
     *
     * @param accept what the request's header says of how it is to be answered
     * @param choice what of that it is going to be
     */
    public void handle(HttpServerRequest http, RequestInfo info, MediaTypes accept, MediaTypes.Choice choice) {
        QueryParams params = params(http);
        boolean get = info.kind() == RequestInfo.Kind.OBJECT;
        if (get && params.has("export")) {
            passthrough.handle(http, "export");
            return;
        }
        if (!get && params.has("shardSelector")) {
            // Whether it means anything is a matter of the API server's feature gates.
            passthrough.handle(http, "shard_selector");
            return;
        }
        ServedRequest request;
        try {
            if (get || !info.isWatchPath() && !ListOptions.isWatch(params)) {
                ListOptions.parseTimeout(params);
            }
        } catch (StatusException e) {
            // The API server says so before it looks at anything else (W-019), and without the resource's warnings.
            refuse(ServedRequest.of(http, info, accept, choice, null, e.body()), null, e.body());
            return;
        }
        try {
            ListOptions options = get
                    ? ListOptions.parseGet(params, http.getHeader("User-Agent"))
                    : ListOptions.parse(params, info.isWatchPath(), http.getHeader("User-Agent"));
            request = ServedRequest.of(http, info, accept, choice, options.withDefaults(), null);
        } catch (StatusException e) {
            request = ServedRequest.of(http, info, accept, choice, null, e.body());
        }
        if (request.options() != null) {
            if (get && request.options().resourceVersion().isEmpty()) {
                passthrough.handle(http, "consistent_get");
                return;
            }
            if (!choice.suits(request.isList())) {
                passthrough.handle(http, MediaTypes.REASON_PARTIAL_METADATA);
                return;
            }
            if (request.options().pretty() && !request.options().isWatch() && !choice.isProtobuf()) {
                passthrough.handle(http, "pretty");
                return;
            }
        }
        request.hold();
        find(request);
    }

    private static QueryParams params(HttpServerRequest http) {
        return QueryParams.parse(http.query() == null ? "" : http.query());
    }

    private void find(ServedRequest request) {
        RequestInfo info = request.info();
        long resumeFrom = request.options() == null ? 0 : resumeFrom(request.options());
        Future<Lookup> lookup = feeds.find(info.gvr(), info.namespace(), request.encoding(), resumeFrom);
        metrics.waitingStarted();
        lookup.onComplete(found -> context.runOnContext(v -> {
            try {
                lookedUp(request, found);
            } finally {
                // Only now: whatever follows is counted by then, so that a drain sees no gap between the two.
                metrics.waitingEnded();
            }
        }));
    }

    private void lookedUp(ServedRequest request, AsyncResult<Lookup> found) {
        if (found.failed()) {
            trouble(request, null, found.cause());
        } else if (found.result() instanceof Lookup.Found with) {
            fromFeed(request, with.feed());
        } else if (found.result() instanceof Lookup.NotServed not) {
            notServed(request, not.reason());
        }
    }

    private void notServed(ServedRequest request, String reason) {
        if (!reason.equals(FeedRegistry.NO_PROTOBUF)) {
            passthrough.handle(request.http(), reason);
            return;
        }
        // Then the API server chooses among what else the client accepts.
        MediaTypes.Decision otherwise =
                request.accept().decideWithoutProtobuf(request.info().gvr().isBuiltIn());
        MediaTypes.Choice choice = otherwise.choice();
        if (choice == null || choice.pretty() || !choice.suits(request.isList())) {
            passthrough.handle(request.http(), reason);
        } else {
            find(request.with(choice));
        }
    }

    /** The version that a watch goes on from; 0 when it is no such watch. A new feed had best begin there. */
    private static long resumeFrom(ListOptions options) {
        return options.isWatch()
                        && !options.isStreamingList()
                        && !options.resourceVersion().isEmpty()
                ? Math.max(0, ResourceVersions.parse(options.resourceVersion()))
                : 0;
    }

    private void fromFeed(ServedRequest request, ResourceFeed feed) {
        if (request.info().isObjectOutsideItsNamespace(feed.resource().namespaced())) {
            feed.release();
            passthrough.handle(request.http(), "unknown_resource");
            return;
        }
        WatchScope scope;
        try {
            scope = scope(request, feed);
        } catch (SelectorSyntaxException e) {
            feed.release();
            if (isOfUnknownField(e, feed)) {
                // Which field labels there are differs from release to release: that is for the API server to say.
                passthrough.handle(request.http(), "field_label");
            } else {
                refuse(request, feed, StatusBody.badRequest(e.getMessage()));
            }
            return;
        } catch (StatusException e) {
            feed.release();
            refuse(request, feed, e.body());
            return;
        }
        boolean watch = request.options().isWatch();
        metrics.waitingStarted();
        boolean readsTheState = !request.options().resourceVersion().isEmpty() && resumeFrom(request.options()) == 0;
        feed.whenListed()
                .compose(state -> readsTheState ? settled(feed) : Future.succeededFuture(state))
                .compose(state -> loop.call(() -> {
                    if (request.isGone()) {
                        return Future.failedFuture(new ClientGoneException());
                    }
                    if (watch) {
                        return watches.handle(request, feed, scope);
                    }
                    return request.info().kind() == RequestInfo.Kind.OBJECT
                            ? reads.get(request, feed)
                            : reads.list(request, feed, scope);
                }))
                .onComplete(done -> context.runOnContext(v -> {
                    try {
                        foundOut(request, feed, done.cause());
                    } finally {
                        metrics.waitingEnded();
                    }
                }));
    }

    /** The feed's thread is waited for, but not for long: it may be at work for another feed. */
    private Future<FeedState> settled(ResourceFeed feed) {
        Promise<FeedState> promise = Promise.promise();
        long timer = loop.after(SETTLE_MILLIS, () -> promise.tryComplete(feed.state()));
        feed.settled().onSuccess(promise::tryComplete).onComplete(v -> loop.cancel(timer));
        return promise.future();
    }

    /**
     * What comes of a request is known.
     *
     * @param cause why it is not answered from {@code feed}; null when it is
     */
    private void foundOut(ServedRequest request, ResourceFeed feed, Throwable cause) {
        if (cause == null) {
            metrics.request(verb(request), Outcome.SERVED, "");
            request.letGo();
            if (!request.options().isWatch()) {
                feed.release();
            }
            return;
        }
        feed.release();
        if (feed.ended() != null && feeds.remove(feed) && request.info().namespace() != null) {
            // Narrower rights than the whole cluster's may still cover the namespace.
            find(request);
        } else {
            trouble(request, feed, cause);
        }
    }

    /** In the API server's order: what cannot be read, then what does not go together, then the fields' labels. */
    private static WatchScope scope(ServedRequest request, ResourceFeed feed) throws SelectorSyntaxException {
        if (request.refusal() != null) {
            throw new StatusException(request.refusal());
        }
        LabelSelector labels = SelectorParser.parseLabels(request.options().labelSelector());
        FieldSelector fields;
        try {
            fields = SelectorParser.parseFields(request.options().fieldSelector(), feed.fields());
        } catch (SelectorSyntaxException e) {
            if (isOfUnknownField(e, feed)) {
                request.options().validate();
            }
            throw e;
        }
        request.options().validate();
        return WatchScope.of(request.info().namespace(), labels, fields);
    }

    private static boolean isOfUnknownField(SelectorSyntaxException e, ResourceFeed feed) {
        return e.getMessage().equals(feed.fields().unsupportedMessage(e.token()));
    }

    /**
     * Nothing has been answered yet, and {@code cause} says why.
     *
     * @param feed that was to answer; null if none has been found
     */
    private void trouble(ServedRequest request, ResourceFeed feed, Throwable cause) {
        HttpServerRequest http = request.http();
        if (cause instanceof ClientGoneException || request.isGone()) {
            request.letGo();
            return;
        }
        if (cause instanceof EncodingRefusedException) {
            notServed(request, FeedRegistry.NO_PROTOBUF);
        } else if (cause instanceof NotServedException) {
            passthrough.handle(http, cause.getMessage());
        } else if (cause instanceof UnversionedException) {
            passthrough.handle(http, "unversioned");
        } else if (cause instanceof StatusException refusal) {
            refuse(request, feed, refusal.body());
        } else if (cause instanceof UpstreamStatusException refusal) {
            if (refusal.code() == 429 || refusal.code() >= 500) {
                request.letGo();
                metrics.request(verb(request), Outcome.REFUSED, "upstream_trouble");
                Answers.relay(http, refusal);
            } else {
                // What the API server refuses, it refuses in its own words to the caller.
                passthrough.handle(http, "upstream_refusal");
            }
        } else {
            LOG.warn(
                    "no answer from upstream resource={} reason={}",
                    request.info().gvr().groupResource(),
                    cause.getMessage() == null ? cause.toString() : cause.getMessage());
            refuse(
                    request,
                    feed,
                    StatusBody.serviceUnavailable("the API server cannot be reached: " + cause.getMessage(), 1));
        }
    }

    private void refuse(ServedRequest request, ResourceFeed feed, StatusBody status) {
        request.letGo();
        if (feed != null) {
            Answers.warn(request.http().response(), feed);
        }
        metrics.request(verb(request), Outcome.REFUSED, "status_" + status.code());
        Answers.status(
                request.http(),
                status,
                ListOptions.isPretty(params(request.http()), request.http().getHeader("User-Agent")));
    }

    private static String verb(ServedRequest request) {
        if (request.info().kind() == RequestInfo.Kind.OBJECT) {
            return "get";
        }
        return request.options() != null && request.options().isWatch() ? "watch" : "list";
    }
}
