package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lists, streamed and not, and the events after them: byte for byte as the API server says them. */
@EndToEnd
class StreamingListST {
    /** Of a watch that begins with what there is. */
    static final String OPTIONS =
            "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

    private static final Pattern VERSION = Pattern.compile("\"resourceVersion\":\"\\d+\"");
    private static final String ODD =
            "{\"html\":\"<a href='?x&y'>\",\"text\":\"\\u00e4\\u4e16\\ud83d\\ude00 \\u2028 \\\\ \\\" \\t\\n\\u0001\",\"empty\":\"\"}";

    /** What is listed. */
    enum Kind {
        CONFIG_MAPS,
        UNSCHEDULED_PODS,
        CUSTOM_RESOURCES
    }

    private World world;
    private String path;

    @BeforeEach
    void namespace(World world) {
        this.world = world;
    }

    /** Three objects of odd content, and labels of their own. */
    private void objectsOf(Kind kind) throws IOException, InterruptedException {
        switch (kind) {
            case CONFIG_MAPS -> {
                path = world.configMaps();
                for (String name : List.of("b", "a", "a.b")) {
                    write(name, ",\"data\":" + ODD + ",\"binaryData\":{\"b\":\"AAEC/w==\"}");
                }
            }
            case UNSCHEDULED_PODS -> {
                path = "/api/v1/namespaces/" + world.namespace() + "/pods";
                for (String name : List.of("b", "a", "a.b")) {
                    write(
                            name,
                            ",\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"args\":[\"<&>\"],"
                                    + "\"resources\":{\"requests\":{\"cpu\":\"0.1\"}}}]}");
                }
            }
            case CUSTOM_RESOURCES -> {
                CustomResourceST.CustomResource resource = CustomResourceST.CustomResource.create(
                        world, "listed" + world.namespace().replace("-", ""));
                resource.firstList(world.direct());
                resource.firstList(world.proxied());
                path = resource.path();
                for (String name : List.of("b", "a", "a.b")) {
                    resource.create(name, "<&> \u00e4");
                }
            }
        }
    }

    private void write(String name, String rest) throws IOException, InterruptedException {
        world.direct()
                .post(
                        path,
                        "{\"metadata\":{\"name\":\"" + name + "\",\"labels\":{\"n\":\"" + name
                                + "\"},\"annotations\":{\"odd\":\"<&>\\u2029\"}}" + rest + "}")
                .expect(201);
    }

    @ParameterizedTest
    @EnumSource
    void shouldListTheSameBytes(Kind kind) throws Exception {
        objectsOf(kind);

        Api.Answer consistent = world.proxied().get(path).expect(200);
        assertSameAsDirectly(consistent);
        assertSameAsDirectly(world.proxied().get(path + "?resourceVersion=0").expect(200));
        assertSameAsDirectly(world.proxied()
                .get(path + "?resourceVersion=" + Json.version(consistent.json()))
                .expect(200));
        assertThat(consistent.json().path("items")).hasSize(3);
    }

    /** The API server says the same of the version that the proxy's list has. */
    private void assertSameAsDirectly(Api.Answer proxied) throws IOException, InterruptedException {
        Api.Answer direct = world.direct()
                .get(path + "?resourceVersionMatch=Exact&resourceVersion=" + Json.version(proxied.json()))
                .expect(200);
        assertThat(proxied.text()).isEqualTo(direct.text());
        assertThat(proxied.contentType()).isEqualTo(direct.contentType());
    }

    @Test
    void shouldListWhatHasJustBeenWritten() throws Exception {
        for (int write = 0; write < 20; write++) {
            long version = world.create("written-" + write);

            Api.Answer list = world.proxied().get(world.configMaps()).expect(200);

            assertThat(Json.version(list.json())).isGreaterThanOrEqualTo(version);
            assertThat(Json.versions(list.json())).containsEntry(world.namespace() + "/written-" + write, version);
            world.delete("written-" + write);
            assertThat(Json.items(
                            world.proxied().get(world.configMaps()).expect(200).text()))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldListTheSamePages(Kind kind) throws Exception {
        objectsOf(kind);

        Api.Answer first = world.proxied().get(path + "?limit=2").expect(200);
        String token = first.json().at("/metadata/continue").asText();
        Api.Answer direct = world.direct()
                .get(path + "?limit=2&resourceVersionMatch=Exact&resourceVersion=" + Json.version(first.json()))
                .expect(200);
        assertSamePage(first, direct);

        // A token of one is good at the other.
        Api.Answer second =
                world.proxied().get(path + "?limit=2&continue=" + token).expect(200);
        assertSamePage(
                second, world.direct().get(path + "?limit=2&continue=" + token).expect(200));
        assertThat(Json.items(second.text())).hasSize(1);
    }

    /** The same bytes, but for a slash in the token, which the API server itself writes or does not. */
    private static void assertSamePage(Api.Answer proxied, Api.Answer direct) {
        ListParts got = ListParts.of(proxied.contentType(), proxied.body());
        ListParts wanted = ListParts.of(direct.contentType(), direct.body());
        assertThat(got.rest()).isEqualTo(wanted.rest());
        assertThat(got.version()).isEqualTo(wanted.version());
        assertThat(got.place(false)).isEqualTo(wanted.place(false));
    }

    @ParameterizedTest
    @EnumSource
    void shouldGetTheSameBytes(Kind kind) throws Exception {
        objectsOf(kind);

        for (String options : List.of("", "?resourceVersion=0")) {
            Api.Answer proxied = world.proxied().get(path + "/a" + options).expect(200);
            assertThat(proxied.text())
                    .isEqualTo(world.direct()
                            .get(path + "/a" + options)
                            .expect(200)
                            .text());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldStreamTheListAndWhatFollowsInTheSameBytes(Kind kind) throws Exception {
        objectsOf(kind);
        long listed = Json.version(world.direct().get(path).expect(200).json());

        try (Watching proxied = world.proxied().watch(path + OPTIONS);
                Watching direct = world.direct().watch(path + OPTIONS)) {
            proxied.untilLine("initial-events-end");
            direct.untilLine("initial-events-end");
            world.direct()
                    .patch(path + "/a", "{\"metadata\":{\"labels\":{\"n\":null,\"m\":\"x\"}}}")
                    .expect(200);
            world.direct().delete(path + "/a.b").expect(200);
            direct.untilLine("{\"type\":\"DELETED\"");
            proxied.untilLine("{\"type\":\"DELETED\"");

            List<String> wanted = withoutFurtherBookmarks(direct);
            List<String> got = withoutFurtherBookmarks(proxied);
            assertThat(got).hasSameSizeAs(wanted);
            for (int line = 0; line < got.size(); line++) {
                assertThat(withoutVersionOfEnd(got.get(line))).isEqualTo(withoutVersionOfEnd(wanted.get(line)));
            }
            assertThat(Json.version(Json.read(got.get(3)).path("object"))).isGreaterThanOrEqualTo(listed);
        }
    }

    /** Bookmarks come when they are due, which is not at the same time here and there. */
    private static List<String> withoutFurtherBookmarks(Watching watch) {
        return watch.lines().stream()
                .filter(line -> !line.startsWith("{\"type\":\"BOOKMARK\"") || line.contains("initial-events-end"))
                .toList();
    }

    /** Both are right about the end of the initial events at versions of their own. */
    private static String withoutVersionOfEnd(String line) {
        return line.contains("initial-events-end") ? VERSION.matcher(line).replaceFirst("N") : line;
    }

    @Test
    void shouldStreamTheListThatASelectorSelects() throws Exception {
        objectsOf(Kind.CONFIG_MAPS);
        String selected = path + OPTIONS + "&labelSelector=n%20in%20(a,b)";

        try (Watching proxied = world.proxied().watch(selected);
                Watching direct = world.direct().watch(selected)) {
            proxied.untilLine("initial-events-end");
            direct.untilLine("initial-events-end");
            assertThat(proxied.events()).extracting(Event::name).containsExactly("a", "b");
            assertThat(proxied.events()).isEqualTo(direct.events());
        }
    }

    @Test
    void shouldStreamPastWhatFewBuffersHold() throws Exception {
        path = world.configMaps();
        String large = "{\"k\":\"" + "x".repeat(200_000) + "\"}";
        for (int object = 0; object < 40; object++) {
            world.create("large-" + object, "{}", large);
        }

        try (Watching proxied = world.proxied().watch(path + OPTIONS);
                Watching direct = world.direct().watch(path + OPTIONS)) {
            proxied.untilLine("initial-events-end");
            direct.untilLine("initial-events-end");
            assertThat(proxied.lines().subList(0, 40)).isEqualTo(direct.lines().subList(0, 40));
        }
    }
}
