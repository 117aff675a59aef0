package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Runtime.Unknown;
import io.kubernetes.client.proto.V1;
import io.watchfan.proxy.feed.FeedRegistry;
import io.watchfan.proxy.testing.Messages;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.ScriptedApiServer.Kind;
import io.watchfan.proxy.testing.TestClient;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Protobuf and metadata alone, through the whole proxy; what it sends is read by the official client's classes. */
@Timeout(120)
final class RepresentationsIT extends BothEncodings {
    private static final String META = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    private static final String PROTOBUF = "Accept: " + PROTOBUF_TYPE + ",application/json";
    private static final String METADATA = "Accept: application/json" + META;
    private static final String PROTOBUF_METADATA = "Accept: " + PROTOBUF_TYPE + META;
    private static final String WEBSOCKET = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://localhost";
    private static final String STREAMING =
            "&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

    RepresentationsIT() {
        super("--bookmark-interval", "1s");
    }

    private TestClient watch(String query, String... headers) throws Exception {
        return proxy.client().get("/api/v1/pods?watch=true" + query, headers).accepted();
    }

    @Test
    void shouldServeThousandsOfAllKindsFromOneUpstreamWatchOfEachEncoding() throws Exception {
        long first = upstream.pods().put("a/one", "app", "web");
        List<TestClient> protobuf = new ArrayList<>();
        List<TestClient> metadata = new ArrayList<>();
        List<TestClient> protobufMetadata = new ArrayList<>();
        List<TestClient> webSockets = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            String selector = i % 2 == 0 ? "" : "&labelSelector=app%3Dweb";
            protobuf.add(watch(selector, PROTOBUF));
            (i % 2 == 0 ? metadata : protobufMetadata).add(watch(selector, i % 2 == 0 ? METADATA : PROTOBUF_METADATA));
            webSockets.add(watch(selector, WEBSOCKET));
        }
        String added = "ADDED one " + first;
        for (TestClient client : protobuf) {
            assertThat(client.frame().brief()).isEqualTo(added);
        }
        for (TestClient client : protobufMetadata) {
            assertThat(client.frame().brief()).isEqualTo(added);
        }
        for (TestClient client : metadata) {
            assertThat(client.event().brief()).isEqualTo(added);
        }
        for (TestClient client : webSockets) {
            assertThat(TestClient.Event.of(client.message().text().strip()).brief())
                    .isEqualTo(added);
        }

        long second = upstream.pods().put("a/one", "app", "web", "x", "y");
        long third = upstream.pods().delete("a/one");

        List<String> wanted = List.of("MODIFIED one " + second, "DELETED one " + third);
        for (TestClient client : protobuf) {
            assertThat(client.frames(2)).isEqualTo(wanted);
        }
        for (TestClient client : protobufMetadata) {
            assertThat(client.frames(2)).isEqualTo(wanted);
        }
        for (TestClient client : metadata) {
            assertThat(client.events(2)).extracting(TestClient.Event::brief).isEqualTo(wanted);
        }
        for (TestClient client : webSockets) {
            for (String event : wanted) {
                assertThat(TestClient.Event.of(client.message().text().strip()).brief())
                        .isEqualTo(event);
            }
        }
        assertThat(proxy.watchers()).isEqualTo(3000);
        assertThat(upstream.pods().watches()).isEqualTo(2);
        assertThat(upstream.asked(Kind.STREAMING_LIST))
                .extracting(asked -> asked.headers().get("accept"))
                .containsExactlyInAnyOrder("application/json", PROTOBUF_TYPE);
        assertThat(upstream.asked(Kind.WATCH)).isEmpty();
    }

    /** So many of each that every event loop has several: of initial states, of the log, and of what all in step get. */
    @Test
    void shouldKeepApartWhoWantsTheSameObjectsInOtherWays() throws Exception {
        long held = upstream.pods().put("a/one");
        TestClient json = proxy.watch("");
        TestClient protobuf = watch("", PROTOBUF);
        json.event();
        protobuf.frame();
        long first = upstream.pods().put("a/two");
        json.event();
        protobuf.frame();
        Map<String, String> kinds = Map.of(
                "Accept: application/json",
                "\"kind\":\"Pod\",\"apiVersion\":\"v1\"",
                METADATA,
                "\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\"",
                METADATA + "beta1",
                "\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1beta1\"",
                PROTOBUF,
                "Pod",
                PROTOBUF_METADATA,
                "PartialObjectMetadata");
        Map<TestClient, String> clients = new LinkedHashMap<>();
        for (int i = 0; i < 12; i++) {
            for (Map.Entry<String, String> kind : kinds.entrySet()) {
                clients.put(watch(i % 2 == 0 ? STREAMING : "&resourceVersion=" + held, kind.getKey()), kind.getValue());
            }
        }
        int client = 0;
        for (Map.Entry<TestClient, String> each : clients.entrySet()) {
            int count = client++ / kinds.size() % 2 == 0 ? 3 : 1;
            for (int i = 0; i < count; i++) {
                assertKind(each.getKey(), each.getValue());
            }
        }

        assertThat(upstream.pods().put("a/two", "x", "y")).isGreaterThan(first);

        for (Map.Entry<TestClient, String> each : clients.entrySet()) {
            assertKind(each.getKey(), each.getValue());
        }
    }

    /** That the next event is of an object as this kind; kinds in JSON come with what is around them. */
    private static void assertKind(TestClient client, String kind) throws Exception {
        if (kind.startsWith("\"")) {
            assertThat(client.line()).contains("\"object\":{" + kind);
        } else {
            assertThat(client.frame().kind()).isEqualTo(kind);
        }
    }

    @Test
    void shouldSendTheMessagesThatCame() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = proxy.client().get("/api/v1/pods?watch=true", PROTOBUF);
        TestClient.Head head = client.head();
        assertThat(head.value("Content-Type")).isEqualTo(PROTOBUF_TYPE + ";stream=watch");
        String before = upstream.pods().get("a/one");
        assertThat(client.frame().object()).isEqualTo(Messages.objectOf(before));

        upstream.pods().putPadded("a/one", 100_000, "app", "web");

        Messages.Event modified = client.frame();
        assertThat(modified.type()).isEqualTo("MODIFIED");
        assertThat(modified.kind()).isEqualTo("Pod");
        assertThat(modified.object())
                .isEqualTo(Messages.objectOf(upstream.pods().get("a/one")));
    }

    /** With a digit more in the version every length around it changes; with metadata of 127 bytes, the length of one. */
    @ParameterizedTest
    @ValueSource(
            strings = {"a/one", "a/a-name-so-long-that-with-its-version-the-metadata-takes-more-than-it-did-before"})
    void shouldPutTheVersionIntoAnObjectThatLeavesASelector(String path) throws Exception {
        for (int pad = 0; pad < 40; pad++) {
            upstream.setVersion(99_997);
            String name = path + "x".repeat(pad);
            String label = "b".repeat(1 + pad);
            upstream.pods().put(name, "app", "web", label, "c");
        }
        TestClient whole = watch("&labelSelector=app%3Dweb", PROTOBUF);
        TestClient metadata = watch("&labelSelector=app%3Dweb", PROTOBUF_METADATA);
        TestClient json = watch("&labelSelector=app%3Dweb", METADATA);
        whole.frames(40);
        metadata.frames(40);
        json.events(40);
        for (int pad = 0; pad < 40; pad++) {
            String name = path + "x".repeat(pad);
            String before = upstream.pods().get(name);

            long left = upstream.pods().put(name, "app", "db");

            assertThat(left).isGreaterThan(99_998);
            String after = before.replace("\"resourceVersion\":\"99998\"", "\"resourceVersion\":\"" + left + "\"");
            assertThat(after).isNotEqualTo(before);
            V1.Pod wanted = V1.Pod.parseFrom(Messages.objectOf(after));
            Messages.Event gone = whole.frame();
            assertThat(gone.type()).isEqualTo("DELETED");
            assertThat(gone.object()).isEqualTo(wanted.toByteArray());
            assertThat(metadata.frame().object())
                    .isEqualTo(Meta.PartialObjectMetadata.newBuilder()
                            .setMetadata(wanted.getMetadata())
                            .build()
                            .toByteArray());
            assertThat(json.line()).isEqualTo("{\"type\":\"DELETED\",\"object\":" + metadataOf(after, "v1") + "}");
        }
    }

    private static String metadataOf(String object, String version) {
        int metadata = object.indexOf("\"metadata\":");
        return "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/" + version + "\","
                + object.substring(metadata, object.indexOf(",\"spec\"")) + "}";
    }

    @Test
    void shouldEndInitialEventsWithABookmarkAndGoOnSendingThem() throws Exception {
        long version = upstream.pods().put("a/one");
        TestClient whole = watch(STREAMING, PROTOBUF);
        TestClient metadata = watch(STREAMING, PROTOBUF_METADATA);
        TestClient json = watch(STREAMING, METADATA);

        for (TestClient client : List.of(whole, metadata)) {
            String kind = client == whole ? "Pod" : "PartialObjectMetadata";
            assertThat(client.frame().brief()).isEqualTo("ADDED one " + version);
            Messages.Event mark = client.frame();
            assertThat(mark.brief()).isEqualTo("BOOKMARK " + version);
            assertThat(mark.kind()).isEqualTo(kind);
            assertThat(mark.annotations()).isEqualTo(Map.of("k8s.io/initial-events-end", "true"));
        }
        json.event();
        assertThat(json.line())
                .isEqualTo("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"PartialObjectMetadata\","
                        + "\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"" + version
                        + "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}");

        upstream.setVersion(version + 100_000);
        long later = upstream.pods().bookmark();

        for (TestClient client : List.of(whole, metadata)) {
            Messages.Event bookmark = client.frame();
            assertThat(bookmark.brief()).isEqualTo("BOOKMARK " + later);
            assertThat(bookmark.annotations()).isEmpty();
        }
        assertThat(json.line())
                .isEqualTo("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"PartialObjectMetadata\","
                        + "\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"" + later + "\"}}}");
    }

    @Test
    void shouldEndAWatchFromBeforeTheWindowWithAnErrorInItsEncoding() throws Exception {
        upstream.pods().put("a/one");
        watch("", PROTOBUF).frame();

        TestClient whole = watch("&resourceVersion=1", PROTOBUF);
        TestClient metadata = watch("&resourceVersion=1", PROTOBUF_METADATA);
        for (TestClient client : List.of(whole, metadata)) {
            Messages.Event error = client.frame();
            assertThat(error.type()).isEqualTo("ERROR");
            assertThat(error.kind()).isEqualTo("Status");
            assertThat(error.status().getCode()).isEqualTo(410);
            assertThat(error.status().getReason()).isEqualTo("Expired");
            assertThat(error.status().getMessage()).startsWith("too old resource version: 1 (");
            assertThat(client.frame()).isNull();
        }
    }

    @Test
    void shouldRepairAGapInProtobufAsInJson() throws Exception {
        long first = upstream.pods().put("a/gone");
        upstream.pods().put("a/left", "app", "web");
        long held = upstream.pods().put("a/stays", "app", "web");
        TestClient all = watch("", PROTOBUF);
        TestClient selected = watch("&labelSelector=app%3Dweb", PROTOBUF);
        all.frames(3);
        selected.frames(2);
        assertThat(first).isLessThan(held);

        upstream.pods().mute(true);
        upstream.setVersion(99_990);
        upstream.pods().delete("a/gone");
        long left = upstream.pods().put("a/left", "app", "db");
        long created = upstream.pods().put("a/new", "app", "web");
        upstream.pods().compact();
        upstream.pods().mute(false);
        upstream.pods().endWatches();

        assertThat(all.frames(3))
                .containsExactly("DELETED gone " + held, "MODIFIED left " + left, "ADDED new " + created);
        assertThat(selected.frames(2)).containsExactly("DELETED left " + held, "ADDED new " + created);
    }

    @Test
    void shouldListInPages() throws Exception {
        for (int i = 0; i < 5; i++) {
            upstream.pods().put("a/n" + i, "app", i % 2 == 0 ? "web" : "db");
        }
        long version = upstream.version();
        V1.PodList all = list("", PROTOBUF, "PodList");
        assertThat(all.getItemsList()).hasSize(5);
        assertThat(all.getItems(0).toByteArray())
                .isEqualTo(Messages.objectOf(upstream.pods().get("a/n0")));
        assertThat(all.getMetadata().getResourceVersion()).isEqualTo(Long.toString(version));

        V1.PodList page = list("&limit=3", PROTOBUF, "PodList");
        assertThat(page.getItemsList())
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactly("n0", "n1", "n2");
        assertThat(page.getMetadata().getRemainingItemCount()).isEqualTo(2);
        upstream.pods().delete("a/n4");
        V1.PodList rest = list("&limit=3&continue=" + page.getMetadata().getContinue(), PROTOBUF, "PodList");
        assertThat(rest.getItemsList())
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactly("n3", "n4");
        assertThat(rest.getMetadata().getResourceVersion()).isEqualTo(Long.toString(version));
        assertThat(rest.getMetadata().getContinue()).isEmpty();

        V1.PodList selected = list(
                "&labelSelector=app%3Dweb&resourceVersion=" + version + "&resourceVersionMatch=Exact",
                "Accept: " + PROTOBUF_TYPE + META.replace("Metadata;", "MetadataList;"),
                "PartialObjectMetadataList");
        assertThat(selected.getItemsList())
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactly("n0", "n2", "n4");
        assertThat(selected.getItems(0).hasSpec()).isFalse();
    }

    private V1.PodList list(String query, String accept, String kind) throws Exception {
        TestClient client = proxy.client().get("/api/v1/pods?" + query, accept);
        TestClient.Head head = client.head();
        assertThat(head.code()).isEqualTo(200);
        assertThat(head.value("Content-Type")).isEqualTo(PROTOBUF_TYPE);
        Unknown unknown = Messages.open(client.bytes(Integer.parseInt(head.value("Content-Length"))));
        assertThat(unknown.getTypeMeta().getKind()).isEqualTo(kind);
        return V1.PodList.parseFrom(unknown.getRaw());
    }

    @Test
    void shouldListLargeStatesWithTheirLengthSaidBefore() throws Exception {
        for (int i = 0; i < 60; i++) {
            upstream.pods().putPadded("a/n" + i, 10_000);
        }
        TestClient client = proxy.client().get("/api/v1/pods", PROTOBUF);
        TestClient.Head head = client.head();
        assertThat(head.value("Content-Length")).isNull();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (byte[] next = client.bodyBytes(1); next != null; next = client.bodyBytes(1)) {
            body.writeBytes(next);
        }

        V1.PodList list = V1.PodList.parseFrom(Messages.open(body.toByteArray()).getRaw());
        assertThat(list.getItemsList()).hasSize(60);
    }

    @Test
    void shouldReadSingleObjects() throws Exception {
        upstream.pods().put("a/one", "app", "web");
        proxy.watch("").event();
        String path = "/api/v1/namespaces/a/pods/one?resourceVersion=0";

        TestClient client = proxy.client().get(path, METADATA);
        assertThat(client.body(client.head()))
                .isEqualTo(metadataOf(upstream.pods().get("a/one"), "v1") + "\n");
        client.get(path, "Accept: application/json" + META + "beta1");
        assertThat(client.body(client.head()))
                .isEqualTo(metadataOf(upstream.pods().get("a/one"), "v1beta1") + "\n");
        client.get(path, PROTOBUF);
        TestClient.Head head = client.head();
        Unknown unknown = Messages.open(client.bytes(Integer.parseInt(head.value("Content-Length"))));
        assertThat(unknown.getTypeMeta().getKind()).isEqualTo("Pod");
        assertThat(unknown.getRaw().toByteArray())
                .isEqualTo(Messages.objectOf(upstream.pods().get("a/one")));
    }

    @Test
    void shouldWriteErrorsAsTheClientAcceptsThem() throws Exception {
        upstream.pods().put("a/one");
        String path = "/api/v1/pods?resourceVersion=x";
        TestClient client = proxy.client().get(path, PROTOBUF);
        TestClient.Head head = client.head();
        assertThat(head.code()).isEqualTo(400);
        assertThat(head.value("Content-Type")).isEqualTo(PROTOBUF_TYPE);
        Unknown status = Messages.open(client.bytes(Integer.parseInt(head.value("Content-Length"))));
        assertThat(status.getTypeMeta().getKind()).isEqualTo("Status");
        assertThat(Meta.Status.parseFrom(status.getRaw()).getReason()).isEqualTo("BadRequest");

        client.get(path, "Accept: application/json" + META.replace("Metadata;", "MetadataList;"));
        head = client.head();
        assertThat(head.value("Content-Type")).isEqualTo("application/json");
        assertThat(client.body(head)).startsWith("{\n  \"kind\": \"Status\",");
    }

    @Test
    void shouldSendBinaryMessagesToWebSocketsThatAskForProtobuf() throws Exception {
        long version = upstream.pods().put("a/one");
        TestClient client = proxy.client()
                .get("/api/v1/pods?watch=true", WEBSOCKET + "\r\n" + PROTOBUF)
                .accepted();

        TestClient.Message message = client.message();
        assertThat(message.opcode()).isEqualTo(2);
        assertThat(Messages.event(message.payload()).brief()).isEqualTo("ADDED one " + version);
    }

    @Test
    void shouldGoOnWhenTheUpstreamWatchIsCutWithinAFrame() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = watch("", PROTOBUF);
        client.frame();

        upstream.pods()
                .cutWatchesWithin(
                        "{\"type\":\"MODIFIED\",\"object\":" + upstream.pods().get("a/one") + "}\n");
        long second = upstream.pods().put("a/two");

        assertThat(client.frame().brief()).isEqualTo("ADDED two " + second);
    }

    @Test
    void shouldAnswerInWhatElseIsAcceptedWhereTheApiServerHasNoProtobuf() throws Exception {
        try (ScriptedApiServer plain = new ScriptedApiServer();
                ProxyFixture before = new ProxyFixture(plain)) {
            long version = plain.pods().put("a/one");
            TestClient list = before.client().get("/api/v1/pods", PROTOBUF);
            TestClient.Head head = list.head();
            assertThat(head.value("Content-Type")).isEqualTo("application/json");
            assertThat(list.body(head)).startsWith("{\"kind\":\"PodList\"").contains("\"one\"");
            TestClient watch =
                    before.client().get("/api/v1/pods?watch=true", PROTOBUF).accepted();
            assertThat(watch.event().brief()).isEqualTo("ADDED one " + version);
            assertThat(before.feed("pods", ObjectEncoding.PROTOBUF)).isNull();
            assertThat(before.feed("pods", ObjectEncoding.JSON)).isNotNull();
        }
    }

    @Test
    void shouldCountWhatBothFeedsHold() throws Exception {
        upstream.pods().putPadded("a/one", 10_000);
        watch("", PROTOBUF).frame();
        watch("", METADATA).event();

        await().untilAsserted(() -> assertThat(((FeedRegistry) ProxyFixture.field(proxy.server(), "feeds")).bytes())
                .isGreaterThan(20_000));
    }
}
