package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.watchfan.proxy.config.ConfigLoader;
import io.watchfan.proxy.config.ProxyConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections and credentials against a server on loopback, over TLS that asks for a client certificate. */
@Timeout(60)
final class UpstreamClientIT {
    @TempDir
    private static Path keys;

    private static UpstreamTargetCertificates certificates;

    @TempDir
    private Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final BlockingQueue<HttpServerRequest> requests = new LinkedBlockingQueue<>();
    private UpstreamClients clients;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = new UpstreamTargetCertificates(keys);
    }

    @AfterEach
    void close() throws Exception {
        if (clients != null) {
            clients.closeAll().await(10, TimeUnit.SECONDS);
        }
        vertx.close().await(10, TimeUnit.SECONDS);
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.await(10, TimeUnit.SECONDS);
    }

    /** Answers every request with the name on the client's certificate. */
    private HttpServer tlsServer() throws Exception {
        HttpServerOptions options = new HttpServerOptions()
                .setHost("127.0.0.1")
                .setSsl(true)
                .setSni(true)
                .setClientAuth(ClientAuth.REQUEST)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertValue(Buffer.buffer(certificates.certificate("server")))
                        .addKeyValue(Buffer.buffer(certificates.key("server"))))
                .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(certificates.ca())));
        return get(vertx.createHttpServer(options)
                .requestHandler(request -> {
                    requests.add(request);
                    request.response().putHeader("Connection", "close").end(peer(request));
                })
                .listen(0));
    }

    private static String peer(HttpServerRequest request) {
        try {
            return request.connection().sslSession().getPeerPrincipal().getName();
        } catch (javax.net.ssl.SSLPeerUnverifiedException e) {
            return "nobody";
        }
    }

    private HttpServer plainServer() throws Exception {
        return get(vertx.createHttpServer(new HttpServerOptions().setHost("127.0.0.1"))
                .requestHandler(request -> {
                    requests.add(request);
                    if (!request.path().endsWith("/held")) {
                        request.response().end("ok");
                    }
                })
                .listen(0));
    }

    private UpstreamClients clients(int connections, String... flags) {
        ProxyConfig config = ConfigLoader.parse(flags);
        clients = new UpstreamClients(UpstreamTarget.of(config.upstream()), config, vertx, vertx, connections);
        return clients;
    }

    private UpstreamClients kubeconfig(String cluster, String user) throws Exception {
        Path file = Files.writeString(
                folder.resolve("kubeconfig"),
                "{current-context: a, contexts: [{name: a, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {"
                        + cluster + "}}], users: [{name: u, user: {" + user + "}}]}");
        return clients(8, "--kubeconfig", file.toString());
    }

    private static String ask(UpstreamClient client) throws Exception {
        return get(client.request(HttpMethod.GET, "/x")
                        .compose(request -> request.send().compose(HttpClientResponse::body)))
                .toString();
    }

    private static String caData() throws Exception {
        return "certificate-authority-data: " + UpstreamTargetCertificates.base64(certificates.ca());
    }

    @Test
    void shouldTrustTheAuthorityOfTheKubeconfigAndShowTheClientCertificate() throws Exception {
        HttpServer server = tlsServer();
        Path certificate = Files.writeString(folder.resolve("client.pem"), certificates.certificate("client"));
        Path key = Files.writeString(folder.resolve("client.key"), certificates.key("client"));

        UpstreamClients mine = kubeconfig(
                "server: 'https://127.0.0.1:" + server.actualPort() + "', " + caData(),
                "client-certificate: client.pem, client-key: client.key");

        for (UpstreamClient client : List.of(mine.feeds(), mine.reads(), mine.passthrough())) {
            assertThat(ask(client)).isEqualTo("CN=client");
        }
        Files.writeString(certificate, certificates.certificate("client2"));
        Files.writeString(key, certificates.key("client2"));
        mine.reloadCredentials();
        for (UpstreamClient client : List.of(mine.feeds(), mine.reads(), mine.passthrough())) {
            await().atMost(30, TimeUnit.SECONDS).until(() -> ask(client).equals("CN=client2"));
        }
    }

    @Test
    void shouldNotTrustAServerThatItsAuthorityDoesNotVouchFor() throws Exception {
        HttpServer server = tlsServer();
        String url = "https://127.0.0.1:" + server.actualPort();
        clients(8, "--upstream", url);

        assertThatThrownBy(() -> ask(clients.reads())).hasStackTraceContaining("certif");
        assertThatThrownBy(() -> get(clients.passthrough()
                        .open(new RequestOptions().setMethod(HttpMethod.GET).setURI("/x"), () -> {})))
                .hasStackTraceContaining("certif");
    }

    @Test
    void shouldCheckTheNameOnTheCertificateAndTakeTheOneItIsToldToExpect() throws Exception {
        HttpServer server = tlsServer();
        String byName = "server: 'https://localhost:" + server.actualPort() + "', " + caData();

        kubeconfig(byName, "");
        assertThatThrownBy(() -> ask(clients.reads())).hasStackTraceContaining("localhost");
        close(clients);

        kubeconfig(byName + ", tls-server-name: api.example", "");
        assertThat(ask(clients.reads())).isEqualTo("nobody");
        HttpServerRequest request = requests.take();
        assertThat(request.getHeader("Host")).isEqualTo("localhost:" + server.actualPort());
        assertThat(request.connection().indicatedServerName()).isEqualTo("api.example");
        NetSocket socket = get(clients.passthrough()
                .open(new RequestOptions().setMethod(HttpMethod.GET).setURI("/x"), () -> {}));
        assertThat(requests.take().getHeader("Host")).isEqualTo("localhost:" + server.actualPort());
        socket.close();
    }

    private static void close(UpstreamClients some) throws Exception {
        some.closeAll().await(10, TimeUnit.SECONDS);
    }

    @Test
    void shouldTrustAnyServerWhenToldSo() throws Exception {
        HttpServer server = tlsServer();

        kubeconfig("server: 'https://localhost:" + server.actualPort() + "', insecure-skip-tls-verify: true", "");

        assertThat(ask(clients.reads())).isEqualTo("nobody");
        get(clients.passthrough()
                        .open(new RequestOptions().setMethod(HttpMethod.GET).setURI("/x"), () -> {}))
                .close();
    }

    @Test
    void shouldUseATokenFromTheMomentItIsReadAgain() throws Exception {
        HttpServer server = plainServer();
        Path token = Files.writeString(folder.resolve("token"), "one");
        clients(8, "--upstream=http://127.0.0.1:" + server.actualPort() + "/base", "--upstream-token-file=" + token);

        ask(clients.reads());
        HttpServerRequest before = requests.take();
        Files.writeString(token, "two");
        get(clients.reloadCredentials());
        ask(clients.reads());

        assertThat(before.getHeader("Authorization")).isEqualTo("Bearer one");
        assertThat(before.uri()).isEqualTo("/base/x");
        assertThat(requests.take().getHeader("Authorization")).isEqualTo("Bearer two");
    }

    @Test
    void shouldNoticeThatATokenFileChanged() throws Exception {
        HttpServer server = plainServer();
        Path token = Files.writeString(folder.resolve("token"), "one");
        clients(8, "--upstream=http://127.0.0.1:" + server.actualPort(), "--upstream-token-file=" + token);

        Files.writeString(token, "another");

        await().atMost(30, TimeUnit.SECONDS)
                .until(() ->
                        clients.target().credentials().authorization().equals(java.util.Optional.of("Bearer another")));
    }

    @Test
    void shouldKeepTheLastCredentialWhenThereIsNoneToBeRead() throws Exception {
        HttpServer server = plainServer();
        Path token = Files.writeString(folder.resolve("token"), "one");
        clients(8, "--upstream=http://127.0.0.1:" + server.actualPort(), "--upstream-token-file=" + token);

        Files.delete(token);
        Future<Void> reloading = clients.reloadCredentials();

        assertThatThrownBy(() -> get(reloading)).hasMessageContaining("does not exist");
        ask(clients.reads());
        assertThat(requests.take().getHeader("Authorization")).isEqualTo("Bearer one");
    }

    @Test
    void shouldNotReloadAgainAndAgainWhenManyRequestsAreRefused() throws Exception {
        Path count = folder.resolve("count");
        Path plugin = Files.writeString(
                folder.resolve("plugin"),
                "#!/bin/sh\necho x >> '" + count + "'\necho '{\"apiVersion\":\"v1\",\"kind\":\"ExecCredential\","
                        + "\"status\":{\"token\":\"a\"}}'\n");
        assertThat(plugin.toFile().setExecutable(true)).isTrue();
        kubeconfig("server: 'http://127.0.0.1:1'", "exec: {command: ./plugin, apiVersion: v1}");

        for (int i = 0; i < 100; i++) {
            clients.reloadCredentials();
        }
        get(clients.reloadCredentials());

        assertThat(Files.readAllLines(count)).as("once at start, once now").hasSize(2);
    }

    @Test
    void shouldFailARequestOnceItIsClosedAndNotThrow() throws Exception {
        clients(8, "--upstream=http://127.0.0.1:" + plainServer().actualPort());
        close(clients);

        Future<HttpClientRequest> request = clients.reads().request(HttpMethod.GET, "/x");

        assertThatThrownBy(() -> get(request)).hasMessage("the client is closed");
    }

    @Test
    void shouldBoundTheConnectionsOfEachClientOnItsOwn() throws Exception {
        HttpServer server = plainServer();
        clients(1, "--upstream=http://127.0.0.1:" + server.actualPort());
        get(clients.passthrough().request(HttpMethod.GET, "/held").map(request -> {
            request.send();
            return request;
        }));
        requests.take();

        assertThatThrownBy(() -> ask(clients.passthrough()))
                .isInstanceOf(io.vertx.core.http.ConnectionPoolTooBusyException.class);
        assertThat(ask(clients.reads())).isEqualTo("ok");
        assertThat(ask(clients.feeds())).isEqualTo("ok");
    }
}
