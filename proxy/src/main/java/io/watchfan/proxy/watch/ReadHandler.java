package io.watchfan.proxy.watch;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.log.Position;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.LabelSelector;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.fanout.store.StoreSnapshot;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.representation.Representation;
import io.watchfan.proxy.request.ContinueToken;
import io.watchfan.proxy.request.ListOptions;
import io.watchfan.proxy.request.RequestInfo;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.request.StatusException;
import io.watchfan.proxy.stream.ResponseStreams;
import io.watchfan.proxy.upstream.ListHead;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Lists and single reads, by the tables of W-040 to W-053. What cannot be answered exactly is left to the API server. Confined
 * to one event loop.
 */
final class ReadHandler {
    /** Lists that are being sent, on one event loop; each holds a portion. The API server has 400 requests under way at most. */
    private static final int MOST_UNDER_WAY = 200;

    private static final int RETRY_AFTER_SECONDS = 1;
    private static final Pattern IN_NO_KEY = Pattern.compile("\\.{1,2}|.*[/%].*", Pattern.DOTALL);

    private final LoopDispatcher loop;
    private final Freshness freshness;
    private final long requestTimeoutMillis;
    private final BodiesUnderWay underWay;

    ReadHandler(LoopDispatcher loop, Freshness freshness, Duration requestTimeout) {
        this.loop = loop;
        this.freshness = freshness;
        this.requestTimeoutMillis = requestTimeout.toMillis();
        this.underWay = new BodiesUnderWay(loop.metrics());
    }

    /** A state and the version it is the state of. */
    private record Snapshot(long resourceVersion, StoreSnapshot objects) {}

    /**
     * Answers a list from {@code feed}, which is listed.
     *
     * @return fails with a {@link StatusException}, or a {@link NotServedException}, before anything has been answered
     */
    Future<Void> list(ServedRequest request, ResourceFeed feed, WatchScope scope) {
        return snapshot(request, feed, scope)
                .compose(snapshot -> form(request, feed, snapshot)
                        .compose(form -> loop.call(() -> send(request, feed, scope, form, snapshot))));
    }

    /**
     * How lists of the resource are written; where none has been seen, one object's list shows it. An empty one has shown but
     * half of it.
     */
    private static Future<ListHead> form(ServedRequest request, ResourceFeed feed, Snapshot snapshot) {
        ListHead known = feed.listHead();
        boolean isKnown = known != null
                && (known.itemsCarryKind() != null
                        || request.choice().isProtobuf()
                        || snapshot.objects().size() == 0);
        return isKnown
                ? Future.succeededFuture(known)
                : feed.freshReads().revision().map(revision -> feed.listHead());
    }

    private Future<Snapshot> snapshot(ServedRequest request, ResourceFeed feed, WatchScope scope) {
        ListOptions options = request.options();
        Optional<ContinueToken> token = options.continuation();
        boolean single = isOfOneObject(request, feed, scope);
        if (token.isPresent()) {
            return token.get().isLatest()
                    ? Future.failedFuture(new NotServedException("inconsistent_continue"))
                    : exactly(feed, token.get().resourceVersion(), "continue_expired");
        }
        long version = options.resourceVersionForList();
        if (options.resourceVersion().isEmpty()) {
            return freshness
                    .now(feed, scope.namespace(), request.arrivedNanos())
                    .compose(ReadHandler::found);
        }
        if (version == 0) {
            return Future.succeededFuture(present(feed.state().position()));
        }
        boolean exact = options.resourceVersionMatch().equals(ListOptions.EXACT)
                || options.limit() > 0 && options.resourceVersionMatch().isEmpty() && !single;
        return freshness
                .atLeast(feed, scope.namespace(), version, request.arrivedNanos())
                .compose(answer -> {
                    boolean isAhead =
                            answer instanceof Freshness.Answer.Listed listed && listed.resourceVersion() == version;
                    return exact && !isAhead && !(answer instanceof Freshness.Answer.TooLarge)
                            ? exactly(feed, version, "exact_expired")
                            : found(answer);
                });
    }

    private static Future<Snapshot> found(Freshness.Answer answer) {
        if (answer instanceof Freshness.Answer.OfFeed of) {
            return Future.succeededFuture(present(of.state().position()));
        }
        if (answer instanceof Freshness.Answer.Listed listed) {
            return Future.succeededFuture(new Snapshot(listed.resourceVersion(), listed.objects()));
        }
        if (answer instanceof Freshness.Answer.TooLarge tooLarge) {
            return Future.failedFuture(
                    new StatusException(StatusBody.tooLargeResourceVersion(tooLarge.wanted(), tooLarge.current())));
        }
        return Future.failedFuture(
                new NotServedException(answer instanceof Freshness.Answer.Behind ? "upstream_behind" : "feed_late"));
    }

    /**
     * Whether a list is of one object by its name. To the API server that is a read of its key, which has no pages: a limit
     * means nothing, and does not make it exact (W-049) either. With a token, or by a name that could be in no key, it is a list
     * as others are.
     */
    private static boolean isOfOneObject(ServedRequest request, ResourceFeed feed, WatchScope scope) {
        return scope.name() != null
                && !scope.isNothing()
                && !IN_NO_KEY.matcher(scope.name()).matches()
                && request.options().continueToken().isEmpty()
                && (!feed.resource().namespaced() || narrowest(request.info().namespace(), scope) != null);
    }

    private static Snapshot present(Position position) {
        return new Snapshot(position.resourceVersion(), position.objects());
    }

    private static Future<Snapshot> exactly(ResourceFeed feed, long version, String otherwise) {
        StoreSnapshot objects = feed.state().objectsAt(version);
        return objects == null
                ? Future.failedFuture(new NotServedException(otherwise))
                : Future.succeededFuture(new Snapshot(version, objects));
    }

    private Future<Void> send(
            ServedRequest request, ResourceFeed feed, WatchScope scope, ListHead form, Snapshot snapshot) {
        admit(request);
        ListPlan plan = plan(request, feed, scope, form, snapshot);
        // What is kept of a list keeps its state alive: of the feed's own there is no second one.
        boolean mayStay = snapshot.objects() == feed.state().position().objects();
        ListReader list =
                new ListReader(loop.lists(), loop.lists().join(plan), Answers.acceptsGzip(request.http()), mayStay);
        Promise<Void> begun = Promise.promise();
        prepare(request, feed, plan.representation(), list, underWay.begin(list), begun);
        return begun.future();
    }

    private void admit(ServedRequest request) {
        if (request.isGone()) {
            throw new ClientGoneException();
        }
        if (underWay.count() >= MOST_UNDER_WAY) {
            throw new StatusException(
                    StatusBody.tooManyRequests("Too many requests, please try again later.", RETRY_AFTER_SECONDS));
        }
    }

    private static ListPlan plan(
            ServedRequest request, ResourceFeed feed, WatchScope scope, ListHead form, Snapshot snapshot) {
        ListOptions options = request.options();
        String namespace = narrowest(request.info().namespace(), scope);
        ObjectKey after = options.continuation()
                .map(token -> keyOf(token, request.info().namespace(), namespace, feed))
                .orElse(null);
        boolean limited = options.limit() > 0
                && (!options.resourceVersion().equals("0") || feed.key().gvr().isUncached())
                && !isOfOneObject(request, feed, scope);
        return new ListPlan(
                request.representation(feed),
                form,
                snapshot.resourceVersion(),
                new SnapshotRange(snapshot.objects(), namespace, after),
                scope,
                limited ? options.limit() : 0,
                // Also where a selector names the namespace: the API server makes such a token within the
                // namespace, but takes it as one of all namespaces, and begins again.
                request.info().namespace() == null && feed.resource().namespaced(),
                limited && isUnselected(request, scope));
    }

    /**
     * Whether the selectors have no condition, as those of commas alone have not (W-245). The scope holds them all but for what
     * a field selector says of the namespace that the path names.
     */
    private static boolean isUnselected(ServedRequest request, WatchScope scope) {
        return scope.equals(
                        WatchScope.of(request.info().namespace(), LabelSelector.EVERYTHING, FieldSelector.EVERYTHING))
                && !request.options().fieldSelector().contains(SelectableFields.NAMESPACE);
    }

    /** Gets the list ready, a turn at a time, and begins to send it. */
    private void prepare(
            ServedRequest request,
            ResourceFeed feed,
            Representation representation,
            ListReader list,
            PortionSource body,
            Promise<Void> begun) {
        try {
            if (request.isGone()) {
                throw new ClientGoneException();
            }
            if (!list.prepare(System.nanoTime() + LoopDispatcher.SLICE_NANOS)) {
                loop.execute(() -> prepare(request, feed, representation, list, body, begun));
                return;
            }
            Buffer first = body.next();
            HttpServerResponse response = Answers.served(request.http(), feed, representation.contentType());
            if (list.isCompressed()) {
                Answers.compressed(response);
            }
            answer(request.http(), response, first, body);
            begun.complete();
        } catch (RuntimeException e) {
            body.close();
            begun.fail(e);
        }
    }

    /** Sends a body that begins with {@code first}. It is closed at its end, unless this throws: then the caller closes it. */
    private void answer(HttpServerRequest http, HttpServerResponse response, Buffer first, PortionSource body) {
        if (body.isDone()) {
            finish(http, response, first);
            body.close();
            return;
        }
        response.setChunked(true);
        response.exceptionHandler(e -> {});
        long deadline = LoopDispatcher.nowMillis() + requestTimeoutMillis;
        new ListSender(loop, http, body, deadline).start(first);
    }

    /** Sends the last of an answer; a client that does not take it within the write timeout is cut. */
    private void finish(HttpServerRequest http, HttpServerResponse response, Buffer last) {
        Future<Void> sent = response.end(last);
        underWay.handedOver(sent);
        loop.cutUnless(sent, () -> ResponseStreams.cut(http));
    }

    private static String narrowest(String namespace, WatchScope scope) {
        return namespace != null ? namespace : scope.namespace();
    }

    /**
     * Where a token goes on.
     *
     * @param namespace of the path; null for none
     * @param narrowest of the path or a selector, which a token without a namespace is about; null for none
     */
    private static ObjectKey keyOf(ContinueToken token, String namespace, String narrowest, ResourceFeed feed) {
        String start = token.start();
        if (!start.endsWith("\u0000")) {
            throw new NotServedException("odd_continue");
        }
        // The API server's own begin with a slash or not, by who answered: its watch cache or its storage.
        String key = start.substring(start.startsWith("/") ? 1 : 0, start.length() - 1);
        if (namespace != null) {
            return new ObjectKey(namespace, key);
        }
        int slash = key.indexOf('/');
        return slash < 0 || !feed.resource().namespaced()
                ? new ObjectKey(narrowest == null ? "" : narrowest, key)
                : new ObjectKey(key.substring(0, slash), key.substring(slash + 1));
    }

    /**
     * Answers a read of one object from {@code feed}, which is listed; the request names a version.
     *
     * @return fails with a {@link StatusException}, or a {@link NotServedException}, before anything has been answered
     */
    Future<Void> get(ServedRequest request, ResourceFeed feed) {
        long version = request.options().resourceVersionForWatchOrGet();
        Future<Snapshot> snapshot = version <= feed.state().position().resourceVersion()
                ? Future.succeededFuture(present(feed.state().position()))
                : freshness
                        .atLeast(feed, request.info().namespace(), version, request.arrivedNanos())
                        .compose(ReadHandler::found);
        return snapshot.compose(found -> loop.perform(() -> sendObject(request, feed, found)));
    }

    private void sendObject(ServedRequest request, ResourceFeed feed, Snapshot snapshot) {
        if (request.isGone()) {
            throw new ClientGoneException();
        }
        RequestInfo info = request.info();
        StoredObject object =
                snapshot.objects().get(new ObjectKey(info.namespace() == null ? "" : info.namespace(), info.name()));
        if (object == null) {
            throw new StatusException(StatusBody.notFound(info.resource(), info.group(), info.name()));
        }
        Representation representation = request.representation(feed);
        Buffer body = Buffer.buffer();
        for (byte[] piece : representation.object(object)) {
            body.appendBytes(piece);
        }
        if (body.length() <= ListReader.GZIP_BYTES || !Answers.acceptsGzip(request.http())) {
            finish(request.http(), Answers.served(request.http(), feed, representation.contentType()), body);
            return;
        }
        admit(request);
        PortionSource portions = underWay.begin(new GzipPortions(loop.gzip(), body.getBytes()));
        try {
            HttpServerResponse response = Answers.served(request.http(), feed, representation.contentType());
            Answers.compressed(response);
            answer(request.http(), response, portions.next(), portions);
        } catch (RuntimeException e) {
            portions.close();
            throw e;
        }
    }
}
