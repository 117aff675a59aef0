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

/**
 * Reads at the API server on behalf of requests that ask for what is true now. There is no way to ask for the present version
 * alone, so a list of one object tells it; and where the whole state is small, a list of it answers at once.
 *
 * <p>Reads are shared: whoever asks while one is under way gets the next, since the one under way may have begun before the
 * write that the asker has seen; and so the API server carries at most one of them for each feed at a time, however many ask
 * for whatever. Where the next one is of the whole state, it tells those that only ask for the version as well. Confined to
 * the feed's thread, but for the methods that say otherwise.
 */
public final class FreshReads {
    /** The whole state at a version. */
    public record Fresh(long resourceVersion, StoreSnapshot objects) {}

    private static final long TIMEOUT_MILLIS = 30_000;
    private static final int PAGE = 500;
    private static final long MOST_BYTES = 32 << 20;
    /** So many pages are more than so many bytes could need, were none of them all but empty. */
    private static final int MOST_PAGES = 1000;

    private final ResourceFeed feed;
    private final UpstreamClient client;
    private final ListReader reader;
    private boolean reading;
    /** What is asked for and not begun; null when nobody asks. */
    private Promise<Long> nextRevision;

    private Promise<Fresh> nextWhole;

    FreshReads(ResourceFeed feed, UpstreamClient client) {
        this.feed = feed;
        this.client = client;
        this.reader = new ListReader(feed.newFormat());
    }

    /**
     * A version that is at least that of every write finished before this call. Any thread may call; handlers run on the
     * feed's thread.
     */
    public Future<Long> revision() {
        Promise<Long> promise = Promise.promise();
        feed.context().runOnContext(v -> {
            nextRevision = nextRevision == null ? Promise.promise() : nextRevision;
            nextRevision.future().onComplete(promise);
            readNext();
        });
        return promise.future();
    }

    /**
     * The state as of a version that is at least that of every write finished before this call. For small states only. Any
     * thread may call; handlers run on the feed's thread.
     */
    public Future<Fresh> whole() {
        Promise<Fresh> promise = Promise.promise();
        feed.context().runOnContext(v -> {
            nextWhole = nextWhole == null ? Promise.promise() : nextWhole;
            nextWhole.future().onComplete(promise);
            readNext();
        });
        return promise.future();
    }

    private void readNext() {
        if (reading || nextWhole == null && nextRevision == null) {
            return;
        }
        reading = true;
        Promise<Fresh> whole = nextWhole;
        Promise<Long> revision = nextRevision;
        nextWhole = null;
        nextRevision = null;
        if (whole == null) {
            readRevision().onComplete(read -> done(() -> revision.handle(read)));
            return;
        }
        readWhole()
                .onComplete(read -> done(() -> {
                    whole.handle(read);
                    if (revision != null && read.succeeded()) {
                        revision.complete(read.result().resourceVersion());
                    } else if (revision != null) {
                        // The state may have been too large, of which a version alone knows nothing.
                        revision().onComplete(revision);
                    }
                }));
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
        return page("", 1).map(page -> page.head().resourceVersion());
    }

    private Future<Fresh> readWhole() {
        return pages("", new ArrayList<>(), 1);
    }

    private Future<Fresh> pages(String continueToken, List<StoredObject> into, int count) {
        return page(continueToken, PAGE).compose(page -> {
            into.addAll(page.items());
            long bytes =
                    into.stream().mapToLong(object -> object.bytes().length).sum();
            if (bytes > MOST_BYTES || count > MOST_PAGES) {
                return Future.failedFuture("the state of " + feed.key() + " has grown beyond what is read whole");
            }
            if (!page.head().continueToken().isEmpty()) {
                return pages(page.head().continueToken(), into, count + 1);
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
}
