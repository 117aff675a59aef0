package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The Kubernetes API as it is on the wire, at the API server itself or through the proxy. */
final class Api {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final String name;
    private final String server;
    private final String token;
    private final HttpClient client;

    private Api(String name, String server, String token, HttpClient client) {
        this.name = name;
        this.server = server;
        this.token = token;
        this.client = client;
    }

    /** An answer as it came. */
    record Answer(int status, String contentType, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }

        JsonNode json() {
            return Json.read(body);
        }

        /** The answer, when it is the one hoped for. */
        Answer expect(int wanted) {
            assertThat(status).as(text()).isEqualTo(wanted);
            return this;
        }
    }

    /** Straight at the API server, with all rights. */
    static Api direct(ControlPlane cluster) throws IOException, GeneralSecurityException {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(trusting(cluster.ca()))
                .build();
        return new Api("API server", cluster.server(), cluster.adminToken(), client);
    }

    /** Through a proxy that asks for no credential. */
    static Api through(String url) {
        return new Api(
                "proxy",
                url,
                null,
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
    }

    private static SSLContext trusting(Path ca) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(ca)) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    String server() {
        return server;
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path));
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        return request;
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send("GET", path, null, Map.of());
    }

    Answer get(String path, String accept) throws IOException, InterruptedException {
        return send("GET", path, null, Map.of("Accept", accept));
    }

    Answer post(String path, String body) throws IOException, InterruptedException {
        return send("POST", path, body, Map.of("Content-Type", "application/json"));
    }

    Answer put(String path, String body) throws IOException, InterruptedException {
        return send("PUT", path, body, Map.of("Content-Type", "application/json"));
    }

    /** Applies a JSON merge patch. */
    Answer patch(String path, String body) throws IOException, InterruptedException {
        return send("PATCH", path, body, Map.of("Content-Type", "application/merge-patch+json"));
    }

    Answer delete(String path) throws IOException, InterruptedException {
        return send("DELETE", path, null, Map.of());
    }

    private Answer send(String method, String path, String body, Map<String, String> headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path)
                .timeout(TIMEOUT)
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        headers.forEach(request::header);
        HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        return new Answer(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.body());
    }

    /** Opens a watch: {@code path} names it, with all its options. Returns when it has been accepted. */
    Watching watch(String path) throws IOException, InterruptedException {
        try {
            return watchSoon(path).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(name + ": " + path, e);
        }
    }

    /** As {@link #watch(String)}, with an {@code Accept} header. */
    RawWatch watch(String path, String accept) throws IOException, InterruptedException {
        return client.send(request(path).header("Accept", accept).build(), head -> {
                    if (head.statusCode() != 200) {
                        throw new IllegalStateException(name + ": " + path + ": " + head.statusCode());
                    }
                    return new RawWatch(
                            head.headers().firstValue("Content-Type").orElse(""));
                })
                .body();
    }

    /** Opens a watch without waiting. */
    CompletableFuture<Watching> watchSoon(String path) {
        return client.sendAsync(
                        request(path).build(),
                        head -> head.statusCode() == 200
                                ? new Watching()
                                : BodySubscribers.mapping(BodySubscribers.ofString(StandardCharsets.UTF_8), body -> {
                                    throw new IllegalStateException(
                                            name + ": " + path + ": " + head.statusCode() + " " + body);
                                }))
                .thenApply(HttpResponse::body);
    }

    /** Asks anything, and records the answer as it comes; complete when its head is there. */
    CompletableFuture<Recording> record(String method, String path, Map<String, String> headers) {
        HttpRequest.Builder request = request(path).method(method, HttpRequest.BodyPublishers.noBody());
        headers.forEach(request::header);
        return client.sendAsync(request.build(), Recording::new).thenApply(HttpResponse::body);
    }
}
