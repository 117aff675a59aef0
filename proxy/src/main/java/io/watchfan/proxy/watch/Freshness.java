package io.watchfan.proxy.watch;

import io.vertx.core.Future;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.store.StoreSnapshot;
import io.watchfan.proxy.feed.FreshReads;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.metrics.ProxyMetrics;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The state as it is now: what a request without a resourceVersion asks for (W-046, W-061). In order: the feed's own state if
 * it was listed after the request came; where the state that is wanted is small and the feed has heard nothing lately, a list
 * of our own; the feed's state if it has got to the API server's present version, or does within a moment; where what is wanted
 * is small, a list of our own; else the feed's state if it gets there in the time that the API server itself would wait.
 */
final class Freshness {
    /** A state, or that there is none to be had in time. */
    sealed interface Answer {
        /** The feed's own state; any that is not older than {@code atLeast} would do. */
        record OfFeed(FeedState state, long atLeast) implements Answer {}

        /**
         * Objects listed at {@code resourceVersion}, which the feed has not come to; {@code state} is the feed's. Where only
         * those of a namespace were wanted there are no others.
         */
        record Listed(long resourceVersion, StoreSnapshot objects, FeedState state) implements Answer {}

        /** The feed did not get to {@code wanted} in time. */
        record NotInTime(long wanted, long current) implements Answer {}

        /** Nobody knows of {@code wanted}. */
        record TooLarge(long wanted, long current) implements Answer {}

        /** The API server's version is below the feed's: one of them has gone back, and only the API server can know. */
        record Behind() implements Answer {}
    }

    private static final long MOMENT_MILLIS = 100;
    /** A feed that has heard nothing for so long is not expected to hear something within a moment. */
    private static final long QUIET_MILLIS = 1000;

    /** How long the API server waits for its own cache (W-070). */
    private static final long PATIENCE_MILLIS = 3000;

    private static final long SMALL_BYTES = 4 << 20;
    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    private final ProxyMetrics metrics;

    Freshness(ProxyMetrics metrics) {
        this.metrics = metrics;
    }

    /**
     * The state as of now.
     *
     * @param namespace what is wanted of it; null for all
     * @param arrivedNanos when the request came
     * @return fails when the API server cannot be asked. Handlers may run on the feed's thread
     */
    Future<Answer> now(ResourceFeed feed, String namespace, long arrivedNanos) {
        if (feed.isListedSince(arrivedNanos)) {
            metrics.freshRead("listed");
            FeedState state = feed.state();
            return Future.succeededFuture(
                    new Answer.OfFeed(state, state.position().resourceVersion()));
        }
        long before = feed.state().position().resourceVersion();
        long epoch = feed.state().epoch();
        String wanted = toList(feed, namespace);
        boolean isSmall = isSmall(feed, wanted);
        if (isSmall && feed.isQuietFor(QUIET_MILLIS)) {
            // It will not hear of the present version in a moment.
            return listed(feed, wanted, before, epoch);
        }
        return feed.freshReads().revision().compose(revision -> {
            if (isBehind(feed, revision, before, epoch)) {
                return Future.succeededFuture(behind(feed));
            }
            return feed.reaches(revision, MOMENT_MILLIS).compose(there -> {
                if (there) {
                    metrics.freshRead("feed");
                    return Future.succeededFuture(new Answer.OfFeed(feed.state(), revision));
                }
                return isSmall ? listed(feed, wanted, before, epoch) : patiently(feed, revision);
            });
        });
    }

    /**
     * A state of {@code version} or later, for requests that name it: the feed's if it gets there within a moment; else, the
     * resource being quiet, whatever {@link #now} finds, since a version that the client has seen is no later than that. A
     * version to come is waited for as long as the API server would.
     *
     * @param namespace what is wanted of it; null for all
     * @return fails when the API server cannot be asked. Handlers may run on the feed's thread
     */
    Future<Answer> atLeast(ResourceFeed feed, String namespace, long version, long arrivedNanos) {
        long began = System.nanoTime();
        return feed.reaches(version, MOMENT_MILLIS).compose(there -> {
            if (there) {
                return Future.succeededFuture(new Answer.OfFeed(feed.state(), version));
            }
            return now(feed, namespace, arrivedNanos).compose(answer -> {
                if (versionOf(answer) >= version) {
                    return Future.succeededFuture(answer);
                }
                long left = PATIENCE_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
                return feed.reaches(version, Math.max(1, left)).map(late -> {
                    FeedState state = feed.state();
                    return late
                            ? new Answer.OfFeed(state, version)
                            : new Answer.TooLarge(version, state.position().resourceVersion());
                });
            });
        });
    }

    /** What is known of the cluster's version by {@code answer}; as large as can be where it is for the API server to say. */
    private static long versionOf(Answer answer) {
        if (answer instanceof Answer.OfFeed of) {
            return of.state().position().resourceVersion();
        }
        return answer instanceof Answer.Listed listed ? listed.resourceVersion() : Long.MAX_VALUE;
    }

    /** Whether the API server's version is below what the feed was at when it was asked, and the feed is still of that epoch. */
    private static boolean isBehind(ResourceFeed feed, long version, long before, long epoch) {
        return version < before && feed.state().epoch() == epoch;
    }

    private Answer behind(ResourceFeed feed) {
        feed.distrust("older upstream");
        metrics.freshRead("behind");
        return new Answer.Behind();
    }

    /**
     * The namespace whose objects are to be listed; null for all: those of a small state serve more of those who ask, and a
     * selector may hold any text, of which none comes into a path that cannot be a namespace.
     */
    private static String toList(ResourceFeed feed, String namespace) {
        boolean isPart = namespace != null
                && feed.bytes() > SMALL_BYTES
                && feed.resource().namespaced()
                && DNS_LABEL.matcher(namespace).matches();
        return isPart ? namespace : null;
    }

    /** Whether the wanted part of the state is small. */
    private static boolean isSmall(ResourceFeed feed, String namespace) {
        if (feed.bytes() <= SMALL_BYTES) {
            return true;
        }
        if (namespace == null) {
            return false;
        }
        long bytes = 0;
        Iterator<StoredObject> objects =
                new SnapshotRange(feed.state().position().objects(), namespace, null).iterator();
        while (objects.hasNext() && bytes <= SMALL_BYTES) {
            bytes += objects.next().bytes().length;
        }
        return bytes <= SMALL_BYTES;
    }

    private Future<Answer> listed(ResourceFeed feed, String namespace, long before, long epoch) {
        return feed.freshReads().state(namespace).compose(read -> {
            FeedState state = feed.state();
            if (read.isEmpty()) {
                return feed.freshReads()
                        .revision()
                        .compose(revision -> isBehind(feed, revision, before, epoch)
                                ? Future.succeededFuture(behind(feed))
                                : patiently(feed, revision));
            }
            FreshReads.Fresh fresh = read.get();
            if (isBehind(feed, fresh.resourceVersion(), before, epoch)) {
                return Future.succeededFuture(behind(feed));
            }
            if (state.position().resourceVersion() >= fresh.resourceVersion()) {
                metrics.freshRead("feed");
                return Future.succeededFuture(new Answer.OfFeed(state, fresh.resourceVersion()));
            }
            metrics.freshRead("list");
            return Future.succeededFuture(new Answer.Listed(fresh.resourceVersion(), fresh.objects(), state));
        });
    }

    private Future<Answer> patiently(ResourceFeed feed, long revision) {
        feed.hasten(revision);
        return feed.reaches(revision, PATIENCE_MILLIS).map(there -> {
            if (there) {
                metrics.freshRead("feed");
                return new Answer.OfFeed(feed.state(), revision);
            }
            metrics.freshRead("late");
            return new Answer.NotInTime(revision, feed.state().position().resourceVersion());
        });
    }
}
