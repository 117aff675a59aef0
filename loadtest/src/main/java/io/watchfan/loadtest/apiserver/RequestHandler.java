package io.watchfan.loadtest.apiserver;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Routes requests and answers reads and watches. Confined to the server's event loop. */
final class RequestHandler {
    private static final long TOO_LARGE_WAIT_SECONDS = 3;
    private static final int MIN_WATCH_SECONDS = 1800;

    private final SimulatedCluster cluster;
    private final ObjectWrites writes;
    private final EventExecutor loop;
    private final long bookmarkIntervalNanos;
    private final Random random;
    private final RequestFaults faults;
    private final RequestListener listener;

    RequestHandler(
            SimulatedCluster cluster,
            EventExecutor loop,
            long bookmarkIntervalNanos,
            long seed,
            RequestFaults faults,
            RequestListener listener) {
        this.cluster = cluster;
        this.faults = faults;
        this.listener = listener;
        this.writes = new ObjectWrites(cluster, new Random(seed));
        this.loop = loop;
        this.bookmarkIntervalNanos = bookmarkIntervalNanos;
        this.random = new Random(seed);
    }

    void handle(ApiRequest request, ApiConnection connection) {
        if (isHealth(request.path())) {
            connection.text(200, "ok");
            return;
        }
        faults.check();
        byte[] document = request.method().equals(HttpMethod.GET) ? Discovery.document(request.path()) : null;
        if (document != null) {
            connection.json(200, document);
            return;
        }
        byte[] review = Reviews.answer(request);
        if (review != null) {
            connection.json(201, review);
            return;
        }
        ApiPath path = ApiPath.parse(request.path());
        if (path == null || !(path.subresource().isEmpty() || path.subresource().equals("status"))) {
            throw ApiException.notFound();
        }
        if (request.method().equals(HttpMethod.GET)) {
            read(request, path, connection);
        } else {
            writes.handle(request, path, connection);
        }
    }

    private static boolean isHealth(String path) {
        return path.equals("/readyz") || path.equals("/livez") || path.equals("/healthz");
    }

    private void read(ApiRequest request, ApiPath path, ApiConnection connection) {
        ResourceStore store = cluster.store(path.type());
        if (!path.name().isEmpty() && !path.watchPrefix()) {
            long version = ListOptions.parseVersion(request.parameter("resourceVersion"), true);
            whenAt(version, connection, () -> get(store, path, connection));
            return;
        }
        RequestFaults.Garbage garbage = faults.body();
        if (garbage != null) {
            connection.garbage(garbage);
            return;
        }
        ListOptions options = ListOptions.parse(request, path.watchPrefix());
        String fields = request.parameter("fieldSelector");
        if (!path.name().isEmpty()) {
            fields += ",metadata.name=" + path.name();
        }
        Selection selection =
                Selection.parse(path.type(), path.namespace(), request.parameter("labelSelector"), fields);
        if (options.watch()) {
            watch(request.userAgent(), store, options, selection, connection);
        } else {
            long version = options.continueToken().isEmpty() ? options.resourceVersion() : 0;
            whenAt(
                    version,
                    connection,
                    () -> list(request.userAgent(), store, options, selection, path.namespace(), connection));
        }
    }

    /** Answers once the cluster is at a version, or says after a while that it is too large. */
    private void whenAt(long version, ApiConnection connection, Runnable answer) {
        if (version <= cluster.version()) {
            answer.run();
            return;
        }
        ScheduledFuture<?>[] timeout = new ScheduledFuture<?>[1];
        Runnable forget = cluster.whenAt(version, () -> {
            timeout[0].cancel(false);
            answerLate(connection, answer);
        });
        timeout[0] = loop.schedule(
                () -> {
                    forget.run();
                    answerLate(connection, () -> {
                        throw ApiException.tooLarge(version, cluster.version());
                    });
                },
                TOO_LARGE_WAIT_SECONDS,
                TimeUnit.SECONDS);
    }

    private static void answerLate(ApiConnection connection, Runnable answer) {
        if (!connection.isOpen()) {
            return;
        }
        try {
            answer.run();
        } catch (ApiException e) {
            connection.fail(e);
        }
    }

    private static void get(ResourceStore store, ApiPath path, ApiConnection connection) {
        StoredObject object = store.get(path.key());
        if (object == null) {
            throw ApiException.notFound(path.type(), path.name());
        }
        connection.json(200, ObjectWrites.line(object));
    }

    private void list(
            String userAgent,
            ResourceStore store,
            ListOptions options,
            Selection selection,
            String namespace,
            ApiConnection connection) {
        long version = cluster.version();
        List<StoredObject> state = store.snapshot();
        String start = "";
        if (!options.continueToken().isEmpty()) {
            ContinueToken token = ContinueToken.decode(options.continueToken());
            start = namespace.isEmpty() ? token.start() : namespace + "/" + token.start();
            if (token.version() > 0) {
                version = token.version();
                state = store.snapshotAt(version);
                if (state == null) {
                    throw ApiException.continueTooOld(new ContinueToken(-1, token.start()).encode());
                }
            }
        } else if (options.isExact()) {
            version = options.resourceVersion();
            state = store.snapshotAt(version);
            if (state == null) {
                listener.onExpired(store.type().plural(), version);
                throw ApiException.listTooOld();
            }
        }
        if (options.continueToken().isEmpty()) {
            listener.onList(userAgent, store.type().plural(), version, options.isExact());
        }
        long limit = options.resourceVersion() == 0 ? 0 : options.limit();
        ListBody body = page(store.type(), state, selection, namespace, start, version, limit);
        byte[] small = body.small();
        if (small != null) {
            connection.json(200, small);
        } else {
            connection.stream(body);
        }
    }

    private static ListBody page(
            ResourceType type,
            List<StoredObject> state,
            Selection selection,
            String namespace,
            String start,
            long version,
            long limit) {
        List<StoredObject> items = new ArrayList<>();
        String last = "";
        long remaining = 0;
        for (StoredObject object : state) {
            boolean candidate =
                    object.key().compareTo(start) > 0 && (namespace.isEmpty() || namespace.equals(object.namespace()));
            if (candidate && limit > 0 && items.size() == limit) {
                remaining++;
            } else if (candidate && selection.matches(object)) {
                items.add(object);
                last = namespace.isEmpty() ? object.key() : "/" + object.name();
            }
        }
        String token = remaining > 0 ? new ContinueToken(version, last).encode() : "";
        return new ListBody(type, items, version, token, selection.hasSelectors() ? 0 : remaining);
    }

    private void watch(
            String userAgent, ResourceStore store, ListOptions options, Selection selection, ApiConnection connection) {
        long version = options.resourceVersion();
        if (options.sendInitialEvents() && version > cluster.version()) {
            whenAt(version, connection, () -> open(userAgent, store, options, selection, connection));
            return;
        }
        if (!options.sendInitialEvents() && version > 0 && version < store.oldestWatchable()) {
            listener.onExpired(store.type().plural(), version);
            listener.onWatch(userAgent, store.type().plural(), version).onLastWord();
            byte[] line = Change.line(
                    "ERROR",
                    ApiException.tooOld(version, store.oldestWatchable()).status());
            connection.stream(new SingleLine(line));
            return;
        }
        open(userAgent, store, options, selection, connection);
    }

    private void open(
            String userAgent, ResourceStore store, ListOptions options, Selection selection, ApiConnection connection) {
        long now = System.nanoTime();
        long seconds = options.timeoutSeconds() != 0
                ? options.timeoutSeconds()
                : MIN_WATCH_SECONDS + random.nextInt(MIN_WATCH_SECONDS);
        long lengthNanos = TimeUnit.SECONDS.toNanos(Math.max(0, Math.min(seconds, TimeUnit.DAYS.toSeconds(365))));
        WatchStream stream =
                new WatchStream(cluster, store, selection, options, bookmarkIntervalNanos, now, now + lengthNanos);
        stream.heardBy(listener.onWatch(
                userAgent, store.type().plural(), options.sendInitialEvents() ? -1 : stream.startVersion()));
        cluster.opened(stream, connection::pump);
        ScheduledFuture<?> deadline = loop.schedule(
                () -> {
                    stream.end(null);
                    connection.pump();
                },
                lengthNanos,
                TimeUnit.NANOSECONDS);
        stream.whenClosed(() -> deadline.cancel(false));
        if (connection.wantsWebSocket()) {
            connection.streamOverWebSocket(stream);
        } else {
            connection.stream(stream);
        }
    }

    /** A stream of one line. */
    private static final class SingleLine implements StreamedResponse {
        private final byte[] line;

        SingleLine(byte[] line) {
            this.line = line;
        }

        @Override
        public boolean pump(StreamWriter writer) {
            writer.append(line, 0, line.length);
            return true;
        }

        @Override
        public void onClosed() {}
    }
}
