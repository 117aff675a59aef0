package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bookmarks, which must have the API server's own form and never promise what was not told. */
@EndToEnd(proxyFlags = {"--bookmark-interval", "1s"})
class BookmarkST {
    private static final String ASKED = "?watch=true&allowWatchBookmarks=true&resourceVersion=";

    private static final String ELSEWHERE = "{\"metadata\":{\"generateName\":\"elsewhere-\"}}";
    private static final Pattern END_OF_INITIAL_EVENTS =
            Pattern.compile(",\"annotations\":\\{[^}]*}|\"annotations\":\\{[^}]*},");

    private World world;

    @BeforeEach
    void namespace(World world) {
        this.world = world;
    }

    @ParameterizedTest
    @ValueSource(strings = {"configmaps", "pods", "services", "custom"})
    void shouldHaveTheFormThatTheApiServersHave(String resource) throws Exception {
        String path = "/api/v1/namespaces/" + world.namespace() + "/" + resource;
        String object = switch (resource) {
            case "pods" ->
                "{\"metadata\":{\"generateName\":\"p-\"},\"spec\":{\"containers\":"
                        + "[{\"name\":\"c\",\"image\":\"i\"}]}}";
            case "services" -> "{\"metadata\":{\"generateName\":\"s-\"},\"spec\":{\"ports\":[{\"port\":80}]}}";
            default -> ELSEWHERE;
        };
        if (resource.equals("custom")) {
            CustomResourceST.CustomResource marked = CustomResourceST.CustomResource.create(
                    world, "marked" + world.namespace().replace("-", ""));
            marked.firstList(world.direct());
            path = marked.path();
            object = marked.object("{\"generateName\":\"m-\"}", "red");
        }

        // The API server's bookmark at the end of the initial events has the form of all its bookmarks, and comes at
        // once.
        try (Watching proxied = world.proxied().watch(path + StreamingListST.OPTIONS);
                Watching direct = world.direct().watch(path + StreamingListST.OPTIONS)) {
            String end = withoutVersion(
                    direct.untilLine("initial-events-end").lines().get(0));
            assertThat(withoutVersion(
                            proxied.untilLine("initial-events-end").lines().get(0)))
                    .isEqualTo(end);

            // Another follows only if there is something to tell: the resource has moved on elsewhere.
            world.direct()
                    .post(path.replace(world.namespace(), "default"), object)
                    .expect(201);
            proxied.until("a bookmark of the interval", lines -> lines.size() > 1);
            assertThat(withoutVersion(proxied.lines().get(1)))
                    .isEqualTo(END_OF_INITIAL_EVENTS.matcher(end).replaceFirst(""));
        }
    }

    private static String withoutVersion(String line) {
        return line.replaceFirst("\"resourceVersion\":\"\\d+\"", "\"resourceVersion\":\"N\"");
    }

    @Test
    void shouldComeInTheFormOfTheApiServersAtItsDeadline() throws Exception {
        String path = world.configMaps() + ASKED + world.create("one") + "&timeoutSeconds=4";
        try (Watching direct = world.direct().watch(path);
                Watching proxied = world.proxied().watch(path)) {
            world.create("two");
            direct.untilEnd();
            proxied.untilEnd();
            assertThat(direct.bookmarks()).isNotEmpty();
            assertThat(proxied.bookmarks()).isNotEmpty();
            assertThat(withoutVersion(proxied.bookmarks().get(0)))
                    .isEqualTo(withoutVersion(direct.bookmarks().get(0)));
        }
    }

    @Test
    void shouldNotComeUnasked() throws Exception {
        long version = world.create("one");
        try (Watching unasked = world.proxied()
                        .watch(world.configMaps() + "?watch=true&timeoutSeconds=3&resourceVersion=" + version);
                Watching asked = world.proxied().watch(world.configMaps() + ASKED + version)) {
            world.direct()
                    .post("/api/v1/namespaces/default/configmaps", ELSEWHERE)
                    .expect(201);
            asked.until("a bookmark", lines -> !lines.isEmpty());
            assertThat(asked.events()).isEmpty();
            unasked.untilEnd();
            assertThat(unasked.lines()).isEmpty();
        }
    }

    @Test
    void shouldBeWorthResumingFrom() throws Exception {
        long start = world.create("one");
        try (Watching watch = world.proxied().watch(world.configMaps() + ASKED + start)) {
            // Changes and bookmarks come in between each other.
            for (int change = 0; watch.bookmarks().size() < 3; change++) {
                world.change("one", "" + change);
                assertThat(change).isLessThan(10_000);
            }
            long end = world.change("one", "end");
            watch.untilLine("\"" + end + "\"");
            List<Event> all = watch.events();

            long last = 0;
            int told = 0;
            for (String line : watch.lines()) {
                long version = versionOf(line);
                assertThat(version).isGreaterThanOrEqualTo(last);
                last = version;
                if (!line.startsWith("{\"type\":\"BOOKMARK\"")) {
                    told++;
                    continue;
                }
                assertResumes(world.proxied(), version, all.subList(told, all.size()));
                assertResumes(world.direct(), version, all.subList(told, all.size()));
            }
        }
    }

    private static long versionOf(String line) {
        return Json.version(Json.read(line).path("object"));
    }

    private void assertResumes(Api api, long version, List<Event> rest) throws IOException, InterruptedException {
        try (Watching resumed = api.watch(world.configMaps() + "?watch=true&resourceVersion=" + version)) {
            assertThat(resumed.untilEvents(rest.size()).events()).isEqualTo(rest);
        }
    }
}
