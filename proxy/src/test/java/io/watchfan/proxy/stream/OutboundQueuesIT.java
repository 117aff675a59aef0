package io.watchfan.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The fields of Vert.x that are reached into are there: where they are not, an idle watch takes twice the memory. */
@Timeout(60)
final class OutboundQueuesIT {
    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void stop() throws Exception {
        vertx.close().await(20, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void shouldGiveAStreamASmallQueueThatCarriesAsTheOtherDid(HttpVersion version) throws Exception {
        CompletableFuture<Queue<?>> queue = new CompletableFuture<>();
        HttpServer server = vertx.createHttpServer()
                .requestHandler(request -> request.response()
                        .setChunked(true)
                        .writeHead()
                        .onSuccess(v -> {
                            assertThat(request.version()).isEqualTo(version);
                            OutboundQueues.shrink(request);
                            queue.complete(OutboundQueues.queueOf(request));
                            for (int i = 0; i < 2000; i++) {
                                request.response().write(i + "\n");
                            }
                            request.response().end();
                        }))
                .listen(0, "127.0.0.1")
                .await(20, TimeUnit.SECONDS);
        HttpClientOptions options =
                new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false);

        Buffer body = vertx.createHttpClient(options)
                .request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/")
                .compose(HttpClientRequest::send)
                .compose(HttpClientResponse::body)
                .await(20, TimeUnit.SECONDS);

        assertThat(queue.get(1, TimeUnit.SECONDS)).isInstanceOf(ConcurrentLinkedQueue.class);
        assertThat(body.toString().lines()).hasSize(2000).first().isEqualTo("0");
        assertThat(body.toString()).endsWith("1998\n1999\n");
    }
}
