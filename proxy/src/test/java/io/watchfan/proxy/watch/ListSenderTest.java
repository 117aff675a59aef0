package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.watchfan.proxy.metrics.ProxyMetrics;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A list on its way to a client that takes whatever it is sent at once. */
@Timeout(60)
final class ListSenderTest {
    private static final int PORTIONS = 1000;

    private int sent;

    /** Has all written at once, and counts it. */
    private HttpServerResponse response() {
        return (HttpServerResponse) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {HttpServerResponse.class}, (self, method, args) -> {
                    switch (method.getName()) {
                        case "write", "end" -> {
                            sent++;
                            return Future.succeededFuture();
                        }
                        case "closed", "ended" -> {
                            return false;
                        }
                        default -> {
                            return self;
                        }
                    }
                });
    }

    private HttpServerRequest request() {
        HttpServerResponse response = response();
        return (HttpServerRequest) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HttpServerRequest.class},
                (self, method, args) -> method.getName().equals("response") ? response : "/a/path");
    }

    private static final class Numbers implements PortionSource {
        private int left = PORTIONS;

        @Override
        public Buffer next() {
            left--;
            return Buffer.buffer("a portion");
        }

        @Override
        public boolean isDone() {
            return left == 0;
        }

        @Override
        public void close() {}
    }

    @Test
    void shouldLetOthersGoOnAfterEachPortion() throws Exception {
        Vertx vertx = Vertx.vertx();
        ProxyMetrics metrics = new ProxyMetrics();
        try {
            Context context = vertx.getOrCreateContext();
            CompletableFuture<Integer> sentBeforeOthers = new CompletableFuture<>();
            CompletableFuture<Integer> sentInAll = new CompletableFuture<>();
            context.runOnContext(v -> {
                LoopDispatcher loop =
                        new LoopDispatcher(vertx, context, metrics, Duration.ofMinutes(1), Duration.ofMinutes(1));
                long deadline = LoopDispatcher.nowMillis() + 60_000;
                ListSender sender =
                        new ListSender(loop, request(), new Numbers(), deadline, () -> sentInAll.complete(sent));
                sender.start(Buffer.buffer("the first"));
                context.runOnContext(others -> sentBeforeOthers.complete(sent));
            });

            assertThat(sentBeforeOthers.get(30, TimeUnit.SECONDS)).isLessThanOrEqualTo(3);
            assertThat(sentInAll.get(30, TimeUnit.SECONDS)).isEqualTo(PORTIONS + 1);
        } finally {
            vertx.close().await(10, TimeUnit.SECONDS);
            metrics.close();
        }
    }
}
