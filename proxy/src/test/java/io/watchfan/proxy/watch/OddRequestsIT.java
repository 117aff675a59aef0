package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.testing.ScriptedApiServer;
import io.watchfan.proxy.testing.ScriptedApiServer.Kind;
import io.watchfan.proxy.testing.TestClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests of which a differential run against a real API server has shown that they were answered otherwise than there. */
@Timeout(60)
final class OddRequestsIT {
    private static final Pattern TOKEN = Pattern.compile("\"continue\":\"([^\"]+)\"");
    private static final Pattern ITEM = Pattern.compile("\"name\":\"([^\"]+)\"");

    private ScriptedApiServer upstream;
    private ProxyFixture proxy;

    @BeforeEach
    void start() throws Exception {
        upstream = new ScriptedApiServer("pods", "configmaps", "events");
        proxy = new ProxyFixture(upstream);
        for (String path : List.of("a/one", "b/one", "b/two", "c/one")) {
            upstream.pods().put(path, "app", "web");
        }
        ask("/api/v1/pods");
    }

    @AfterEach
    void stop() throws Exception {
        proxy.close();
        upstream.close();
    }

    private record Answer(TestClient.Head head, String body) {
        List<String> names() {
            List<String> names = new ArrayList<>();
            for (Matcher item = ITEM.matcher(body); item.find(); ) {
                names.add(item.group(1));
            }
            return names;
        }

        String token() {
            Matcher token = TOKEN.matcher(body);
            return token.find() ? token.group(1) : "";
        }
    }

    private Answer ask(String target) throws Exception {
        TestClient client = proxy.client().get(target);
        TestClient.Head head = client.head();
        return new Answer(head, client.body(head));
    }

    @Test
    void shouldPassOnAnObjectThatIsNamedWithoutItsNamespace() throws Exception {
        upstream.nextOf(Kind.OTHER, "/api/v1/pods/one", 1, (asked, reply) -> {
            reply.send(404, "no such path");
            return true;
        });

        Answer answer = ask("/api/v1/pods/one?resourceVersion=0");

        assertThat(answer.body()).isEqualTo("no such path");
        assertThat(answer.head().code()).isEqualTo(404);
    }

    @Test
    void shouldIndentTheRefusalOfWhatCannotBeReadForWhoWantsItIndented() throws Exception {
        assertThat(ask("/api/v1/pods?limit=abc&pretty=true").body()).startsWith("{\n  \"kind\": \"Status\"");
        assertThat(ask("/api/v1/pods?limit=abc").body()).startsWith("{\"kind\":\"Status\"");
    }

    @Test
    void shouldPageWithinTheNamespaceThatASelectorNames() throws Exception {
        String selected = "/api/v1/pods?limit=1&fieldSelector=metadata.namespace%3Db";

        Answer first = ask(selected);
        Answer second = ask(selected + "&continue=" + first.token());

        assertThat(first.names()).containsExactly("one");
        assertThat(second.names()).containsExactly("two");
        assertThat(second.token()).isEmpty();
        // The same place as the API server writes it, in base64: {"v":"meta.k8s.io/v1","rv":N,"start":"/one\u0000"}
        String theirs = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        ("{\"v\":\"meta.k8s.io/v1\",\"rv\":" + upstream.version() + ",\"start\":\"/one\\u0000\"}")
                                .getBytes(StandardCharsets.UTF_8));
        assertThat(ask(selected + "&continue=" + theirs).names()).containsExactly("two");
        // And without the selector the token is one of all namespaces.
        assertThat(ask("/api/v1/pods?continue=" + first.token()).names()).containsExactly("two", "one");
    }

    @Test
    void shouldKnowNoPagesOfOneObject() throws Exception {
        long before = upstream.version();
        upstream.pods().put("b/one", "app", "db");
        String one = "/api/v1/namespaces/b/pods?limit=1&fieldSelector=metadata.name%3Done";

        Answer now = ask(one);
        assertThat(now.names()).containsExactly("one");
        assertThat(now.token()).isEmpty();

        // A limit does not make the version exact.
        Answer notOlder = ask(one + "&resourceVersion=" + before);
        assertThat(notOlder.body()).contains("\"db\"");
        assertThat(ask(one + "&resourceVersion=" + before + "&resourceVersionMatch=Exact")
                        .body())
                .contains("\"web\"");

        // What could be in no key is looked for in a list, and a limit makes that exact.
        String none = "/api/v1/namespaces/b/pods?limit=1&resourceVersion=" + before + "&fieldSelector=metadata.name%3D";
        assertThat(ask(none + "one").body()).contains("\"resourceVersion\":\"" + upstream.version() + "\"");
        for (String name : List.of("..", ".", "a%2Fb", "a%2525")) {
            assertThat(ask(none + name).body()).contains("\"resourceVersion\":\"" + before + "\"");
        }
    }

    @Test
    void shouldCountWhatRemainsWhereTheSelectorsHaveNoCondition() throws Exception {
        assertThat(ask("/api/v1/pods?limit=1&fieldSelector=%2C").body()).contains("\"remainingItemCount\":3");
        assertThat(ask("/api/v1/pods?limit=1&fieldSelector=metadata.name!%3Dx").body())
                .doesNotContain("remainingItemCount");
        assertThat(ask("/api/v1/pods?limit=1&fieldSelector=%3D&labelSelector=%20")
                        .body())
                .contains("\"remainingItemCount\":3");
        assertThat(ask("/api/v1/namespaces/b/pods?limit=1").body()).contains("\"remainingItemCount\":");
        for (String condition : List.of(
                "labelSelector=!x",
                "labelSelector=!x&fieldSelector=%2C",
                "fieldSelector=metadata.namespace%3Db",
                "fieldSelector=metadata.namespace!%3Da,metadata.namespace!%3Dx",
                "fieldSelector=spec.nodeName%3D")) {
            assertThat(ask("/api/v1/pods?limit=1&" + condition).body())
                    .as(condition)
                    .contains("\"continue\"")
                    .doesNotContain("remainingItemCount");
        }
        // That the path has it already makes it no less a condition.
        assertThat(ask("/api/v1/namespaces/b/pods?limit=1&fieldSelector=metadata.namespace!%3Da")
                        .body())
                .contains("\"continue\"")
                .doesNotContain("remainingItemCount");
        assertThat(ask("/api/v1/namespaces/b/pods?limit=1&fieldSelector=metadata.namespace%3Db")
                        .body())
                .contains("\"continue\"")
                .doesNotContain("remainingItemCount");
    }

    /** Of which the API server keeps no watch cache: it has limits there at version 0, too. */
    @Test
    void shouldPageEventsAtAnyVersion() throws Exception {
        upstream.resource("events").put("a/one");
        upstream.resource("events").put("a/two");
        ask("/api/v1/events");

        Answer first = ask("/api/v1/events?limit=1&resourceVersion=0");
        assertThat(first.names()).containsExactly("one");
        Answer second = ask("/api/v1/events?limit=1&resourceVersion=0&continue=" + first.token());
        assertThat(second.names()).containsExactly("two");
        assertThat(second.token()).isEmpty();

        assertThat(ask("/api/v1/pods?limit=1&resourceVersion=0").names()).hasSize(4);
    }

    @Test
    void shouldTellSyntaxOfASelectorBeforeWhatMayNotBeCombined() throws Exception {
        Answer syntax = ask("/api/v1/pods?resourceVersionMatch=Exact&fieldSelector=metadata.name");
        assertThat(syntax.head().code()).isEqualTo(400);

        Answer combination = ask("/api/v1/pods?resourceVersionMatch=Exact&fieldSelector=no.such%3D1");
        assertThat(combination.head().code()).isEqualTo(422);
    }

    @Test
    void shouldWarnWhoeverAsksForWhatIsDeprecatedButNotBeforeItKnowsWhatIsAskedFor() throws Exception {
        upstream.nextOf(Kind.LIST, "/configmaps", 1, (asked, reply) -> {
            reply.send(
                    200,
                    "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}",
                    "Warning: 299 - \"old\"");
            return true;
        });
        upstream.withoutStreamingLists();
        assertThat(ask("/api/v1/configmaps?resourceVersion=0").head().value("Warning"))
                .isEqualTo("299 - \"old\"");

        assertThat(ask("/api/v1/configmaps?limit=abc").head().value("Warning")).isEqualTo("299 - \"old\"");
        assertThat(ask("/api/v1/configmaps?timeout=abc").head().value("Warning"))
                .isNull();
    }
}
