package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Resources that come into being, and go, while the proxy runs. */
@EndToEnd
class CustomResourceST {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private World world;
    private CustomResource widgets;

    @BeforeEach
    void resourceThatIsNew(World world) throws Exception {
        this.world = world;
        widgets = CustomResource.create(world, "widgets" + COUNT.incrementAndGet());
    }

    @Test
    void shouldServeANewResourceAtOnce() throws Exception {
        Api.Answer list = widgets.firstList(world.proxied());
        assertThat(Json.items(list.text())).isEmpty();

        try (Watching watch =
                world.proxied().watch(widgets.path() + "?watch=true&resourceVersion=" + Json.version(list.json()))) {
            widgets.create("one", "red");
            widgets.color("one", "blue");
            widgets.delete("one");
            watch.untilEvents(3);
            assertThat(watch.events()).extracting(Event::type).containsExactly("ADDED", "MODIFIED", "DELETED");
        }
    }

    @Test
    void shouldWatchANewResourceAtOnceByAStreamingList() throws Exception {
        // Not listed by anyone through the proxy before.
        widgets.firstList(world.direct());
        widgets.create("one", "red");

        try (Watching watch = world.proxied().watch(widgets.path() + StreamingListST.OPTIONS)) {
            watch.untilLine("k8s.io/initial-events-end");
            assertThat(watch.events()).extracting(Event::name).containsExactly("one");
            widgets.create("two", "red");
            watch.untilEvents(2);
        }
    }

    @Test
    void shouldSelectByFieldsOfTheDefinition() throws Exception {
        widgets.firstList(world.proxied());
        widgets.create("one", "red");
        widgets.create("two", "blue");
        String red = widgets.path() + "?fieldSelector=spec.color%3Dred";

        Api.Answer list = world.proxied().get(red).expect(200);
        assertThat(list.json().path("items")).hasSize(1);
        assertThat(Json.items(list.text()))
                .isEqualTo(Json.items(world.direct().get(red).expect(200).text()));

        String watched = red + "&watch=true&resourceVersion=" + Json.version(list.json());
        try (Watching proxied = world.proxied().watch(watched);
                Watching direct = world.direct().watch(watched)) {
            widgets.color("two", "red");
            widgets.color("one", "green");
            widgets.create("three", "green");
            widgets.delete("two");
            direct.untilEvents(3);
            proxied.untilEvents(3);
            assertThat(proxied.events()).extracting(Event::type).containsExactly("ADDED", "DELETED", "DELETED");
            assertThat(proxied.lines()).isEqualTo(direct.lines());
        }
    }

    @Test
    void shouldRefuseFieldsThatTheDefinitionDoesNotNameAsTheApiServerDoes() throws Exception {
        widgets.firstList(world.proxied());
        String selected = widgets.path() + "?fieldSelector=spec.size%3D1";

        Api.Answer direct = world.direct().get(selected);
        Api.Answer proxied = world.proxied().get(selected);

        assertThat(proxied.status()).isEqualTo(direct.status()).isEqualTo(400);
        assertThat(proxied.text()).isEqualTo(direct.text());
    }

    @Test
    void shouldEndWatchesWhenTheDefinitionGoesAndBeginAnewWhenItComesBack() throws Exception {
        widgets.firstList(world.proxied());
        widgets.create("old", "red");
        try (Watching watch = world.proxied().watch(widgets.path() + StreamingListST.OPTIONS)) {
            watch.untilLine("\"name\":\"old\"").untilLine("k8s.io/initial-events-end");

            widgets.remove();
            watch.untilEnd();
        }
        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .untilAsserted(() ->
                        assertThat(world.proxied().get(widgets.path()).status()).isEqualTo(404));
        assertThat(world.proxied().get(widgets.path()).text())
                .isEqualTo(world.direct().get(widgets.path()).text());

        widgets.define();
        Api.Answer list = widgets.firstList(world.proxied());
        assertThat(Json.items(list.text())).isEmpty();
        try (Watching watch =
                world.proxied().watch(widgets.path() + "?watch=true&resourceVersion=" + Json.version(list.json()))) {
            widgets.create("new", "red");
            watch.untilEvents(1);
            assertThat(watch.events()).extracting(Event::name).containsExactly("new");
        }
    }

    @Test
    void shouldFollowADefinitionThatChanges() throws Exception {
        widgets.firstList(world.proxied());
        widgets.create("one", "red");
        String version = ""
                + Json.version(world.proxied().get(widgets.path()).expect(200).json());

        widgets.addDefault("size", "large");
        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .untilAsserted(() -> assertThat(
                                world.direct().get(widgets.path()).expect(200).text())
                        .contains("large"));

        // What was written before now reads differently, at the same version.
        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .untilAsserted(() -> assertThat(Json.items(world.proxied()
                                .get(widgets.path() + "?resourceVersion=" + version)
                                .expect(200)
                                .text()))
                        .isEqualTo(Json.items(
                                world.direct().get(widgets.path()).expect(200).text())));
    }

    /** A namespaced resource with {@code spec.color}, by which it can be selected. */
    static final class CustomResource {
        private static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

        private final World world;
        private final String plural;

        private CustomResource(World world, String plural) {
            this.world = world;
            this.plural = plural;
        }

        static CustomResource create(World world, String plural) throws IOException, InterruptedException {
            CustomResource resource = new CustomResource(world, plural);
            resource.define();
            return resource;
        }

        String path() {
            return "/apis/e2e.watchfan.io/v1/namespaces/" + world.namespace() + "/" + plural;
        }

        /** Creates the definition, and returns when it is established. */
        void define() throws IOException, InterruptedException {
            world.direct()
                    .post(DEFINITIONS, """
                            {"metadata":{"name":"%1$s.e2e.watchfan.io"},
                             "spec":{"group":"e2e.watchfan.io","scope":"Namespaced",
                                     "names":{"plural":"%1$s","singular":"%2$s","kind":"%2$s"},
                                     "versions":[{"name":"v1","served":true,"storage":true,
                                                  "selectableFields":[{"jsonPath":".spec.color"}],
                                                  "schema":{"openAPIV3Schema":%3$s}}]}}
                            """.formatted(plural, kind(), schema("")))
                    .expect(201);
            Awaitility.await().atMost(Watching.PATIENCE).until(() -> {
                JsonNode conditions =
                        world.direct().get(definition()).expect(200).json().at("/status/conditions");
                for (JsonNode condition : conditions) {
                    if (condition.path("type").asText().equals("Established")) {
                        return condition.path("status").asText().equals("True");
                    }
                }
                return false;
            });
        }

        private String definition() {
            return DEFINITIONS + "/" + plural + ".e2e.watchfan.io";
        }

        private static String schema(String further) {
            return "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"default\":{},"
                    + "\"properties\":{\"color\":{\"type\":\"string\"}" + further + "}}}}";
        }

        /** From now on objects have this value where they have none. */
        void addDefault(String field, String value) throws IOException, InterruptedException {
            world.direct()
                    .patch(
                            definition(),
                            "{\"spec\":{\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,"
                                    + "\"selectableFields\":[{\"jsonPath\":\".spec.color\"}],"
                                    + "\"schema\":{\"openAPIV3Schema\":"
                                    + schema(",\"" + field + "\":{\"type\":\"string\",\"default\":\"" + value + "\"}")
                                    + "}}]}}")
                    .expect(200);
        }

        /** Deletes the definition, and returns when it is gone. */
        void remove() throws IOException, InterruptedException {
            world.direct().delete(definition()).expect(200);
            Awaitility.await()
                    .atMost(Watching.PATIENCE)
                    .until(() -> world.direct().get(definition()).status() == 404);
        }

        /** Lists the objects, asking again while the API server prepares itself for the new resource. */
        Api.Answer firstList(Api api) throws IOException, InterruptedException {
            long deadline = System.nanoTime() + Watching.PATIENCE.toNanos();
            Api.Answer answer = api.get(path());
            // The API server says 429 until it has read its storage, and 404 until it has heard of the definition.
            while ((answer.status() == 429 || answer.status() == 404) && System.nanoTime() - deadline < 0) {
                TimeUnit.MILLISECONDS.sleep(100);
                answer = api.get(path());
            }
            return answer.expect(200);
        }

        /** An object, with this metadata. */
        String object(String metadata, String color) {
            return "{\"apiVersion\":\"e2e.watchfan.io/v1\",\"kind\":\"" + kind() + "\",\"metadata\":" + metadata
                    + ",\"spec\":{\"color\":\"" + color + "\"}}";
        }

        void create(String name, String color) throws IOException, InterruptedException {
            world.direct()
                    .post(path(), object("{\"name\":\"" + name + "\"}", color))
                    .expect(201);
        }

        private String kind() {
            return plural.replace("widgets", "widget");
        }

        void color(String name, String color) throws IOException, InterruptedException {
            world.direct()
                    .patch(path() + "/" + name, "{\"spec\":{\"color\":\"" + color + "\"}}")
                    .expect(200);
        }

        void delete(String name) throws IOException, InterruptedException {
            world.direct().delete(path() + "/" + name).expect(200);
        }
    }
}
