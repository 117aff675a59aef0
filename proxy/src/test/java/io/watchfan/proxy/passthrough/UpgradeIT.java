package io.watchfan.proxy.passthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Exec, attach and port-forward: connections that stop being HTTP. */
@Timeout(60)
@SuppressWarnings("StringConcatToTextBlock") // Lines of HTTP end with CR LF.
final class UpgradeIT {
    private static final String EXEC = "POST /api/v1/namespaces/d/pods/x/exec?command=sh HTTP/1.1\r\nHost: me\r\n"
            + "Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n"
            + "X-Stream-Protocol-Version: v3.channel.k8s.io\r\nX-Remote-User: admin\r\n";
    private static final String SWITCHED =
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n"
                    + "X-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n";

    private PassthroughFixture proxy;

    @BeforeEach
    void start() throws Exception {
        proxy = new PassthroughFixture();
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
    }

    private record Tunnel(Wire client, Wire upstream) {}

    private Tunnel tunnel() throws IOException {
        Wire client = proxy.client().send(EXEC + "\r\n");
        Wire upstream = proxy.upstream();
        upstream.head();
        upstream.send(SWITCHED);
        client.head();
        return new Tunnel(client, upstream);
    }

    @Test
    void shouldForwardTheUpgradeAndItsAnswer() throws Exception {
        Wire client = proxy.client().send(EXEC + "\r\n");
        Wire upstream = proxy.upstream();

        Wire.Head arrived = upstream.head();
        upstream.send(SWITCHED + "first");
        Wire.Head answer = client.head();

        assertThat(arrived.first()).isEqualTo("POST /api/v1/namespaces/d/pods/x/exec?command=sh HTTP/1.1");
        assertThat(arrived.headers())
                .containsExactlyInAnyOrder(
                        "X-Stream-Protocol-Version: v4.channel.k8s.io",
                        "X-Stream-Protocol-Version: v3.channel.k8s.io",
                        "connection: upgrade",
                        "upgrade: SPDY/3.1",
                        "Host: " + proxy.upstreamAddress());
        assertThat(answer.first()).isEqualTo("HTTP/1.1 101 Switching Protocols");
        assertThat(answer.value("Upgrade")).isEqualTo("SPDY/3.1");
        assertThat(answer.value("Connection")).isEqualToIgnoringCase("upgrade");
        assertThat(answer.value("X-Stream-Protocol-Version")).isEqualTo("v4.channel.k8s.io");
        assertThat(client.text(5)).isEqualTo("first");
    }

    @Test
    void shouldCarryBytesBothWays() throws Exception {
        Tunnel tunnel = tunnel();

        tunnel.client.send("\0ping\r\n\r\n");
        String there = tunnel.upstream.text(9);
        tunnel.upstream.send("HTTP/1.1 not");
        String back = tunnel.client.text(12);

        assertThat(there).isEqualTo("\0ping\r\n\r\n");
        assertThat(back).isEqualTo("HTTP/1.1 not");
        assertThat(proxy.active()).isEqualTo(1);
    }

    @Test
    void shouldCarryMoreThanItBuffersBothWaysAtOnce() throws Exception {
        Tunnel tunnel = tunnel();
        byte[] up = new byte[8_000_000];
        byte[] down = new byte[8_000_000];
        new Random(1).nextBytes(up);
        new Random(2).nextBytes(down);

        CompletableFuture<Void> upward = CompletableFuture.runAsync(() -> send(tunnel.client, up));
        CompletableFuture<Void> downward = CompletableFuture.runAsync(() -> send(tunnel.upstream, down));
        CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> read(tunnel.upstream, up.length));

        assertThat(tunnel.client.bytes(down.length)).isEqualTo(down);
        assertThat(received.get()).isEqualTo(up);
        upward.get();
        downward.get();
    }

    @Test
    void shouldDeliverWhatTheApiServerSentBeforeItClosed() throws Exception {
        Tunnel tunnel = tunnel();
        byte[] down = new byte[3_000_000];
        new Random(3).nextBytes(down);

        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
            send(tunnel.upstream, down);
            close(tunnel.upstream);
        });

        assertThat(tunnel.client.bytes(down.length)).isEqualTo(down);
        assertThat(tunnel.client.rest()).isEmpty();
        closing.get();
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldDeliverWhatTheClientSentBeforeItClosed() throws Exception {
        Tunnel tunnel = tunnel();
        byte[] up = new byte[3_000_000];
        new Random(4).nextBytes(up);

        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
            send(tunnel.client, up);
            close(tunnel.client);
        });

        assertThat(tunnel.upstream.bytes(up.length)).isEqualTo(up);
        assertThat(tunnel.upstream.rest()).isEmpty();
        closing.get();
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldPassOnAnAnswerThatRefusesTheUpgrade() throws Exception {
        Wire client = proxy.client().send(EXEC + "\r\n");
        Wire upstream = proxy.upstream();
        upstream.head();

        upstream.send("HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
        Wire.Head answer = client.head();

        assertThat(answer.first()).isEqualTo("HTTP/1.1 403 Forbidden");
        assertThat(client.text(2)).isEqualTo("{}");
        assertThat(upstream.rest()).isEmpty();
        client.send("GET /next HTTP/1.1\r\nHost: me\r\n\r\n");
        assertThat(proxy.upstream().head().first()).isEqualTo("GET /next HTTP/1.1");
    }

    @Test
    void shouldStreamAnAnswerThatDoesNotSwitch() throws Exception {
        Wire client = proxy.client().send(EXEC + "\r\n");
        Wire upstream = proxy.upstream();
        upstream.head();

        upstream.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na");
        Wire.Head answer = client.head();
        String first = client.chunk();
        upstream.send("bc\r\n2;x=y\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n");

        assertThat(answer.first()).isEqualTo("HTTP/1.1 200 OK");
        assertThat(first).isEqualTo("a");
        assertThat(new String(client.chunks(), StandardCharsets.US_ASCII)).isEqualTo("bcde");
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldSayThatAnUpgradeWasNotAnswered() throws Exception {
        Wire client = proxy.client().send(EXEC + "\r\n");
        Wire upstream = proxy.upstream();
        upstream.head();

        upstream.close();
        Wire.Head answer = client.head();

        assertThat(answer.first()).isEqualTo("HTTP/1.1 503 Service Unavailable");
        assertThat(answer.value("Retry-After")).isNull();
    }

    @Test
    void shouldCountSessionsAgainstTheBoundOfConnections() throws Exception {
        proxy.close();
        proxy = new PassthroughFixture(1, "");
        tunnel();

        Wire.Head answer = proxy.client().send(EXEC + "\r\n").head();

        assertThat(answer.first()).isEqualTo("HTTP/1.1 503 Service Unavailable");
        assertThat(answer.value("Retry-After")).isEqualTo("1");
    }

    @Test
    void shouldTakeBackAnUpgradeWhoseClientGoes() throws Exception {
        Wire client = proxy.client().send(EXEC + "\r\n");
        Wire upstream = proxy.upstream();
        upstream.head();

        client.close();

        assertThat(upstream.rest()).isEmpty();
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldForwardWebSocketsWithTheirKeyAndProtocols() throws Exception {
        Wire client = proxy.client()
                .send(
                        "GET /exec HTTP/1.1\r\nHost: me\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                                + "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n");
        Wire upstream = proxy.upstream();
        Wire.Head arrived = upstream.head();

        upstream.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n");
        Wire.Head answer = client.head();
        client.send("frame");

        assertThat(arrived.value("Sec-WebSocket-Key")).isEqualTo("dGhlIHNhbXBsZSBub25jZQ==");
        assertThat(arrived.value("Sec-WebSocket-Extensions")).isEqualTo("permessage-deflate");
        assertThat(answer.value("Sec-WebSocket-Accept")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        assertThat(answer.value("Sec-WebSocket-Extensions")).isNull();
        assertThat(upstream.text(5)).isEqualTo("frame");
    }

    @Test
    void shouldNotLetAPageFromElsewhereOpenSessions() throws Exception {
        Wire foreign = proxy.client().send(EXEC + "Origin: https://evil.example\r\n\r\n");
        Wire.Head refusal = foreign.head();
        proxy.client().send(EXEC + "Origin: http://localhost:3000\r\n\r\n");

        assertThat(refusal.first()).isEqualTo("HTTP/1.1 403 Forbidden");
        assertThat(proxy.upstream().head().value("Origin")).isEqualTo("http://localhost:3000");
    }

    @Test
    void shouldRefuseUpgradesWhenReadOnly() throws Exception {
        proxy.close();
        proxy = new PassthroughFixture("--read-only");

        Wire client = proxy.client()
                .send("GET /exec HTTP/1.1\r\nHost: me\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");

        assertThat(client.head().first()).isEqualTo("HTTP/1.1 405 Method Not Allowed");
    }

    private static void send(Wire wire, byte[] bytes) {
        try {
            wire.send(bytes);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static byte[] read(Wire wire, int count) {
        try {
            return wire.bytes(count);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void close(Wire wire) {
        try {
            wire.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
