package io.watchfan.proxy.watch;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.watchfan.fanout.log.EventCursor;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.request.ListOptions;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.request.StatusException;
import io.watchfan.proxy.stream.ResponseStream;
import io.watchfan.proxy.stream.ResponseStreams;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Admission of watches: where each starts, by the table of W-060 to W-068. Confined to one event loop.
 */
final class WatchHandler {
    /** The API server's {@code --min-request-timeout}: a watch without a timeout lives once to twice as long (W-205). */
    private static final int MIN_REQUEST_TIMEOUT_SECONDS = 1800;

    private final LoopDispatcher loop;
    private final Freshness freshness;

    WatchHandler(LoopDispatcher loop, Freshness freshness) {
        this.loop = loop;
        this.freshness = freshness;
    }

    /**
     * Answers a watch from {@code feed}, which is listed and has been acquired for it.
     *
     * @return what is left to the caller, which keeps the feed acquired: a failure means that nothing has been answered
     */
    Future<Void> handle(ServedRequest request, ResourceFeed feed, WatchScope scope) {
        ListOptions options = request.options();
        long version = options.resourceVersionForWatchOrGet();
        boolean initial = options.isStreamingList() || options.forcedWatch() && !options.watch() && version == 0;
        boolean unset = options.resourceVersion().isEmpty() && options.watch();
        if (initial && (unset || version > feed.state().position().resourceVersion())) {
            Future<Freshness.Answer> found = unset
                    ? freshness.now(feed, scope.namespace(), request.arrivedNanos())
                    : freshness.atLeast(feed, scope.namespace(), version, request.arrivedNanos());
            return found.compose(answer -> loop.perform(() -> fromAnswer(request, feed, scope, answer)));
        }
        if (initial) {
            fromState(request, feed, scope, feed.state(), version);
        } else if (version > 0) {
            fromVersion(request, feed, scope, version);
        } else if (unset) {
            return feed.freshReads()
                    .revision()
                    .compose(revision -> loop.perform(() -> fromVersion(
                            request,
                            feed,
                            scope,
                            Math.max(revision, feed.state().position().resourceVersion()))));
        } else {
            fromVersion(request, feed, scope, feed.state().position().resourceVersion());
        }
        return Future.succeededFuture();
    }

    private void fromAnswer(ServedRequest request, ResourceFeed feed, WatchScope scope, Freshness.Answer answer) {
        if (answer instanceof Freshness.Answer.OfFeed of) {
            fromState(request, feed, scope, of.state(), of.atLeast());
        } else if (answer instanceof Freshness.Answer.Listed listed) {
            fromList(request, feed, scope, listed);
        } else if (answer instanceof Freshness.Answer.NotInTime late) {
            tooLarge(request, feed, scope, late.wanted(), late.current());
        } else if (answer instanceof Freshness.Answer.TooLarge late) {
            tooLarge(request, feed, scope, late.wanted(), late.current());
        } else {
            throw new NotServedException("upstream_behind");
        }
    }

    /** Nothing of a watch may be made, a dispatcher included, for a client that has gone, or as the process stops. */
    private void checkWanted(ServedRequest request) {
        if (request.isGone()) {
            throw new ClientGoneException();
        }
        if (loop.isDraining()) {
            throw new StatusException(StatusBody.shuttingDown("the proxy is shutting down"));
        }
    }

    private void fromState(ServedRequest request, ResourceFeed feed, WatchScope scope, FeedState found, long atLeast) {
        checkWanted(request);
        FeedState now = feed.state();
        FeedState state = loop.dispatcherOf(feed).beginning(found.epoch() == now.epoch() ? found : now, atLeast);
        start(
                request,
                feed,
                state,
                connection(request, feed, scope, state.position().resourceVersion(), state.startAtEnd())
                        .withInitial(state.position().objects(), marks(request)));
    }

    /** The state was listed ahead of the feed: what the feed brings of it later is known to the watch. */
    private void fromList(ServedRequest request, ResourceFeed feed, WatchScope scope, Freshness.Answer.Listed listed) {
        checkWanted(request);
        FeedState state = feed.state();
        if (state.epoch() != listed.state().epoch() || state.position().resourceVersion() >= listed.resourceVersion()) {
            fromState(request, feed, scope, state, listed.resourceVersion());
            return;
        }
        start(
                request,
                feed,
                state,
                connection(request, feed, scope, listed.resourceVersion(), state.startAtEnd())
                        .withInitial(listed.objects(), marks(request)));
    }

    private void fromVersion(ServedRequest request, ResourceFeed feed, WatchScope scope, long version) {
        checkWanted(request);
        FeedState state = feed.state();
        EventCursor cursor = state.startAt(version);
        WatchConnection connection =
                connection(request, feed, scope, version, cursor == null ? state.startAtEnd() : cursor);
        if (cursor == null) {
            long oldest = Math.max(state.window().oldest(), version + 1);
            connection.refused(EndReason.EXPIRED, StatusBody.tooOldResourceVersion(version, oldest));
        }
        start(request, feed, state, connection);
    }

    private void tooLarge(ServedRequest request, ResourceFeed feed, WatchScope scope, long wanted, long current) {
        checkWanted(request);
        FeedState state = feed.state();
        start(
                request,
                feed,
                state,
                connection(request, feed, scope, wanted, state.startAtEnd())
                        .refused(EndReason.TOO_LARGE, StatusBody.tooLargeResourceVersion(wanted, current)));
    }

    private static boolean marks(ServedRequest request) {
        return request.options().isStreamingList() && request.options().allowWatchBookmarks();
    }

    private static WatchConnection connection(
            ServedRequest request, ResourceFeed feed, WatchScope scope, long version, EventCursor cursor) {
        Long seconds = request.options().timeoutSeconds();
        long millis = seconds == null || seconds == 0
                ? 1000L * MIN_REQUEST_TIMEOUT_SECONDS
                        + ThreadLocalRandom.current().nextLong(1000L * MIN_REQUEST_TIMEOUT_SECONDS)
                : Math.max(0, Math.min(seconds, Long.MAX_VALUE / 2_000_000)) * 1000;
        WatchConnection connection = new WatchConnection(
                scope,
                request.representation(feed),
                request.options().allowWatchBookmarks(),
                LoopDispatcher.nowMillis() + millis,
                version,
                cursor);
        if (seconds != null && seconds < 0) {
            // Its time was over before it began (W-206).
            connection.endReason = EndReason.DEADLINE;
        }
        return connection;
    }

    private void start(ServedRequest request, ResourceFeed feed, FeedState state, WatchConnection connection) {
        HttpServerRequest http = request.http();
        FeedDispatcher dispatcher = loop.dispatcherOf(feed);
        dispatcher.open(connection, state);
        Future<ResponseStream> opening;
        if (isWebSocket(http)) {
            opening = ResponseStreams.openWebSocket(http, () -> dispatcher.closed(connection));
        } else {
            HttpServerResponse response = Answers.served(http, feed, connection.representation.watchContentType());
            if (marks(request) && Answers.acceptsGzip(http) && feed.compressesStreams()) {
                // Neither for other watches, nor for WebSockets (W-126 to W-128). Not everybody can read it.
                connection.isCompressed = true;
                Answers.compressed(response);
            }
            http.response().closeHandler(v -> dispatcher.closed(connection));
            opening = ResponseStreams.open(http);
        }
        http.response().exceptionHandler(e -> dispatcher.closed(connection));
        // What was asked for before on the same connection may not have been taken.
        loop.cutUnless(opening, () -> ResponseStreams.cut(http));
        opening.onComplete(opened -> {
            if (opened.succeeded()) {
                dispatcher.begin(connection, opened.result());
            } else {
                dispatcher.closed(connection);
            }
        });
    }

    /** Whether the client asks for the watch as a WebSocket (W-128). */
    static boolean isWebSocket(HttpServerRequest http) {
        return http.version() == HttpVersion.HTTP_1_1 && http.canUpgradeToWebSocket();
    }
}
