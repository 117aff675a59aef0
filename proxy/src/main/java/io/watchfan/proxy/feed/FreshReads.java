package io.watchfan.proxy.feed;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.store.StoreSnapshot;
import io.watchfan.proxy.upstream.ListHead;
import io.watchfan.proxy.upstream.ListReader;
import io.watchfan.proxy.upstream.UnversionedException;
import io.watchfan.proxy.upstream.UpstreamClient;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Reads at the API server on behalf of requests that ask for what is true now. There is no way to ask for the present version
 * alone, so a list of one object tells it; and where the state that is asked for is small, the whole or that of a namespace, a
 * list of it answers at once.
 *
 * <p>Reads are shared: whoever asks while one is under way gets the next, since the one under way may have begun before the
 * write that the asker has seen; and so the API server carries at most one of them for each feed at a time, however many ask
 * for whatever. Where the next one is of a state, it tells those that only ask for the version as well. Confined to the feed's
 * thread, but for the methods that say otherwise.
 */
public final class FreshReads {
    /** The state at a version. */
    public record Fresh(long resourceVersion, StoreSnapshot objects) {}

    /** So long a read may be silent, and so long whoever asks waits at most, whatever is read before. */
    private static final long TIMEOUT_MILLIS = 30_000;

    private static final int PAGE = 500;
    private static final long MOST_BYTES = 32 << 20;
    /** So many pages are more than so many bytes could need, were none of them all but empty. */
    private static final int MOST_PAGES = 1000;
    /** States that wait to be read; each takes its turn. */
    private static final int MOST_WAITING = 16;

    private final ResourceFeed feed;
    private final UpstreamClient client;
    private final ListReader reader;
    private boolean reading;
    /** What is asked for and not begun; null when nobody asks. */
    private Promise<Long> nextRevision;

    /** By path. */
    private final Map<String, Promise<Optional<Fresh>>> nextStates = new LinkedHashMap<>();

    FreshReads(ResourceFeed feed, UpstreamClient client) {
        this.feed = feed;
        this.client = client;
        this.reader = new ListReader(feed.newFormat());
    }

    /**
     * A version that is at least that of every write finished before this call. Any thread may call; handlers run on the
     * feed's thread.
     *
     * @return fails, too, when there is no answer in time
     */
    public Future<Long> revision() {
        Promise<Long> promise = Promise.promise();
        feed.context().runOnContext(v -> {
            nextRevision = nextRevision == null ? Promise.promise() : nextRevision;
            nextRevision.future().onComplete(inTime(promise));
            readNext();
        });
        return promise.future();
    }

    /**
     * The state as of a version that is at least that of every write finished before this call. For small states only. Any
     * thread may call; handlers run on the feed's thread.
     *
     * @param namespace what is wanted of the state; null for all of it
     * @return empty when so many others are waited for that it would take long; fails, too, when there is no answer in time
     */
    public Future<Optional<Fresh>> state(String namespace) {
        Promise<Optional<Fresh>> promise = Promise.promise();
        feed.context().runOnContext(v -> {
            String path =
                    namespace == null ? feed.key().path() : feed.key().gvr().collectionPath(namespace);
            if (nextStates.size() >= MOST_WAITING && !nextStates.containsKey(path)) {
                promise.complete(Optional.empty());
                return;
            }
            nextStates.computeIfAbsent(path, p -> Promise.promise()).future().onComplete(inTime(promise));
            readNext();
        });
        return promise.future();
    }

    /** What completes {@code promise}, unless that takes too long: an API server that hangs holds up each read in turn. */
    private <T> Handler<AsyncResult<T>> inTime(Promise<T> promise) {
        Vertx vertx = feed.context().owner();
        long timer = vertx.setTimer(
                TIMEOUT_MILLIS,
                t -> promise.tryFail(
                        new TimeoutException("the API server has not answered in " + TIMEOUT_MILLIS + " ms")));
        return read -> {
            if (vertx.cancelTimer(timer)) {
                promise.handle(read);
            }
        };
    }

    private void readNext() {
        Iterator<Map.Entry<String, Promise<Optional<Fresh>>>> states =
                nextStates.entrySet().iterator();
        if (reading || !states.hasNext() && nextRevision == null) {
            return;
        }
        reading = true;
        Promise<Long> revision = nextRevision;
        nextRevision = null;
        if (!states.hasNext()) {
            readRevision().onComplete(read -> done(() -> revision.handle(read)));
            return;
        }
        Map.Entry<String, Promise<Optional<Fresh>>> state = states.next();
        states.remove();
        pages(state.getKey(), "", new ArrayList<>(), 1).onComplete(read -> {
            if (revision == null || read.succeeded()) {
                done(() -> {
                    state.getValue().handle(read.map(Optional::of));
                    if (revision != null) {
                        revision.complete(read.result().resourceVersion());
                    }
                });
                return;
            }
            // The state may have been too large, or not to be read, of which a version alone knows nothing.
            state.getValue().fail(read.cause());
            readRevision().onComplete(version -> done(() -> revision.handle(version)));
        });
    }

    /** A read is over: those who ask because of its answer are served by the one after the next. */
    private void done(Runnable tell) {
        feed.context().runOnContext(v -> {
            reading = false;
            readNext();
            tell.run();
        });
    }

    private Future<Long> readRevision() {
        return page(feed.key().path(), "", 1).map(page -> page.head().resourceVersion());
    }

    private Future<Fresh> pages(String path, String continueToken, List<StoredObject> into, int count) {
        return page(path, continueToken, PAGE).compose(page -> {
            into.addAll(page.items());
            long bytes =
                    into.stream().mapToLong(object -> object.bytes().length).sum();
            if (bytes > MOST_BYTES || count > MOST_PAGES) {
                return Future.failedFuture("the state at " + path + " has grown beyond what is read whole");
            }
            if (!page.head().continueToken().isEmpty()) {
                return pages(path, page.head().continueToken(), into, count + 1);
            }
            into.sort(Comparator.comparing(StoredObject::key));
            return Future.succeededFuture(new Fresh(page.head().resourceVersion(), StoreSnapshot.ofSorted(into)));
        });
    }

    private record Page(ListHead head, List<StoredObject> items) {}

    private Future<Page> page(String path, String continueToken, int limit) {
        String query = "?limit=" + limit
                + (continueToken.isEmpty()
                        ? ""
                        : "&continue=" + URLEncoder.encode(continueToken, StandardCharsets.UTF_8));
        return reader.read(client, path + query, TIMEOUT_MILLIS).compose(list -> {
            feed.learn(list.head());
            return list.head().resourceVersion() > 0
                    ? Future.succeededFuture(new Page(list.head(), list.items()))
                    : Future.failedFuture(new UnversionedException("a list without a resourceVersion"));
        });
    }
}
