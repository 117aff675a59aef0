package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.ProxyConfig;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.ScriptedApiServer.Gate;
import io.watchfan.proxy.testing.ScriptedApiServer.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which resources there are, asked as seldom as can be. */
@Timeout(60)
final class DiscoveryTest {
    private static final GroupVersionResource PODS = new GroupVersionResource("", "v1", "pods");

    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong nanos = new AtomicLong(1);
    private final ScriptedApiServer server;
    private final UpstreamClients clients;
    private final Discovery discovery;

    DiscoveryTest() throws IOException {
        server = new ScriptedApiServer("pods", "configmaps");
        ProxyConfig config = ConfigLoader.parse("--upstream", server.url());
        clients = new UpstreamClients(UpstreamTarget.of(config.upstream()), config, vertx, vertx);
        discovery = new Discovery(clients.reads(), nanos::get);
    }

    @AfterEach
    void stop() throws Exception {
        clients.closeAll().await(10, TimeUnit.SECONDS);
        vertx.close().await(10, TimeUnit.SECONDS);
        server.close();
    }

    @Test
    void shouldTellWhatAResourceIs() throws Exception {
        assertThat(find(PODS)).isEqualTo(new ApiResource(PODS, "Pod", true, Set.of("get", "list", "watch")));
    }

    @Test
    void shouldAskOnceHoweverManyWantToKnow() throws Exception {
        Gate gate = server.hold(Kind.DISCOVERY);
        List<Future<ApiResource>> asked = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            asked.add(discovery.find(i % 2 == 0 ? PODS : new GroupVersionResource("", "v1", "configmaps")));
        }
        gate.awaitRequest();
        gate.open();

        for (Future<ApiResource> one : asked) {
            assertThat(one.await(10, TimeUnit.SECONDS)).isNotNull();
        }
        assertThat(server.asked(Kind.DISCOVERY)).hasSize(1);
    }

    @Test
    void shouldBelieveADocumentForAMinute() throws Exception {
        find(PODS);
        pass(59_000);
        find(PODS);
        assertThat(server.asked(Kind.DISCOVERY)).hasSize(1);

        pass(2_000);
        find(PODS);

        assertThat(server.asked(Kind.DISCOVERY)).hasSize(2);
    }

    @Test
    void shouldLookAgainForWhatWasNotThere() throws Exception {
        find(PODS);
        GroupVersionResource services = new GroupVersionResource("", "v1", "services");
        assertThat(find(services)).isNull();
        assertThat(server.asked(Kind.DISCOVERY))
                .as("so young a document is believed")
                .hasSize(1);
        pass(600);
        server.next(Kind.DISCOVERY, 1, (asked, reply) -> {
            reply.send(200, "{\"resources\":[{\"name\":\"services\",\"kind\":\"Service\",\"verbs\":[\"list\"]}]}");
            return true;
        });

        ApiResource found = find(services);

        assertThat(found.kind()).isEqualTo("Service");
        assertThat(found.namespaced()).isFalse();
        assertThat(found.isWatchable()).isFalse();
        assertThat(server.asked(Kind.DISCOVERY)).hasSize(2);
    }

    @Test
    void shouldTakeAGroupThatIsNotThereForOneWithoutResources() throws Exception {
        GroupVersionResource unknown = new GroupVersionResource("e.io", "v1", "shirts");

        assertThat(find(unknown)).isNull();

        assertThat(documents()).doesNotContain("/apis/e.io/v1");
    }

    @Test
    void shouldFailWithWhatTheServerSaidAndAskAgainTheNextTime() throws Exception {
        server.refuse(Kind.DISCOVERY, 1, 503, "ServiceUnavailable");

        assertThatThrownBy(() -> find(PODS))
                .isInstanceOfSatisfying(
                        UpstreamStatusException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(503));

        assertThat(find(PODS).kind()).isEqualTo("Pod");
    }

    @Test
    void shouldFailOnADocumentThatCannotBeReadAndAskAgainTheNextTime() throws Exception {
        server.next(Kind.DISCOVERY, 1, (asked, reply) -> {
            reply.send(200, "{\"resources\":[{\"name\":");
            return true;
        });

        assertThatThrownBy(() -> find(PODS)).hasMessageContaining("/api/v1");

        assertThat(find(PODS).kind()).isEqualTo("Pod");
    }

    @Test
    void shouldForgetOnRequest() throws Exception {
        find(PODS);

        discovery.forget(PODS);
        find(PODS);

        assertThat(server.asked(Kind.DISCOVERY)).hasSize(2);
    }

    @Test
    void shouldKeepTheDocumentsUsedLastAndNoMoreThanItsBound() throws Exception {
        server.next(Kind.OTHER, Integer.MAX_VALUE, (asked, reply) -> {
            reply.send(200, "{\"resources\":[{\"name\":\"shirts\",\"kind\":\"Shirt\",\"verbs\":[]}]}");
            return true;
        });
        find(PODS);
        for (int i = 0; i < 600; i++) {
            find(new GroupVersionResource("g" + i + ".io", "v1", "shirts"));
            find(PODS);
        }

        await().until(() -> documents().size() <= 512);
        assertThat(documents()).contains("/api/v1", "/apis/g599.io/v1").doesNotContain("/apis/g0.io/v1");
        assertThat(server.asked(Kind.DISCOVERY)).hasSize(1);
    }

    /** The process stops while something still wants to know: it must be told no, not left waiting. */
    @Test
    void shouldFailWhenItsClientIsClosed() throws Exception {
        clients.closeAll().await(10, TimeUnit.SECONDS);

        Future<ApiResource> found = discovery.find(PODS);

        await().until(found::isComplete);
        assertThat(found.failed()).isTrue();
    }

    private void pass(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private ApiResource find(GroupVersionResource gvr) throws Exception {
        return discovery.find(gvr).await(10, TimeUnit.SECONDS);
    }

    private List<String> documents() {
        Map<?, ?> documents = (Map<?, ?>) ProxyFixture.field(discovery, "documents");
        synchronized (documents) {
            return documents.keySet().stream().map(Object::toString).toList();
        }
    }
}
