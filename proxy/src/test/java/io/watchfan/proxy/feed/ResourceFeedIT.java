package io.watchfan.proxy.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.LogLimits;
import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.feed.FeedRegistry.Lookup;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.upstream.ObjectEncoding;
import io.watchfan.proxy.upstream.UpstreamClients;
import io.watchfan.proxy.upstream.UpstreamTarget;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a feed promises to who reads it from other threads; the API server is scripted. */
@Timeout(60)
final class ResourceFeedIT {
    private final Vertx feeding = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Context context = feeding.getOrCreateContext();

    /** The API server's writes reach the socket of the watch before they return; the feed's thread is kept from reading it. */
    @Test
    void shouldSettleOnAStateWithAllThatHadBeenSentBefore() throws Exception {
        try (ScriptedApiServer upstream = new ScriptedApiServer("pods");
                ProxyMetrics metrics = new ProxyMetrics()) {
            ProxyConfig config = ConfigLoader.parse("--upstream", upstream.url());
            UpstreamClients clients =
                    new UpstreamClients(UpstreamTarget.of(config.upstream()), config, feeding, feeding);
            FeedLimits limits = new FeedLimits(
                    new LogLimits(1000, 1 << 20, Long.MAX_VALUE / 2),
                    1L << 30,
                    true,
                    true,
                    10,
                    Duration.ofMinutes(10),
                    Duration.ofMinutes(1));
            FeedRegistry feeds =
                    new FeedRegistry(feeding, () -> context, clients.feeds(), clients.reads(), limits, metrics);
            ResourceFeed feed = feed(feeds);
            assertThat(feed.whenListed().await(10, TimeUnit.SECONDS)).isNotNull();
            // So that its watch is open, and known to be read.
            long first = upstream.pods().put("a/first");
            assertThat(feed.reaches(first, 10_000).await(10, TimeUnit.SECONDS)).isTrue();

            for (int round = 0; round < 100; round++) {
                CountDownLatch hold = new CountDownLatch(1);
                context.runOnContext(v -> awaitLatch(hold));
                long version = upstream.pods().put("a/pod");
                Future<FeedState> settled = feed.settled();
                hold.countDown();

                assertThat(settled.await(10, TimeUnit.SECONDS).position().resourceVersion())
                        .isEqualTo(version);
            }
            feeds.stopAll();
            clients.closeAll().await(10, TimeUnit.SECONDS);
        } finally {
            feeding.close().await(10, TimeUnit.SECONDS);
        }
    }

    private static ResourceFeed feed(FeedRegistry feeds) throws Exception {
        Lookup found = feeds.find(new GroupVersionResource("", "v1", "pods"), null, ObjectEncoding.JSON, 0)
                .await(10, TimeUnit.SECONDS);
        return ((Lookup.Found) found).feed();
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
