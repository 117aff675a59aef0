package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.watchfan.proxy.testing.GzipMembers;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.TestClient;
import io.watchfan.proxy.testing.TestClient.Event;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists and single objects, compressed and not, for clients that read at their own pace. */
@Timeout(120)
final class CompressedReadsIT extends BothEncodings {
    private static final String JSON = "Accept: application/json";
    private static final String PROTOBUF = "Accept: " + PROTOBUF_TYPE;
    private static final String LIST = "/api/v1/pods?resourceVersion=0";

    CompressedReadsIT() {
        super("--write-timeout", "2s");
    }

    /** More than the kernel takes of one that does not read. */
    private void putManyPods() throws IOException {
        for (int i = 0; i < 300; i++) {
            upstream.pods().putPadded("a/n" + i, 60_000);
        }
        upstream.pods().put("b/last");
        proxy.watch("").eventsThrough(upstream.version());
    }

    private static byte[] plain(TestClient client) throws IOException {
        TestClient.Head head = client.head();
        assertThat(head.value("Content-Encoding")).isNull();
        assertThat(head.value("Vary")).isNull();
        return head.value("Content-Length") == null
                ? client.wholeBody()
                : client.bytes(Integer.parseInt(head.value("Content-Length")));
    }

    private static byte[] unzipped(TestClient client) throws IOException {
        return client.unzipping().wholeBody();
    }

    @ParameterizedTest
    @ValueSource(strings = {JSON, PROTOBUF, JSON + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"})
    void shouldGiveSlowAndQuickClientsTheSameListWhetherCompressedOrNot(String accept) throws Exception {
        putManyPods();
        List<TestClient> slow = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            slow.add(
                    i % 2 == 0
                            ? proxy.smallClient().get(LIST, accept, GZIP)
                            : proxy.smallClient().get(LIST, accept));
        }
        byte[] list = plain(proxy.client().get(LIST, accept));
        for (int i = 0; i < 4; i++) {
            assertThat(list).isEqualTo(plain(proxy.client().get(LIST, accept)));
            if (list.length > 131_072) {
                assertThat(list).isEqualTo(unzipped(proxy.client().get(LIST, accept, GZIP)));
            }
        }

        for (int i = 0; i < 4; i++) {
            assertThat(list)
                    .isEqualTo(i % 2 == 0 && list.length > 131_072 ? unzipped(slow.get(i)) : plain(slow.get(i)));
        }
    }

    @Test
    void shouldLeaveNothingOfClientsThatGoInTheMiddle() throws Exception {
        putManyPods();
        int users = proxy.users("pods");
        byte[] list = plain(proxy.client().get(LIST));
        List<TestClient> going = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            TestClient client = proxy.smallClient();
            client.get(LIST, JSON, i % 2 == 0 ? GZIP : "X-Any: thing").head();
            client.bodyBytes(5000);
            going.add(client);
        }
        for (TestClient client : going) {
            client.reset();
        }

        assertThat(list).isEqualTo(unzipped(proxy.client().get(LIST, GZIP)));
        await().atMost(Duration.ofSeconds(20)).until(() -> proxy.users("pods") == users && proxy.listsUnderWay() == 0);
    }

    @Test
    void shouldGoOnWithTheListThatWasBegunWhenTheStateBeginsAnew() throws Exception {
        putManyPods();
        TestClient slow = proxy.smallClient().get(LIST, JSON);
        TestClient zipped = proxy.smallClient().get(LIST, JSON, GZIP);
        byte[] list = plain(proxy.client().get(LIST));
        TestClient watch = proxy.watch("&resourceVersion=" + upstream.version());
        upstream.setVersion(500);
        for (int i = 0; i < 300; i++) {
            upstream.pods().forget("a/n" + i);
        }
        upstream.pods().putPadded("a/n1", 200_000);
        assertThat(watch.untilEnd()).extracting(Event::brief).containsExactly("ERROR 410");

        byte[] now = unzipped(proxy.client().get(LIST, GZIP));
        assertThat(now.length).isBetween(200_000, 202_000);
        assertThat(plain(slow)).isEqualTo(list);
        assertThat(unzipped(zipped)).isEqualTo(list);
        assertThat(plain(proxy.client().get(LIST))).isEqualTo(now);
    }

    @ParameterizedTest
    @ValueSource(strings = {JSON, PROTOBUF})
    void shouldCompressALargeObject(String accept) throws Exception {
        upstream.pods().putPadded("a/large", 1_000_000);
        upstream.pods().putPadded("a/small", 120_000);
        proxy.watch("").eventsThrough(upstream.version());
        String large = "/api/v1/namespaces/a/pods/large?resourceVersion=0";

        byte[] object = unzipped(proxy.client().get(large, accept, GZIP));

        assertThat(object)
                .hasSizeGreaterThan(1_000_000)
                .isEqualTo(plain(proxy.client().get(large, accept)));
        assertThat(plain(proxy.client().get(large, accept, "Accept-Encoding: gzip;q=1")))
                .isEqualTo(object);
        assertThat(plain(proxy.client().get(large.replace("large", "small"), accept, GZIP)))
                .hasSizeLessThan(131_073);
        await().until(() -> proxy.listsUnderWay() == 0);
    }

    @Test
    void shouldHaveGivenBackItsMemoryOutsideOfTheHeapWhenItHasStopped() throws Exception {
        upstream.pods().putPadded("a/large", 1_000_000);
        unzipped(proxy.client().get(LIST, GZIP));
        List<Object> ofLoops = proxy.ofLoops("gzip");

        proxy.stop();

        assertThat(ofLoops).hasSize(proxy.loops());
        for (Object gzip : ofLoops) {
            Deflater deflater = (Deflater) ProxyFixture.field(gzip, "deflater");
            assertThatThrownBy(deflater::getTotalIn).hasMessageContaining("closed");
        }
    }

    @Test
    void shouldSendAListToItsEndWhenTheProxyIsToldToStop() throws Exception {
        for (int i = 0; i < 300; i++) {
            upstream.pods().putPadded("a/n" + i, 60_000);
        }
        byte[] list = plain(proxy.client().get(LIST));
        TestClient slow = proxy.smallClient().get(LIST);
        await().until(() -> proxy.listsUnderWay() == 1);

        Future<Void> stopped = proxy.beginToStop();
        // What is refused shows that the end has begun.
        await().until(() -> proxy.client().get(LIST).head().code() == 503);

        assertThat(plain(slow)).isEqualTo(list);
        stopped.await(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldSendALargeObjectToItsEndWhenTheProxyIsToldToStop() throws Exception {
        upstream.pods().putPadded("a/large", 1_000_000);
        String large = "/api/v1/namespaces/a/pods/large?resourceVersion=0";
        byte[] object = plain(proxy.client().get(large));
        TestClient slow = proxy.smallClient().get(large);
        await().until(() -> proxy.metrics().listCount() == 1);

        Future<Void> stopped = proxy.beginToStop();
        await().until(() -> proxy.client().get(LIST).head().code() == 503);

        assertThat(plain(slow)).isEqualTo(object);
        stopped.await(20, TimeUnit.SECONDS);
    }

    @Test
    void shouldCompressOverHttp2() throws Exception {
        putManyPods();
        byte[] list = plain(proxy.client().get(LIST));
        Vertx vertx = Vertx.vertx();
        try {
            Buffer body =
                    askOverHttp2(vertx, LIST).compose(HttpClientResponse::body).await(20, TimeUnit.SECONDS);

            assertThat(GzipMembers.decode(body.getBytes())).isEqualTo(list);
            await().until(() -> proxy.listsUnderWay() == 0);
        } finally {
            vertx.close().await(20, TimeUnit.SECONDS);
        }
    }
}
