package io.watchfan.loadtest.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** List and watch semantics of the simulated API server, over real sockets. */
@Timeout(60)
class SimulatedApiServerIT {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final String CONFIG_MAPS = "/api/v1/namespaces/team-0/configmaps";

    private final HttpClient client = HttpClient.newHttpClient();
    private SimulatedApiServer server;

    @BeforeEach
    void start() throws IOException {
        server = SimulatedApiServer.start(
                new ClusterSpec(120, 3, 4, 1, Duration.ofMillis(500), 50),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ChangeListener.NONE);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path));
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).build());
    }

    private JsonNode json(String path) throws IOException, InterruptedException {
        return MAPPER.readTree(get(path).body());
    }

    private HttpResponse<String> write(String method, String path, String contentType, String body)
            throws IOException, InterruptedException {
        return send(request(path)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", contentType)
                .build());
    }

    private long createConfigMap(String name) throws IOException, InterruptedException {
        HttpResponse<String> created = write(
                "POST",
                CONFIG_MAPS,
                "application/json",
                "{\"metadata\":{\"name\":\"" + name + "\",\"labels\":{\"app\":\"a\"}}}");
        assertThat(created.statusCode()).isEqualTo(201);
        return version(MAPPER.readTree(created.body()));
    }

    private static long version(JsonNode object) {
        return object.at("/metadata/resourceVersion").asLong();
    }

    private static List<String> names(JsonNode list) {
        List<String> names = new ArrayList<>();
        list.path("items")
                .forEach(item -> names.add(item.at("/metadata/namespace").asText() + "/"
                        + item.at("/metadata/name").asText()));
        return names;
    }

    /** An open watch, read line by line. */
    private final class Watch implements AutoCloseable {
        private final BufferedReader lines;

        Watch(String pathAndQuery) throws IOException, InterruptedException {
            HttpResponse<InputStream> response =
                    client.send(request(pathAndQuery).build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("content-type")).contains("application/json");
            lines = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
        }

        /** The next event; null at the end of the stream. */
        JsonNode next() throws IOException {
            String line = lines.readLine();
            return line == null ? null : MAPPER.readTree(line);
        }

        String nextText() throws IOException {
            JsonNode event = next();
            return event.path("type").asText() + " "
                    + event.at("/object/metadata/name").asText() + " " + version(event.path("object"));
        }

        @Override
        public void close() throws IOException {
            lines.close();
        }
    }

    @Test
    void shouldAnswerDiscoveryAndHealth() throws Exception {
        assertThat(json("/version").path("gitVersion").asText()).startsWith("v1.");
        assertThat(json("/api").path("versions").get(0).asText()).isEqualTo("v1");
        assertThat(json("/apis").at("/groups/0/name").asText()).isEqualTo("loadtest.watchfan.io");
        assertThat(json("/api/v1").path("resources")).hasSize(4);
        assertThat(json("/apis/loadtest.watchfan.io/v1").at("/resources/0/name").asText())
                .isEqualTo("widgets");
        assertThat(get("/readyz").body()).isEqualTo("ok");
        assertThat(get("/livez").statusCode()).isEqualTo(200);
        HttpResponse<String> unknown = get("/openapi/v2");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(MAPPER.readTree(unknown.body()).path("kind").asText()).isEqualTo("Status");
    }

    @Test
    void shouldListAllAndByScope() throws Exception {
        JsonNode pods = json("/api/v1/pods");
        JsonNode inNamespace = json("/api/v1/namespaces/team-1/pods");
        JsonNode onNode = json("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-2");
        String app = pods.at("/items/0/metadata/labels/app").asText();
        JsonNode ofApp = json("/api/v1/pods?labelSelector=app%3D" + app);

        assertThat(pods.path("items")).hasSize(120);
        assertThat(pods.at("/items/0/kind").isMissingNode()).isTrue();
        assertThat(names(pods)).isSorted();
        assertThat(inNamespace.path("items")).hasSizeBetween(20, 60);
        assertThat(names(inNamespace)).allMatch(name -> name.startsWith("team-1/"));
        assertThat(onNode.path("items"))
                .allMatch(pod -> pod.at("/spec/nodeName").asText().equals("node-2"));
        assertThat(ofApp.path("items"))
                .isNotEmpty()
                .allMatch(pod -> pod.at("/metadata/labels/app").asText().equals(app));
        assertThat(json("/apis/loadtest.watchfan.io/v1/widgets")
                        .at("/items/0/kind")
                        .asText())
                .isEqualTo("Widget");
        assertThat(json("/api/v1/namespaces/nowhere/pods").path("items").isArray())
                .isTrue();
    }

    @Test
    void shouldPageAtOneVersionWhileObjectsChange() throws Exception {
        List<String> all = names(json("/api/v1/pods"));
        JsonNode page = json("/api/v1/pods?limit=50");
        long version = version(page);
        assertThat(page.at("/metadata/remainingItemCount").asLong()).isEqualTo(70);
        List<String> paged = new ArrayList<>(names(page));
        String victim = all.get(80);
        String path = "/api/v1/namespaces/" + victim.replace("/", "/pods/");
        assertThat(write("DELETE", path, "application/json", "").statusCode()).isEqualTo(200);
        while (!page.at("/metadata/continue").asText().isEmpty()) {
            page = json("/api/v1/pods?limit=50&continue="
                    + page.at("/metadata/continue").asText());
            assertThat(version(page)).isEqualTo(version);
            paged.addAll(names(page));
        }

        assertThat(paged).isEqualTo(all);
        assertThat(names(json("/api/v1/pods"))).hasSize(119).doesNotContain(victim);
        assertThat(names(json("/api/v1/pods?resourceVersionMatch=Exact&resourceVersion=" + version)))
                .isEqualTo(all);
    }

    @Test
    void shouldIgnoreTheLimitForAnyVersion() throws Exception {
        JsonNode list = json("/api/v1/pods?limit=5&resourceVersion=0");

        assertThat(list.path("items")).hasSize(120);
        assertThat(list.at("/metadata/continue").asText()).isEmpty();
    }

    @Test
    void shouldSay410WhenAPageOrAnExactListIsTooOld() throws Exception {
        createConfigMap("aaa");
        JsonNode page = json(CONFIG_MAPS + "?limit=1");
        for (int i = 0; i < 60; i++) {
            createConfigMap("filler-" + i);
        }
        HttpResponse<String> next = get(CONFIG_MAPS + "?limit=1&continue="
                + page.at("/metadata/continue").asText());
        HttpResponse<String> exact = get(CONFIG_MAPS + "?resourceVersionMatch=Exact&resourceVersion=" + version(page));

        assertThat(next.statusCode()).isEqualTo(410);
        JsonNode status = MAPPER.readTree(next.body());
        assertThat(status.path("reason").asText()).isEqualTo("Expired");
        JsonNode rest = json(
                CONFIG_MAPS + "?continue=" + status.at("/metadata/continue").asText());
        assertThat(rest.path("items")).hasSize(61);
        assertThat(exact.statusCode()).isEqualTo(410);
    }

    @Test
    void shouldSayTooLargeAfterAWhileUnlessTheVersionIsReached() throws Exception {
        long now = version(json("/api/v1/pods?limit=1"));

        HttpResponse<String> tooLarge = get("/api/v1/pods?resourceVersion=" + (now + 100));
        var waiting = client.sendAsync(
                request("/api/v1/configmaps?resourceVersion=" + (now + 1)).build(),
                HttpResponse.BodyHandlers.ofString());
        createConfigMap("next");

        assertThat(tooLarge.statusCode()).isEqualTo(504);
        assertThat(tooLarge.headers().firstValue("retry-after")).contains("1");
        assertThat(tooLarge.body()).contains("ResourceVersionTooLarge");
        assertThat(waiting.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }

    @Test
    void shouldWatchFromAVersion() throws Exception {
        long before = version(json(CONFIG_MAPS));
        long created = createConfigMap("x");
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=true&resourceVersion=" + before)) {
            HttpResponse<String> patched =
                    write("PATCH", CONFIG_MAPS + "/x", "application/merge-patch+json", "{\"data\":{\"k\":\"v\"}}");
            long deleted = version(json("/api/v1/pods?limit=1"));
            write("DELETE", CONFIG_MAPS + "/x", "application/json", "");

            assertThat(watch.nextText()).isEqualTo("ADDED x " + created);
            assertThat(watch.nextText()).isEqualTo("MODIFIED x " + version(MAPPER.readTree(patched.body())));
            assertThat(watch.nextText()).isEqualTo("DELETED x " + (deleted + 1));
        }
    }

    @Test
    void shouldTellLeavingAndEnteringAScope() throws Exception {
        long before = version(json(CONFIG_MAPS));
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=true&labelSelector=app%3Da&resourceVersion=" + before)) {
            long created = createConfigMap("x");
            long left = version(MAPPER.readTree(write(
                            "PATCH",
                            CONFIG_MAPS + "/x",
                            "application/merge-patch+json",
                            "{\"metadata\":{\"labels\":{\"app\":\"b\"}}}")
                    .body()));
            long entered = version(MAPPER.readTree(write(
                            "PATCH",
                            CONFIG_MAPS + "/x",
                            "application/merge-patch+json",
                            "{\"metadata\":{\"labels\":{\"app\":\"a\"}}}")
                    .body()));

            assertThat(watch.nextText()).isEqualTo("ADDED x " + created);
            JsonNode leaving = watch.next();
            assertThat(leaving.path("type").asText()).isEqualTo("DELETED");
            assertThat(version(leaving.path("object"))).isEqualTo(left);
            // The object as it was when it was still in the scope.
            assertThat(leaving.at("/object/metadata/labels/app").asText()).isEqualTo("a");
            assertThat(watch.nextText()).isEqualTo("ADDED x " + entered);
        }
    }

    @Test
    void shouldStreamAListAndEndItWithABookmark() throws Exception {
        createConfigMap("x");
        long version = version(json(CONFIG_MAPS));
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true"
                + "&resourceVersionMatch=NotOlderThan")) {
            assertThat(watch.nextText()).startsWith("ADDED settings ");
            assertThat(watch.nextText()).isEqualTo("ADDED x " + version);
            JsonNode end = watch.next();
            long next = createConfigMap("y");

            assertThat(end.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(version(end.path("object"))).isEqualTo(version);
            assertThat(end.at("/object/kind").asText()).isEqualTo("ConfigMap");
            assertThat(end.at("/object/metadata/annotations")
                            .path("k8s.io/initial-events-end")
                            .asText())
                    .isEqualTo("true");
            assertThat(watch.nextText()).isEqualTo("ADDED y " + next);
        }
    }

    @Test
    void shouldSendPeriodicBookmarksThatShowProgressElsewhere() throws Exception {
        long before = version(json(CONFIG_MAPS));
        try (Watch watch = new Watch("/api/v1/pods?watch=1&allowWatchBookmarks=true&resourceVersion=" + before)) {
            long elsewhere = createConfigMap("x");

            JsonNode bookmark = watch.next();

            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(version(bookmark.path("object"))).isEqualTo(elsewhere);
            assertThat(bookmark.at("/object/metadata/annotations").isMissingNode())
                    .isTrue();
        }
    }

    @Test
    void shouldEndProperlyAtItsTimeout() throws Exception {
        long before = version(json(CONFIG_MAPS));
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=1&timeoutSeconds=1&resourceVersion=" + before)) {
            assertThat(watch.next()).isNull();
        }
        await().atMost(Duration.ofSeconds(5)).until(() -> server.openWatches() == 0);
    }

    @Test
    void shouldSay410InTheStreamWhenTheVersionIsTooOld() throws Exception {
        long before = version(json(CONFIG_MAPS));
        for (int i = 0; i < 60; i++) {
            createConfigMap("filler-" + i);
        }
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=1&resourceVersion=" + before)) {
            JsonNode error = watch.next();

            assertThat(error.path("type").asText()).isEqualTo("ERROR");
            assertThat(error.at("/object/code").asInt()).isEqualTo(410);
            assertThat(error.at("/object/reason").asText()).isEqualTo("Expired");
            assertThat(watch.next()).isNull();
        }
    }

    @Test
    void shouldRefuseOptionsThatDoNotGoTogether() throws Exception {
        assertThat(get("/api/v1/pods?watch=1&sendInitialEvents=true").statusCode())
                .isEqualTo(422);
        assertThat(get("/api/v1/pods?resourceVersionMatch=Exact").statusCode()).isEqualTo(422);
        assertThat(get("/api/v1/pods?limit=x").statusCode()).isEqualTo(400);
        assertThat(get("/api/v1/pods?resourceVersion=x").statusCode()).isEqualTo(400);
        assertThat(get("/api/v1/pods?watch=1&resourceVersion=x").statusCode()).isEqualTo(500);
        assertThat(get("/api/v1/pods?fieldSelector=a%3Db").statusCode()).isEqualTo(400);
        assertThat(get("/api/v1/foos").statusCode()).isEqualTo(404);
        assertThat(get(CONFIG_MAPS + "/none").statusCode()).isEqualTo(404);
    }

    @Test
    void shouldCreateReplaceAndRefuseConflicts() throws Exception {
        createConfigMap("x");
        HttpResponse<String> again = write("POST", CONFIG_MAPS, "application/json", "{\"metadata\":{\"name\":\"x\"}}");
        HttpResponse<String> replaced = write(
                "PUT",
                CONFIG_MAPS + "/x",
                "application/json",
                "{\"metadata\":{\"name\":\"x\"},\"data\":{\"a\":\"<b>\"}}");
        HttpResponse<String> conflict = write(
                "PUT",
                CONFIG_MAPS + "/x",
                "application/json",
                "{\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"1\"}}");

        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(replaced.statusCode()).isEqualTo(200);
        assertThat(replaced.body()).startsWith("{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\"");
        assertThat(replaced.body()).contains("\\u003cb\\u003e").endsWith("}\n");
        assertThat(conflict.statusCode()).isEqualTo(409);
        assertThat(get(CONFIG_MAPS + "/x").body()).isEqualTo(replaced.body());
    }

    @Test
    void shouldCutWatchesAndForgetHistoryOnOrder() throws Exception {
        long before = version(json(CONFIG_MAPS));
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=1&resourceVersion=" + before)) {
            server.startFaults(FaultPlan.none().at(Duration.ZERO, Fault.Kind.CUT, Duration.ZERO));
            assertThat(catchThrowable(watch::next)).isInstanceOf(IOException.class);
        }
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=1&resourceVersion=" + before)) {
            createConfigMap("x");
            assertThat(watch.nextText()).startsWith("ADDED x");
            server.startFaults(FaultPlan.none().at(Duration.ZERO, Fault.Kind.EXPIRE, Duration.ZERO));
            assertThat(watch.next().at("/object/code").asInt()).isEqualTo(410);
            assertThat(watch.next()).isNull();
        }
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=1&resourceVersion=" + before)) {
            assertThat(watch.next().at("/object/code").asInt()).isEqualTo(410);
        }
    }

    @Test
    void shouldHoldBackEventsWhileStalledAndSendThemAllAfterwards() throws Exception {
        long before = version(json(CONFIG_MAPS));
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=1&resourceVersion=" + before)) {
            long start = System.nanoTime();
            Duration length = Duration.ofMillis(700);
            server.startFaults(FaultPlan.none().at(Duration.ZERO, Fault.Kind.STALL, length));
            // Served on the same event loop, so after the fault has begun.
            get("/readyz");
            long first = createConfigMap("x");
            long second = createConfigMap("y");

            assertThat(watch.nextText()).isEqualTo("ADDED x " + first);
            assertThat(watch.nextText()).isEqualTo("ADDED y " + second);
            assertThat(System.nanoTime() - start).isGreaterThan(length.toNanos());
        }
    }

    @Test
    void shouldAnswerEverythingWithErrorsForAWhile() throws Exception {
        server.startFaults(FaultPlan.none().at(Duration.ZERO, Fault.Kind.ERRORS, Duration.ofMillis(500)));
        assertThat(get("/readyz").statusCode()).isEqualTo(200);
        HttpResponse<String> refused = get(CONFIG_MAPS);

        assertThat(refused.statusCode()).isIn(429, 500, 503);
        assertThat(MAPPER.readTree(refused.body()).path("kind").asText()).isEqualTo("Status");
        await().atMost(Duration.ofSeconds(10)).until(() -> get(CONFIG_MAPS).statusCode() == 200);
    }

    @Test
    void shouldSendGarbageForAWhile() throws Exception {
        long before = version(json(CONFIG_MAPS));
        try (Watch watch = new Watch(CONFIG_MAPS + "?watch=1&resourceVersion=" + before)) {
            server.startFaults(FaultPlan.none().at(Duration.ZERO, Fault.Kind.GARBAGE, Duration.ofMillis(500)));
            boolean isEvent = false;
            try {
                JsonNode line = watch.next();
                isEvent = line != null
                        && line.has("type")
                        && line.at("/object/metadata/name").isTextual();
            } catch (IOException e) {
                // No JSON, or cut.
            }
            assertThat(isEvent).isFalse();
        }
        assertThat(isList(CONFIG_MAPS)).isFalse();
        await().atMost(Duration.ofSeconds(10)).until(() -> isList(CONFIG_MAPS));
    }

    private boolean isList(String path) throws InterruptedException {
        try {
            return json(path).path("items").isArray();
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void shouldContinuePagesOfANamespaceWithTheSlashOfTheApiServerOrWithout() throws Exception {
        createConfigMap("a");
        JsonNode page = json(CONFIG_MAPS + "?limit=1");

        String token = page.at("/metadata/continue").asText();

        String bare = new ContinueToken(page.at("/metadata/resourceVersion").asLong(), "a").encode();

        assertThat(ContinueToken.decode(token)).isEqualTo(ContinueToken.decode(bare));
        assertThat(token).isNotEqualTo(bare);
        assertThat(names(json(CONFIG_MAPS + "?limit=1&continue=" + token))).containsExactly("team-0/settings");
        assertThat(names(json(CONFIG_MAPS + "?limit=1&continue=" + bare))).containsExactly("team-0/settings");
    }

    @Test
    void shouldServeWatchesOverWebSocket() throws Exception {
        long before = version(json(CONFIG_MAPS));
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        WebSocket socket = client.newWebSocketBuilder()
                .buildAsync(
                        URI.create(server.url().replace("http:", "ws:") + CONFIG_MAPS + "?watch=1&resourceVersion="
                                + before),
                        new WebSocket.Listener() {
                            @Override
                            public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
                                messages.add(data.toString());
                                return WebSocket.Listener.super.onText(webSocket, data, last);
                            }
                        })
                .get(10, TimeUnit.SECONDS);
        long created = createConfigMap("x");

        String message = messages.poll(10, TimeUnit.SECONDS);
        socket.abort();

        assertThat(message)
                .startsWith("{\"type\":\"ADDED\"")
                .contains("\"" + created + "\"")
                .endsWith("}\n");
        await().atMost(Duration.ofSeconds(5)).until(() -> server.openWatches() == 0);
    }

    @Test
    void shouldEndAWatchWhoseClientFellOutOfTheHistory() throws Exception {
        long before = version(json(CONFIG_MAPS));
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4096);
            socket.setSoTimeout(20_000);
            socket.connect(server.address());
            socket.getOutputStream()
                    .write(("GET " + CONFIG_MAPS + "?watch=1&resourceVersion=" + before
                                    + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            await().atMost(Duration.ofSeconds(5)).until(() -> server.openWatches() == 1);
            String large = "x".repeat(1 << 20);
            for (int i = 0; i < 60; i++) {
                write(
                        "POST",
                        CONFIG_MAPS,
                        "application/json",
                        "{\"metadata\":{\"name\":\"l" + i + "\"},\"data\":{\"k\":\"" + large + "\"}}");
            }
            String all = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            // A valid prefix, and a proper end in place of a gap.
            assertThat(all).endsWith("\r\n0\r\n\r\n");
            assertThat(all.split("\"type\":\"ADDED\"", -1).length - 1).isBetween(1, 59);
        }
    }
}
