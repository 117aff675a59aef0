package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.watchfan.proxy.metrics.ProxyMetrics;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A list on its way to a client that takes whatever it is sent at once. */
@Timeout(60)
final class ListSenderTest {
    private static final int PORTIONS = 1000;

    private int sent;
    private boolean refusing;
    private boolean ended;
    /** Null where all is sent at once. */
    private Queue<Promise<Void>> underWay;

    private Handler<?> onClose;

    /** Counts what is written. */
    private HttpServerResponse response() {
        return (HttpServerResponse) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {HttpServerResponse.class}, (self, method, args) -> {
                    switch (method.getName()) {
                        case "write", "end" -> {
                            if (refusing) {
                                throw new IllegalStateException("the response is closed");
                            }
                            sent++;
                            ended |= method.getName().equals("end");
                            if (underWay == null) {
                                return Future.succeededFuture();
                            }
                            Promise<Void> taken = Promise.promise();
                            underWay.add(taken);
                            return taken.future();
                        }
                        case "closeHandler" -> {
                            onClose = (Handler<?>) args[0];
                            return self;
                        }
                        case "closed" -> {
                            return false;
                        }
                        case "ended" -> {
                            return ended;
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
        private final Runnable onClose;
        private int left;

        Numbers(Runnable onClose) {
            this(PORTIONS, onClose);
        }

        Numbers(int count, Runnable onClose) {
            this.left = count;
            this.onClose = onClose;
        }

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
        public void close() {
            onClose.run();
        }
    }

    /** Runs {@code action} on a loop of its own until it has completed the future. */
    private static <T> T onLoop(BiConsumer<LoopDispatcher, CompletableFuture<T>> action) throws Exception {
        Vertx vertx = Vertx.vertx();
        ProxyMetrics metrics = new ProxyMetrics();
        try {
            Context context = vertx.getOrCreateContext();
            CompletableFuture<T> result = new CompletableFuture<>();
            context.runOnContext(v -> {
                try {
                    action.accept(
                            new LoopDispatcher(vertx, context, metrics, Duration.ofMinutes(1), Duration.ofMinutes(1)),
                            result);
                } catch (RuntimeException | AssertionError e) {
                    result.completeExceptionally(e);
                }
            });
            return result.get(30, TimeUnit.SECONDS);
        } finally {
            vertx.close().await(10, TimeUnit.SECONDS);
            metrics.close();
        }
    }

    private ListSender sender(LoopDispatcher loop, PortionSource portions) {
        return new ListSender(loop, request(), portions, LoopDispatcher.nowMillis() + 60_000);
    }

    @Test
    void shouldLetOthersGoOnAfterEachPortion() throws Exception {
        int sentBeforeOthers = onLoop((loop, result) -> {
            sender(loop, new Numbers(() -> {})).start(Buffer.buffer("the first"));
            loop.execute(() -> result.complete(sent));
        });

        assertThat(sentBeforeOthers).isLessThanOrEqualTo(3);
    }

    @Test
    void shouldSendAll() throws Exception {
        int sentInAll = onLoop((loop, result) ->
                sender(loop, new Numbers(() -> result.complete(sent))).start(Buffer.buffer("the first")));

        assertThat(sentInAll).isEqualTo(PORTIONS + 1);
    }

    /** What was sent before the end may have been taken long before that has. */
    @Test
    void shouldNotBeOverBeforeItsEndHasBeenSent() throws Exception {
        underWay = new ArrayDeque<>();
        AtomicInteger closed = new AtomicInteger();
        List<Integer> closedBeforeAndThen = onLoop((loop, result) -> {
            sender(loop, new Numbers(1, closed::incrementAndGet)).start(Buffer.buffer("the first"));
            underWay.remove().complete();
            loop.execute(() -> loop.execute(() -> {
                int before = closed.get();
                underWay.remove().complete();
                result.complete(List.of(before, closed.get()));
            }));
        });

        assertThat(closedBeforeAndThen).containsExactly(0, 1);
    }

    @Test
    void shouldCountABodyOnceWhoeverFindsThatItsClientIsGone() throws Exception {
        refusing = true;
        AtomicInteger closed = new AtomicInteger();
        List<Long> counts = onLoop((loop, result) -> {
            BodiesUnderWay underWay = new BodiesUnderWay(loop.metrics());
            PortionSource other = underWay.begin(new Numbers(() -> {}));
            PortionSource body = underWay.begin(new Numbers(closed::incrementAndGet));
            assertThat(underWay.count()).isEqualTo(2);

            assertThatThrownBy(() -> sender(loop, body).start(Buffer.buffer("the first")))
                    .hasMessage("the response is closed");
            body.close();
            onClose.handle(null);
            List<Long> withOther =
                    List.of((long) underWay.count(), loop.metrics().listCount());
            other.close();
            result.complete(Stream.concat(
                            withOther.stream(),
                            Stream.of((long) underWay.count(), loop.metrics().listCount()))
                    .toList());
        });

        assertThat(counts).containsExactly(1L, 1L, 0L, 0L);
        assertThat(closed).hasValue(1);
    }

    @Test
    void shouldMakeNothingMoreOnceTheLoopIsClosed() throws Exception {
        int sentAfterwards = onLoop((loop, result) -> {
            Context context = Vertx.currentContext();
            sender(loop, new Numbers(() -> {})).start(Buffer.buffer("the first"));
            loop.close();
            int before = sent;
            context.runOnContext(a -> context.runOnContext(b -> result.complete(sent - before)));
        });

        assertThat(sentAfterwards).isZero();
    }
}
