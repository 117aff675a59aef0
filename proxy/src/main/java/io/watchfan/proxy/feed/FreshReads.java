package io.watchfan.proxy.feed;

import io.vertx.core.Future;
import io.vertx.core.Promise;
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
import java.util.List;
import java.util.function.Supplier;

/**
 * Reads at the API server on behalf of requests that ask for what is true now. There is no way to ask for the present version
 * alone, so a list of one object tells it; and where the whole state is small, a list of it answers at once.
 *
 * <p>Each kind of read is shared: whoever asks while one is under way gets the next, since the one under way may have begun
 * before the write that the asker has seen; and so the API server carries at most one of each kind and feed at a time, however
 * many ask. Confined to the feed's thread, but for the methods that say otherwise.
 */
public final class FreshReads {
    /** The whole state at a version. */
    public record Fresh(long resourceVersion, StoreSnapshot objects) {}

    private static final long TIMEOUT_MILLIS = 30_000;
    private static final int PAGE = 500;
    private static final long MOST_BYTES = 32 << 20;

    private final ResourceFeed feed;
    private final UpstreamClient client;
    private final ListReader reader;
    private final Shared<Long> revision = new Shared<>(this::readRevision);
    private final Shared<Fresh> whole = new Shared<>(this::readWhole);

    FreshReads(ResourceFeed feed, UpstreamClient client) {
        this.feed = feed;
        this.client = client;
        this.reader = new ListReader(feed.fields(), feed.resource());
    }

    /**
     * A version that is at least that of every write finished before this call. Any thread may call; handlers run on the
     * feed's thread.
     */
    public Future<Long> revision() {
        return revision.next();
    }

    /**
     * The state as of a version that is at least that of every write finished before this call. For small states only. Any
     * thread may call; handlers run on the feed's thread.
     */
    public Future<Fresh> whole() {
        return whole.next();
    }

    private Future<Long> readRevision() {
        return page("", 1).map(page -> page.head().resourceVersion());
    }

    private Future<Fresh> readWhole() {
        return pages("", new ArrayList<>());
    }

    private Future<Fresh> pages(String continueToken, List<StoredObject> into) {
        return page(continueToken, PAGE).compose(page -> {
            into.addAll(page.items());
            long bytes =
                    into.stream().mapToLong(object -> object.bytes().length).sum();
            if (bytes > MOST_BYTES) {
                return Future.failedFuture("the state of " + feed.key() + " has grown beyond what is read whole");
            }
            if (!page.head().continueToken().isEmpty()) {
                return pages(page.head().continueToken(), into);
            }
            into.sort(Comparator.comparing(StoredObject::key));
            return Future.succeededFuture(new Fresh(page.head().resourceVersion(), StoreSnapshot.ofSorted(into)));
        });
    }

    private record Page(ListHead head, List<StoredObject> items) {}

    private Future<Page> page(String continueToken, int limit) {
        String query = "?limit=" + limit
                + (continueToken.isEmpty()
                        ? ""
                        : "&continue=" + URLEncoder.encode(continueToken, StandardCharsets.UTF_8));
        return reader.read(client, feed.key().path() + query, TIMEOUT_MILLIS).compose(list -> {
            feed.learn(list.head());
            return list.head().resourceVersion() > 0
                    ? Future.succeededFuture(new Page(list.head(), list.items()))
                    : Future.failedFuture(new UnversionedException("a list without a resourceVersion"));
        });
    }

    /** A read that those who wait for it share. */
    private final class Shared<T> {
        private final Supplier<Future<T>> read;
        private Promise<T> current;
        private Promise<T> following;

        Shared(Supplier<Future<T>> read) {
            this.read = read;
        }

        Future<T> next() {
            Promise<T> promise = Promise.promise();
            feed.context().runOnContext(v -> {
                if (current == null) {
                    begin(new ArrayList<>(List.of(promise)));
                } else {
                    if (following == null) {
                        following = Promise.promise();
                    }
                    following.future().onComplete(promise);
                }
            });
            return promise.future();
        }

        private void begin(List<Promise<T>> waiting) {
            Promise<T> mine = Promise.promise();
            current = mine;
            waiting.forEach(promise -> mine.future().onComplete(promise));
            read.get()
                    .onComplete(result -> feed.context().runOnContext(v -> {
                        current = null;
                        Promise<T> then = following;
                        following = null;
                        if (then != null) {
                            begin(new ArrayList<>(List.of(then)));
                        }
                        mine.handle(result);
                    }));
        }
    }
}
