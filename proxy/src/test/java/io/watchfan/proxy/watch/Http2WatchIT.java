package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watches over HTTP/2 without TLS, by prior knowledge. */
@Timeout(60)
final class Http2WatchIT {
    private final Vertx vertx = Vertx.vertx();
    private final HttpClientAgent http = vertx.createHttpClient(new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false)
            .setHttp2ConnectionWindowSize(16 << 20));
    private ScriptedApiServer upstream;
    private ProxyFixture proxy;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedApiServer();
        proxy = new ProxyFixture(upstream, "--write-timeout", "1s");
    }

    @AfterEach
    void stop() throws Exception {
        http.close().await(20, TimeUnit.SECONDS);
        vertx.close().await(20, TimeUnit.SECONDS);
        proxy.close();
        upstream.close();
    }

    /** A watch's answer, paused, and what has come of it. */
    private static final class Watch {
        final HttpClientResponse response;
        final Queue<String> pieces = new ConcurrentLinkedQueue<>();
        volatile boolean ended;
        volatile Throwable trouble;

        Watch(HttpClientResponse response) {
            this.response = response;
            response.handler((Buffer bytes) -> pieces.add(bytes.toString()));
            response.endHandler(v -> ended = true);
            response.exceptionHandler(e -> trouble = e);
        }

        String text() {
            return String.join("", pieces);
        }

        List<String> lines() {
            String all = text();
            return all.substring(0, all.lastIndexOf('\n') + 1).lines().toList();
        }
    }

    private HttpClientRequest request(String query) throws Exception {
        return http.request(HttpMethod.GET, proxy.port(), "127.0.0.1", "/api/v1/pods?watch=true" + query)
                .await(15, TimeUnit.SECONDS);
    }

    private Watch watch(String query) throws Exception {
        return request(query)
                .send()
                .map(response -> {
                    response.pause();
                    return new Watch(response);
                })
                .await(15, TimeUnit.SECONDS);
    }

    @Test
    void shouldStreamEventsAndEndCleanly() throws Exception {
        upstream.pods().put("a/one");
        Watch watch = watch("&timeoutSeconds=2");
        assertThat(watch.response.version()).isEqualTo(HttpVersion.HTTP_2);
        assertThat(watch.response.statusCode()).isEqualTo(200);
        assertThat(watch.response.getHeader("Content-Type")).isEqualTo("application/json");
        watch.response.resume();
        List<String> expected = new ArrayList<>();
        expected.add("{\"type\":\"ADDED\",\"object\":" + upstream.pods().get("a/one") + "}");
        for (int i = 0; i < 30; i++) {
            upstream.pods().putPadded("a/one", i * 3000);
            expected.add("{\"type\":\"MODIFIED\",\"object\":" + upstream.pods().get("a/one") + "}");
        }

        await().until(() -> watch.ended);

        assertThat(watch.lines()).isEqualTo(expected);
        assertThat(watch.trouble).isNull();
        proxy.awaitNothingLeft("pods");
        assertThat(proxy.ends("deadline")).isEqualTo(1);
    }

    @Test
    void shouldCarryManyWatchesOnOneConnectionWhereOneIsStuck() throws Exception {
        upstream.pods().put("a/one");
        Watch stuck = watch("");
        Watch moving = watch("");
        moving.response.resume();
        long last = 0;
        for (int i = 0; i < 400; i++) {
            last = upstream.pods().putPadded("a/one", 8000);
        }
        String end = "\"resourceVersion\":\"" + last + "\"";
        await().atMost(Duration.ofSeconds(20)).until(() -> moving.text().indexOf(end) > 0);
        assertThat(moving.lines()).hasSize(401);

        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.ends("write_timeout") == 1);

        assertThat(stuck.ended).isFalse();
        assertThat(proxy.watchers()).isEqualTo(1);
        upstream.pods().put("a/two");
        await().until(() -> moving.text().indexOf("\"name\":\"two\"") > 0);
    }

    @Test
    void shouldRefuseAForeignAuthority() throws Exception {
        HttpClientRequest request = request("");
        request.authority(HostAndPort.create("evil.example", proxy.port()));

        int code = request.send().map(HttpClientResponse::statusCode).await(15, TimeUnit.SECONDS);

        assertThat(code).isEqualTo(403);
        assertThat(proxy.watchers()).isZero();
    }

    @Test
    void shouldHoldLittleOfAStuckStream() throws Exception {
        for (int i = 0; i < 60; i++) {
            upstream.pods().putPadded("a/n" + i, 1_000_000);
        }
        Watch stuck = watch("");
        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.ends("write_timeout") == 1);

        assertThat(stuck.ended).isFalse();
        assertThat(proxy.metrics().bytesOut().count())
                .as("bytes handed to a stream whose client takes nothing")
                .isLessThan(3_000_000);
    }

    @Test
    void shouldLetALateReaderCatchUpExactly() throws Exception {
        upstream.pods().put("a/one");
        Watch late = watch("");
        List<String> expected = new ArrayList<>();
        expected.add("{\"type\":\"ADDED\",\"object\":" + upstream.pods().get("a/one") + "}");
        for (int i = 0; i < 60; i++) {
            upstream.pods().putPadded("a/one", 8000);
            expected.add("{\"type\":\"MODIFIED\",\"object\":" + upstream.pods().get("a/one") + "}");
        }

        late.response.resume();

        await().until(() -> late.lines().size() == expected.size());
        assertThat(late.lines()).isEqualTo(expected);
    }

    @Test
    void shouldLeaveNothingOfAStreamThatItsClientResets() throws Exception {
        for (int i = 0; i < 400; i++) {
            upstream.pods().putPadded("a/n" + i, 8000);
        }
        Watch inInitialState = watch("");
        Watch inStep = watch("&resourceVersion=" + upstream.version());
        proxy.awaitWatchers(2);

        vertx.runOnContext(v -> {
            inInitialState.response.request().reset(8);
            inStep.response.request().reset(8);
        });

        proxy.awaitNothingLeft("pods");
    }
}
