package io.watchfan.proxy.passthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages through the proxy, on real sockets. */
@Timeout(60)
@SuppressWarnings("StringConcatToTextBlock") // Lines of HTTP end with CR LF.
final class PassthroughIT {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    private PassthroughFixture proxy;
    private Wire client;
    private Wire upstream;
    /** The head of the request of {@link #client}, as {@link #upstream} got it. */
    private Wire.Head arrived;

    @AfterEach
    void close() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
    }

    private PassthroughFixture proxy(String... flags) throws Exception {
        proxy = new PassthroughFixture(flags);
        return proxy;
    }

    /** Has a client send this to a new proxy, and the API server get the head of it. */
    private void begin(String request) throws Exception {
        proxy();
        client = proxy.client().send(request);
        upstream = proxy.upstream();
        arrived = upstream.head();
    }

    /** Sends a piece over and over from a thread of its own, as long as somebody takes it. */
    private static final class Sender {
        private final AtomicInteger sent = new AtomicInteger();
        private final Thread thread;

        Sender(Wire to, byte[] piece, int times, String end) {
            thread = new Thread(() -> {
                for (int i = 0; i < times && sendQuietly(to, piece); i++) {
                    sent.incrementAndGet();
                }
                sendQuietly(to, end.getBytes(StandardCharsets.US_ASCII));
            });
            thread.start();
        }
    }

    /**
     * How much of it was sent when it stands still: no more of it is taken, though the proxy is at work and answers others on
     * the same event loop.
     */
    private int standstill(Sender sender) {
        await().until(() -> {
            int before = sender.sent.get();
            for (int i = 0; i < 50; i++) {
                try (Wire other = proxy.client().send("GET a HTTP/1.1\r\nHost: me\r\n\r\n")) {
                    assertThat(other.head().first()).startsWith("HTTP/1.1 400 ");
                }
            }
            return before > 0 && before == sender.sent.get();
        });
        return sender.sent.get();
    }

    // ---- heads

    @Test
    void shouldForwardTargetAndHeadersByteForByte() throws Exception {
        proxy();
        String target = "/api/v1/namespaces/d/services/http:web:80/proxy/a%2Fb%20c/./e//f?&q=1+2&q=%2B&x";

        proxy.client()
                .send("GET " + target + " HTTP/1.1\r\nHost: me\r\nACCEPT: a, */*;q=0.1\r\nX-Own: a  b\r\nx-own: c\r\n"
                        + "X-Latin: \u00e9\r\nX-Empty:\r\nAccept-Encoding: gzip\r\nImpersonate-User: jane\r\n"
                        + "Authorization: Bearer me\r\n\r\n");
        arrived = proxy.upstream().head();

        assertThat(arrived.first()).isEqualTo("GET " + target + " HTTP/1.1");
        assertThat(arrived.headers())
                .containsExactlyInAnyOrder(
                        "ACCEPT: a, */*;q=0.1",
                        "X-Own: a  b",
                        "x-own: c",
                        "X-Latin: \u00e9",
                        "X-Empty: ",
                        "Accept-Encoding: gzip",
                        "Impersonate-User: jane",
                        "Authorization: Bearer me",
                        "host: " + proxy.upstreamAddress());
    }

    @Test
    void shouldPassRepeatedHeadersAndUnusualStatusLinesBack() throws Exception {
        begin("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");

        upstream.send(
                "HTTP/1.1 418 Short and stout\r\nWarning: 299 - \"a\"\r\nwarning: 299 - \"b\"\r\nX-Z: \u00e9\r\n"
                        + "Content-Encoding: gzip\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nContent-Length: 3\r\n\r\n\0\u00ff\n");
        Wire.Head answer = client.head();

        assertThat(answer.first()).isEqualTo("HTTP/1.1 418 Short and stout");
        assertThat(answer.headers())
                .containsExactly(
                        "Warning: 299 - \"a\"",
                        "warning: 299 - \"b\"",
                        "X-Z: \u00e9",
                        "Content-Encoding: gzip",
                        "Content-Length: 3");
        assertThat(client.text(3)).isEqualTo("\0\u00ff\n");
    }

    @Test
    void shouldDropHopByHopHeadersAndUnverifiedIdentities() throws Exception {
        proxy();

        proxy.client()
                .send(
                        "GET /x HTTP/1.1\r\nHost: me\r\nX-Remote-User: admin\r\nx-remote-extra-scopes: a\r\n"
                                + "X-REMOTE-UID: 1\r\nX-Remote-Group: a\r\nX-Remote-Group: b\r\nConnection: keep-alive, X-Hop, Impersonate-User,"
                                + " Authorization\r\nX-Hop: 1\r\nTE: trailers\r\nProxy-Connection: x\r\nKeep-Alive: 3\r\nUpgrade: h2c\r\n"
                                + "Proxy-Authorization: a\r\nImpersonate-User: jane\r\nAuthorization: Bearer me\r\nX-Remoteness: 1\r\n\r\n");
        arrived = proxy.upstream().head();

        assertThat(arrived.headers())
                .containsExactlyInAnyOrder(
                        "Impersonate-User: jane",
                        "Authorization: Bearer me",
                        "X-Remoteness: 1",
                        "host: " + proxy.upstreamAddress());
    }

    @Test
    void shouldAddItsOwnCredentialOnlyWhereTheCallerHasNone(@TempDir Path folder) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "mine\n");
        proxy("--upstream-token-file", token.toString());
        client = proxy.client();

        client.send("GET /a HTTP/1.1\r\nHost: me\r\n\r\n");
        upstream = proxy.upstream();
        Wire.Head without = upstream.head();
        upstream.send(OK);
        client.head();
        client.bytes(2);
        client.send("GET /b HTTP/1.1\r\nHost: me\r\nauthorization: Basic x\r\n\r\n");
        Wire.Head with = upstream.head();

        assertThat(without.value("Authorization")).isEqualTo("Bearer mine");
        assertThat(with.value("Authorization")).isEqualTo("Basic x");
    }

    @Test
    void shouldPrefixTheBasePathOfTheUpstream() throws Exception {
        proxy = new PassthroughFixture(8, "/k8s/clusters/a/");

        proxy.client().send("GET //api?x HTTP/1.1\r\nHost: me\r\n\r\n");

        assertThat(proxy.upstream().head().first()).isEqualTo("GET /k8s/clusters/a//api?x HTTP/1.1");
    }

    @Test
    void shouldTakeTheTargetOutOfTheAbsoluteForm() throws Exception {
        proxy();

        proxy.client().send("GET http://elsewhere/api?x HTTP/1.1\r\nHost: me\r\n\r\n");

        assertThat(proxy.upstream().head().first()).isEqualTo("GET /api?x HTTP/1.1");
    }

    @Test
    void shouldForwardRawUtf8InTheTarget() throws Exception {
        proxy();

        proxy.client().send("GET /\u00c3\u00a9 HTTP/1.1\r\nHost: me\r\n\r\n");

        assertThat(proxy.upstream().head().first()).isEqualTo("GET /\u00c3\u00a9 HTTP/1.1");
    }

    @Test
    void shouldForwardLongHeadsAndRefuseEndlessOnes() throws Exception {
        proxy();
        String longTarget = "/api?labelSelector=" + "a".repeat(100_000);

        proxy.client()
                .send("GET " + longTarget + " HTTP/1.1\r\nHost: me\r\nX-Long: " + "b".repeat(100_000) + "\r\n\r\n");
        arrived = proxy.upstream().head();
        Wire.Head tooLongLine = proxy.client()
                .send("GET /" + "a".repeat(300_000) + " HTTP/1.1\r\nHost: me\r\n\r\n")
                .head();
        Wire.Head tooLongHeader = proxy.client()
                .send("GET / HTTP/1.1\r\nHost: me\r\nX-Long: " + "b".repeat(300_000) + "\r\n\r\n")
                .head();

        assertThat(arrived.first()).isEqualTo("GET " + longTarget + " HTTP/1.1");
        assertThat(arrived.value("X-Long")).hasSize(100_000);
        assertThat(tooLongLine.first()).contains(" 414 ");
        assertThat(tooLongHeader.first()).contains(" 431 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: me\r\nX-A: a\rb\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: me\r\nX-A: a\0b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: me\r\nX A: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: me\r\nX-A : a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: me\r\n: a\r\n\r\n",
                "GET /a\u0001b HTTP/1.1\r\nHost: me\r\n\r\n",
                "GET a HTTP/1.1\r\nHost: me\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: me\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: me\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
                "POST / HTTP/1.1\r\nHost: me\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "POST / HTTP/1.1\r\nHost: me\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            })
    void shouldRefuseWhatTheApiServerCouldReadInAnotherWay(String request) throws Exception {
        proxy();

        Wire.Head answer = proxy.client().send(request).head();
        proxy.client().send("GET /next HTTP/1.1\r\nHost: me\r\n\r\n");

        assertThat(answer.first()).startsWith("HTTP/1.1 400 ");
        assertThat(proxy.upstream().head().first()).as("it did not get there").isEqualTo("GET /next HTTP/1.1");
    }

    // ---- bodies

    @Test
    void shouldForwardEachPieceOfAChunkedUploadAsItComes() throws Exception {
        begin("PATCH /x HTTP/1.1\r\nHost: me\r\nTransfer-Encoding: chunked\r\n\r\n");
        client.send("3\r\nabc\r\n");
        String first = upstream.chunk();
        client.send("2\r\nde\r\n0\r\n\r\n");
        String second = upstream.chunk();

        assertThat(arrived.first()).isEqualTo("PATCH /x HTTP/1.1");
        assertThat(List.of(first, second, upstream.chunk())).containsExactly("abc", "de", "");
        upstream.send(OK);
        assertThat(client.head().first()).isEqualTo("HTTP/1.1 200 OK");
    }

    @Test
    void shouldForwardABodyOfKnownLengthWithItsLength() throws Exception {
        proxy();
        byte[] body = new byte[3_000_000];
        new Random(1).nextBytes(body);

        client = proxy.client().send("PUT /x HTTP/1.1\r\nHost: me\r\nContent-Length: 3000000\r\n\r\n");
        upstream = proxy.upstream();
        arrived = upstream.head();
        Sender sender = new Sender(client, body, 1, "");

        assertThat(arrived.value("Content-Length")).isEqualTo("3000000");
        assertThat(arrived.value("Transfer-Encoding")).isNull();
        assertThat(upstream.bytes(3_000_000)).isEqualTo(body);
        upstream.send(OK);
        assertThat(client.head().first()).isEqualTo("HTTP/1.1 200 OK");
        sender.thread.join();
    }

    @Test
    void shouldNotReadAnUploadFasterThanTheApiServerTakesIt() throws Exception {
        begin("POST /x HTTP/1.1\r\nHost: me\r\nTransfer-Encoding: chunked\r\n\r\n");
        byte[] chunk = ("10000\r\n" + "x".repeat(65_536) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        Sender sender = new Sender(client, chunk, 4096, "0\r\n\r\n");

        // It stands still long before all of the 256 MiB are sent, and goes on when they are read.
        assertThat(standstill(sender)).isLessThan(1024);
        assertThat(upstream.chunks()).hasSize(4096 * 65_536);
        sender.thread.join();
    }

    @Test
    void shouldStreamAnAnswerAtOnceHeadFirst() throws Exception {
        begin("GET /log?follow=true HTTP/1.1\r\nHost: me\r\n\r\n");

        upstream.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n");
        Wire.Head answer = client.head();
        upstream.send("5\r\nline1\r\n");
        String first = client.chunk();
        upstream.send("5\r\nline2\r\n0\r\nX-Trailer: 1\r\n\r\n");

        assertThat(answer.headers())
                .containsExactlyInAnyOrder("Content-Type: text/plain", "transfer-encoding: chunked");
        assertThat(List.of(first, client.chunk(), client.chunk())).containsExactly("line1", "line2", "");
    }

    @Test
    void shouldNotReadAnAnswerFasterThanTheClientTakesIt() throws Exception {
        begin("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 268435456\r\n\r\n");
        Sender sender = new Sender(upstream, new byte[65_536], 4096, "");

        assertThat(standstill(sender)).isLessThan(1024);
        client.head();
        assertThat(client.bytes(268_435_456)).hasSize(268_435_456);
        sender.thread.join();
    }

    @Test
    void shouldAnswerAClientThatAwaitsContinueWhenTheApiServerDoes() throws Exception {
        begin("PUT /x HTTP/1.1\r\nHost: me\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");

        upstream.send("HTTP/1.1 100 Continue\r\n\r\n");
        Wire.Head interim = client.head();
        client.send("abc");

        assertThat(arrived.value("Expect")).isEqualTo("100-continue");
        assertThat(interim.first()).isEqualTo("HTTP/1.1 100 Continue");
        assertThat(upstream.text(3)).isEqualTo("abc");
        upstream.send(OK);
        assertThat(client.head().first()).isEqualTo("HTTP/1.1 200 OK");
    }

    @Test
    void shouldNotAskForTheBodyWhenTheAnswerComesInsteadOfContinue() throws Exception {
        begin("PUT /x HTTP/1.1\r\nHost: me\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");

        upstream.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
        Wire.Head answer = client.head();

        assertThat(answer.first()).isEqualTo("HTTP/1.1 413 Too Large");
        assertThat(answer.value("Connection")).isEqualTo("close");
        assertThat(client.rest()).isEmpty();
        assertThat(upstream.rest()).isEmpty();
    }

    @Test
    void shouldPassOnAnAnswerThatComesBeforeTheBodyIsSent() throws Exception {
        begin("PUT /x HTTP/1.1\r\nHost: me\r\nContent-Length: 1000000\r\n\r\nabc");

        upstream.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
        upstream.close();
        Wire.Head answer = client.head();

        assertThat(answer.first()).isEqualTo("HTTP/1.1 403 Forbidden");
        assertThat(client.text(2)).isEqualTo("no");
        client.send(new byte[999_997]);
        assertThat(client.rest()).isEmpty();
    }

    @Test
    void shouldPassAnswersWithoutBody() throws Exception {
        proxy();
        client = proxy.client();

        client.send("HEAD /x HTTP/1.1\r\nHost: me\r\n\r\n");
        upstream = proxy.upstream();
        upstream.head();
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
        Wire.Head head = client.head();
        client.send("GET /x HTTP/1.1\r\nHost: me\r\nIf-None-Match: \"A\"\r\n\r\n");
        upstream.head();
        upstream.send("HTTP/1.1 304 Not Modified\r\nEtag: \"A\"\r\n\r\n");
        Wire.Head notModified = client.head();
        client.send("DELETE /x HTTP/1.1\r\nHost: me\r\n\r\n");
        upstream.head();
        upstream.send("HTTP/1.1 204 No Content\r\n\r\n");
        Wire.Head noContent = client.head();
        client.send("OPTIONS /x HTTP/1.1\r\nHost: me\r\n\r\n");
        Wire.Head options = upstream.head();

        assertThat(head.headers()).containsExactly("Content-Length: 1234");
        assertThat(notModified.headers()).containsExactly("Etag: \"A\"");
        assertThat(noContent.headers()).isEmpty();
        assertThat(options.first()).isEqualTo("OPTIONS /x HTTP/1.1");
    }

    @Test
    void shouldEndTheConnectionOfAnHttp10ClientWithTheBody() throws Exception {
        begin("GET /x HTTP/1.0\r\n\r\n");

        upstream.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        Wire.Head answer = client.head();

        assertThat(answer.value("Transfer-Encoding")).isNull();
        assertThat(new String(client.rest(), StandardCharsets.US_ASCII)).isEqualTo("abc");
    }

    // ---- failures

    @Test
    void shouldTakeBackTheRequestOfAClientThatGoes() throws Exception {
        begin("GET /log HTTP/1.1\r\nHost: me\r\n\r\n");

        client.close();

        assertThat(upstream.rest()).isEmpty();
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldTakeBackTheRequestOfAClientThatGoesWhileTheAnswerStreams() throws Exception {
        begin("GET /log HTTP/1.1\r\nHost: me\r\n\r\n");
        upstream.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
        client.head();
        client.chunk();

        client.close();

        assertThat(upstream.rest()).isEmpty();
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldTakeBackTheRequestOfAClientThatGoesWhileItUploads() throws Exception {
        begin("POST /x HTTP/1.1\r\nHost: me\r\nContent-Length: 100\r\n\r\nabc");
        upstream.text(3);

        client.close();

        assertThat(upstream.rest()).isEmpty();
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldBreakOffAnAnswerThatBreaksOff() throws Exception {
        begin("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");
        upstream.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
        client.head();
        assertThat(client.chunk()).isEqualTo("abc");

        upstream.close();

        assertThat(client.rest()).isEmpty();
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldBreakOffAnAnswerThatIsShorterThanItsLength() throws Exception {
        begin("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");
        upstream.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
        client.head();

        upstream.close();

        assertThat(client.rest()).hasSize(3);
    }

    @Test
    void shouldSayThatTheApiServerCannotBeReached() throws Exception {
        proxy();
        proxy.stopListening();

        client = proxy.client().send("POST /x HTTP/1.1\r\nHost: me\r\nContent-Length: 2\r\n\r\n{}");
        Wire.Head answer = client.head();
        JsonObject status = status(client, answer);

        assertThat(answer.first()).isEqualTo("HTTP/1.1 503 Service Unavailable");
        assertThat(answer.value("Retry-After")).isEqualTo("1");
        assertThat(answer.value("Content-Type")).isEqualTo("application/json");
        assertThat(status.getString("kind")).isEqualTo("Status");
        assertThat(status.getString("reason")).isEqualTo("ServiceUnavailable");
        assertThat(status.getString("message"))
                .startsWith("the API server at http://" + proxy.upstreamAddress() + " cannot be reached: ")
                .doesNotContain("\n");
        assertThat(proxy.active()).isZero();
        client.send("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");
        assertThat(client.head().first()).as("the connection is of use still").contains("503");
    }

    @Test
    void shouldNeverSendAWriteTwice() throws Exception {
        begin("POST /x HTTP/1.1\r\nHost: me\r\nContent-Length: 2\r\n\r\n{}");
        upstream.text(2);

        upstream.close();
        Wire.Head answer = client.head();

        assertThat(answer.first()).isEqualTo("HTTP/1.1 503 Service Unavailable");
        assertThat(answer.value("Retry-After")).as("it may have had an effect").isNull();
        client.bytes(Integer.parseInt(answer.value("Content-Length")));
        client.send("GET /y HTTP/1.1\r\nHost: me\r\n\r\n");
        assertThat(proxy.upstream().head().first()).isEqualTo("GET /y HTTP/1.1");
    }

    @Test
    void shouldProposeToRepeatAReadThatWasNotAnswered() throws Exception {
        begin("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");

        upstream.close();
        Wire again = proxy.upstream();
        again.head();
        again.close();

        assertThat(client.head().value("Retry-After")).isEqualTo("1");
    }

    /** The API server may close an idle connection just as a request is sent on it. */
    @Test
    void shouldSendAReadOnceMoreWhereTheConnectionCloses() throws Exception {
        begin("GET /x?y=z HTTP/1.1\r\nHost: me\r\nX-Mine: 1\r\n\r\n");
        upstream.close();

        Wire again = proxy.upstream();
        Wire.Head head = again.head();
        again.send(OK);

        assertThat(head.first()).isEqualTo("GET /x?y=z HTTP/1.1");
        assertThat(head.value("X-Mine")).isEqualTo("1");
        assertThat(client.head().first()).isEqualTo("HTTP/1.1 200 OK");
        await().until(() -> proxy.active() == 0);
    }

    @Test
    void shouldRefuseMoreThanItHasConnectionsFor() throws Exception {
        proxy = new PassthroughFixture(2, "");
        List<Wire> held = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            proxy.client().send("GET /log HTTP/1.1\r\nHost: me\r\n\r\n");
            held.add(proxy.upstream());
            held.get(i).head();
        }

        client = proxy.client().send("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");
        Wire.Head answer = client.head();
        JsonObject status = status(client, answer);
        held.get(0).send(OK);
        await().until(() -> proxy.active() == 1);
        client.send("GET /y HTTP/1.1\r\nHost: me\r\n\r\n");

        assertThat(answer.first()).isEqualTo("HTTP/1.1 503 Service Unavailable");
        assertThat(answer.value("Retry-After")).isEqualTo("1");
        assertThat(status.getString("message"))
                .isEqualTo("too many requests are being passed through to the API server");
        assertThat(held.get(0).head().first()).isEqualTo("GET /y HTTP/1.1");
    }

    @Test
    void shouldRefuseAnAnswerThatIsNotHttp() throws Exception {
        begin("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");

        upstream.send("SSH-2.0-OpenSSH_9.2\r\n\r\n");

        assertThat(client.head().first()).isEqualTo("HTTP/1.1 503 Service Unavailable");
    }

    // ---- read-only

    @Test
    void shouldRefuseWritesWhenReadOnly() throws Exception {
        proxy("--read-only");
        client = proxy.client();

        for (String method : List.of("POST", "PUT", "PATCH", "DELETE", "CONNECT")) {
            client.send(method + " /x HTTP/1.1\r\nHost: me\r\nContent-Length: 2\r\n\r\n{}");
            Wire.Head answer = client.head();
            assertThat(answer.first()).isEqualTo("HTTP/1.1 405 Method Not Allowed");
            assertThat(status(client, answer).getString("reason")).isEqualTo("MethodNotAllowed");
        }
        client.send("GET /x HTTP/1.1\r\nHost: me\r\n\r\n");

        assertThat(proxy.upstream().head().first()).isEqualTo("GET /x HTTP/1.1");
        assertThat(proxy.metrics.scrape())
                .contains("watchfan_requests_total{outcome=\"refused\",reason=\"read-only\",verb=\"post\"} 1.0")
                .contains("watchfan_requests_total{outcome=\"passthrough\",reason=\"test\",verb=\"get\"} 1.0");
    }

    private static JsonObject status(Wire client, Wire.Head answer) throws IOException {
        return new JsonObject(client.text(Integer.parseInt(answer.value("Content-Length"))));
    }

    private static boolean sendQuietly(Wire wire, byte[] bytes) {
        try {
            wire.send(bytes);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
