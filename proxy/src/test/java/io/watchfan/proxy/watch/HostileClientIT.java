package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.TestClient;
import io.watchfan.proxy.testing.TestClient.Event;
import io.watchfan.proxy.testing.TestClient.Message;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What clients do to each other, to the cluster and to the process when they mean harm, or just do not care. */
@Timeout(60)
final class HostileClientIT {
    private static final String WEBSOCKET = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: ";
    private static final byte[] PING = {(byte) 0x89, (byte) 0x84, 0, 0, 0, 0, 'P', 'I', 'N', 'G'};

    private ScriptedApiServer upstream;
    private ProxyFixture proxy;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedApiServer();
        proxy = new ProxyFixture(upstream);
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        upstream.close();
    }

    @Test
    void shouldSendEveryMessageWholeThoughPingedInTheMiddle() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = webSocket(proxy.smallClient(), "http://localhost");
        assertThat(event(client).brief()).startsWith("ADDED one");

        for (int i = 0; i < 3; i++) {
            upstream.pods().putPadded("a/large" + i, 600_000);
        }
        for (int i = 0; i < 3; i++) {
            // Unread so far: the message is stuck in the middle when this comes.
            for (int ping = 0; ping < 50; ping++) {
                client.send(PING);
            }
            Message message = client.message();
            while (message.opcode() == 0x0a) {
                assertThat(message.payload()).isEqualTo("PING".getBytes(StandardCharsets.US_ASCII));
                message = client.message();
            }
            assertThat(Event.of(message.text().strip()).brief()).startsWith("ADDED large" + i);
        }
    }

    @Test
    void shouldKeepNoAnswersForAClientThatOnlyPings() throws Exception {
        upstream.pods().put("a/one");
        TestClient client = webSocket(proxy.smallClient(), "http://localhost");
        event(client);
        byte[] many = new byte[PING.length * 10_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = PING[i % PING.length];
        }

        for (int i = 0; i < 30; i++) {
            client.send(many);
        }

        // All of the pings have been taken off the wire; what was answered fits into the kernel's buffers.
        long version = upstream.pods().put("a/two");
        int pongs = 0;
        Message message = client.message();
        while (message.opcode() == 0x0a) {
            pongs++;
            message = client.message();
        }
        assertThat(Event.of(message.text().strip()).version()).isEqualTo(version);
        assertThat(pongs).isBetween(1, 299_999);
    }

    @Test
    void shouldRefuseAWebSocketOfAForeignPage() throws Exception {
        upstream.pods().put("a/one");
        TestClient client =
                proxy.client().get("/api/v1/pods?watch=true&resourceVersion=0", WEBSOCKET + "https://evil.example");

        assertThat(client.head().code()).isEqualTo(403);
    }

    @Test
    void shouldRefuseAWriteOfAForeignPage() throws Exception {
        for (Map.Entry<String, Integer> origin :
                Map.of("https://evil.example", 403, "null", 403).entrySet()) {
            TestClient client = proxy.client()
                    .send("POST /api/v1/namespaces/a/pods HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin.getKey()
                            + "\r\nContent-Length: 2\r\n\r\n{}");

            assertThat(client.head().code()).as(origin.getKey()).isEqualTo(origin.getValue());
        }
    }

    @Test
    void shouldRefuseARequestWithTwoHosts() throws Exception {
        TestClient client =
                proxy.client().send("GET /api/v1/pods HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");

        assertThat(client.head().code()).isIn(400, 403);
    }

    @Test
    void shouldLeaveNothingOfManyShortWatches() throws Exception {
        upstream.pods().put("a/one");
        for (int i = 0; i < 300; i++) {
            try (TestClient client = proxy.watch("&fieldSelector=metadata.name%3Dq" + i)) {
                assertThat(client).isNotNull();
            }
        }

        proxy.awaitNothingLeft("pods");
    }

    private static TestClient webSocket(TestClient client, String origin) throws IOException {
        client.get("/api/v1/pods?watch=true&resourceVersion=0", WEBSOCKET + origin);
        assertThat(client.head().code()).isEqualTo(101);
        return client;
    }

    private static Event event(TestClient client) throws IOException {
        return Event.of(client.message().text().strip());
    }
}
