package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** kubectl, which must not be able to tell the proxy from the API server. */
@EndToEnd
class KubectlST {
    private static final Pattern AGE = Pattern.compile(" +(\\d+[smhd])+(?=\\s|$)", Pattern.MULTILINE);

    private static final String LOGGING_REQUESTS = "-v=6";
    private static final String WATCH_IS_OPEN = "watch=true\" status=\"200 OK\"";

    @TempDir
    Path home;

    private World world;
    private Kubectl direct;
    private Kubectl proxied;

    @BeforeEach
    void twoWaysToOneNamespace(World world, ControlPlane cluster, ProxyProcess proxy) throws Exception {
        this.world = world;
        direct = Kubectl.direct(cluster, home.resolve("direct"));
        proxied = Kubectl.through(proxy, cluster, home);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "get configmaps",
                "get configmaps -A",
                "get configmaps -o json",
                "get configmaps -o yaml",
                "get configmaps -o wide",
                "get configmaps -o name -l tier=front",
                "get configmaps -o name -l tier!=front,tier",
                "get configmaps -o name -l tier=nothing",
                "get configmaps --field-selector metadata.name=one",
                "get configmaps --field-selector metadata.name!=one -o name",
                "get configmaps --chunk-size 1 -o name",
                "get configmaps --show-labels",
                "get configmaps --sort-by .metadata.name -o name",
                "get configmap one",
                "get configmap one two -o json",
                "get configmap one -o yaml --show-managed-fields",
                "get configmap absent",
                "get configmap one absent --ignore-not-found -o name",
                "get pods",
                "get pods -A -o wide",
                "get pods -o json",
                "get pods --field-selector status.phase=Pending",
                "get pods --field-selector status.phase=Running",
                "get pods --field-selector spec.nodeName= -o name",
                "get pods --field-selector spec.unknown=x",
                "get namespaces",
                "get ns,cm -o name",
                "get secrets",
                "get unknownresources",
                "describe configmap one",
                "describe pod waiting",
                "api-resources",
                "api-versions",
                "explain configmap.data",
                "auth can-i list configmaps",
                "version",
            })
    void shouldSayThroughTheProxyWhatItSaysAtTheApiServer(String command) throws Exception {
        world.create("one", "{\"tier\":\"front\"}", "{\"k\":\"<1> & \\\"2\\\" \\u2028\"}");
        world.create("two", "{\"tier\":\"back\"}", "{}");
        world.direct()
                .post(
                        "/api/v1/namespaces/" + world.namespace() + "/pods",
                        "{\"metadata\":{\"name\":\"waiting\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}")
                .expect(201);
        String[] words = ("-n " + world.namespace() + " " + command).split(" ", -1);

        Kubectl.Result wanted = direct.run(words);
        Kubectl.Result got = proxied.run(words);

        assertThat(got.errors()).isEqualTo(wanted.errors());
        assertThat(withoutAge(command, got.output())).isEqualTo(withoutAge(command, wanted.output()));
        assertThat(got.status()).isEqualTo(wanted.status());
    }

    /** Tables hold ages, which change, and with them the width of their column. */
    private static String withoutAge(String command, String output) {
        return command.contains("-o json") || command.contains("-o yaml")
                ? output
                : AGE.matcher(output).replaceAll(" AGE").replaceAll(" +", " ");
    }

    @Test
    void shouldShowWhatIsAddedModifiedAndDeletedWhileItWatches() throws Exception {
        world.create("before");
        try (Kubectl.Running watch =
                proxied.start("get", "configmaps", "-n", world.namespace(), "--watch", "--output-watch-events")) {
            watch.until("ADDED +before");
            world.create("later");
            watch.until("ADDED +later");
            world.patch("later", "{\"data\":{\"k\":\"v\",\"k2\":\"v\"}}");
            watch.until("MODIFIED +later +2");
            world.delete("later");
            watch.until("DELETED +later +2");
            assertThat(watch.output()).doesNotContain("rror");
        }
    }

    @Test
    void shouldShowOnlyWhatIsToComeWhenItWatchesOnly() throws Exception {
        world.create("before");
        try (Kubectl.Running watch = proxied.start(
                "get",
                "configmaps",
                "-n",
                world.namespace(),
                "--watch-only",
                "--output-watch-events",
                LOGGING_REQUESTS)) {
            watch.until(WATCH_IS_OPEN);
            world.create("later");
            watch.until("ADDED +later");
            assertThat(watch.output()).doesNotContain("before");
        }
    }

    @Test
    void shouldWatchOneObjectAlone() throws Exception {
        world.create("mine");
        world.create("other");
        try (Kubectl.Running watch = proxied.start(
                "get", "configmap", "mine", "-n", world.namespace(), "--watch", "--output-watch-events")) {
            watch.until("ADDED +mine");
            world.change("other", "new");
            world.change("mine", "new");
            watch.until("MODIFIED +mine");
            world.delete("mine");
            watch.until("DELETED +mine");
            assertThat(watch.output()).doesNotContain("other");
        }
    }

    @Test
    void shouldWatchAsJson() throws Exception {
        world.create("one");
        try (Kubectl.Running watch = proxied.start(
                "get", "configmaps", "-n", world.namespace(), "--watch", "-o", "json", "--show-managed-fields")) {
            watch.until("\"name\": \"one\"");
            long version = world.change("one", "<&>");
            watch.until("\"resourceVersion\": \"" + version + "\"[^}]*}\\s*}\\s");
            List<JsonNode> objects = objects(watch.output());
            assertThat(objects).hasSize(2);
            assertThat(objects.get(1))
                    .isEqualTo(world.direct()
                            .get(world.configMaps() + "/one")
                            .expect(200)
                            .json());
        }
    }

    private static List<JsonNode> objects(String concatenated) {
        List<JsonNode> objects = new ArrayList<>();
        for (String object : concatenated.split("(?<=\n})\n", -1)) {
            if (!object.isBlank()) {
                objects.add(Json.read(object));
            }
        }
        return objects;
    }

    @Test
    void shouldWatchWhatASelectorSelects() throws Exception {
        world.create("front", "{\"tier\":\"front\"}", "{}");
        world.create("back", "{\"tier\":\"back\"}", "{}");
        try (Kubectl.Running watch = proxied.start(
                "get", "configmaps", "-n", world.namespace(), "-l", "tier=front", "--watch", "--output-watch-events")) {
            watch.until("ADDED +front");
            world.patch("back", "{\"metadata\":{\"labels\":{\"tier\":\"front\"}}}");
            watch.until("ADDED +back");
            world.patch("front", "{\"metadata\":{\"labels\":{\"tier\":\"back\"}}}");
            watch.until("DELETED +front");
        }
    }

    @Test
    void shouldApplyAndDelete() throws Exception {
        String manifest = """
                {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"k":"%s"}}
                """;
        List<String> apply = List.of("apply", "-n", world.namespace(), "-f", "-");

        assertThat(proxied.run(manifest.formatted("1"), apply).expect(0).output())
                .contains("created");
        assertThat(proxied.run(manifest.formatted("1"), apply).expect(0).output())
                .contains("unchanged");
        assertThat(proxied.run(manifest.formatted("2"), apply).expect(0).output())
                .contains("configured");
        assertThat(proxied.run(
                                manifest.formatted("3"),
                                List.of(
                                        "apply",
                                        "--server-side",
                                        "--force-conflicts",
                                        "-n",
                                        world.namespace(),
                                        "-f",
                                        "-"))
                        .expect(0)
                        .output())
                .contains("serverside-applied");
        assertThat(world.direct()
                        .get(world.configMaps() + "/applied")
                        .json()
                        .at("/data/k")
                        .asText())
                .isEqualTo("3");

        // It waits for the end of what it deletes, by a watch.
        assertThat(proxied.run("delete", "configmap", "applied", "-n", world.namespace())
                        .expect(0)
                        .output())
                .contains("deleted");
        world.direct().get(world.configMaps() + "/applied").expect(404);
    }

    @Test
    void shouldWaitForADeletion() throws Exception {
        world.create("guarded");
        world.patch("guarded", "{\"metadata\":{\"finalizers\":[\"example.com/guard\"]}}");
        try (Kubectl.Running waiting = proxied.start(
                "wait",
                "--for=delete",
                "configmap/guarded",
                "-n",
                world.namespace(),
                "--timeout=30s",
                LOGGING_REQUESTS)) {
            waiting.until(WATCH_IS_OPEN);
            world.delete("guarded");
            assertThat(world.direct().get(world.configMaps() + "/guarded").status())
                    .isEqualTo(200);
            world.patch("guarded", "{\"metadata\":{\"finalizers\":null}}");
            waiting.until("configmap/guarded condition met");
        }
    }

    @Test
    void shouldWaitForAValue() throws Exception {
        world.create("switch");
        try (Kubectl.Running waiting = proxied.start(
                "wait",
                "--for=jsonpath={.data.k}=on",
                "configmap/switch",
                "-n",
                world.namespace(),
                "--timeout=30s",
                LOGGING_REQUESTS)) {
            waiting.until(WATCH_IS_OPEN);
            world.change("switch", "off");
            world.change("switch", "on");
            waiting.until("configmap/switch condition met");
        }
    }

    @ParameterizedTest
    @MethodSource("refused")
    void shouldPassOnWhatTheApiServerRefuses(int status, Function<World, Refused> request) throws Exception {
        world.create("taken");
        Refused refused = request.apply(world);

        Api.Answer wanted = refused.sentTo(world.direct());
        Api.Answer got = refused.sentTo(world.proxied());

        assertThat(wanted.status()).isEqualTo(status);
        assertThat(got.status()).isEqualTo(status);
        assertThat(got.text()).isEqualTo(wanted.text());
        assertThat(got.contentType()).isEqualTo(wanted.contentType());
    }

    /** A request that is not granted; without a body it is a GET. */
    record Refused(String path, String body) {
        Api.Answer sentTo(Api api) throws IOException, InterruptedException {
            return body == null ? api.get(path) : api.post(path, body);
        }
    }

    private static Arguments refused(int status, Function<World, String> path, String body) {
        Function<World, Refused> request = world -> new Refused(path.apply(world), body);
        return Arguments.of(status, request);
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                refused(404, world -> world.configMaps() + "/absent", null),
                refused(404, world -> world.configMaps() + "/absent?resourceVersion=0", null),
                refused(404, world -> "/apis/example.com/v1/nothings", null),
                refused(404, world -> "/apis/example.com/v1/nothings?watch=true", null),
                refused(409, World::configMaps, "{\"metadata\":{\"name\":\"taken\"}}"),
                refused(422, World::configMaps, "{\"metadata\":{\"name\":\"No Name\"}}"),
                refused(400, World::configMaps, "{"),
                refused(400, world -> world.configMaps() + "?labelSelector=a%3D%3D%3Db", null),
                refused(400, world -> world.configMaps() + "?fieldSelector=data.k%3Dv", null),
                refused(400, world -> world.configMaps() + "?watch=true&fieldSelector=data.k%3Dv", null),
                refused(400, world -> world.configMaps() + "?continue=nonsense", null),
                refused(400, world -> world.configMaps() + "?limit=many", null),
                refused(500, world -> world.configMaps() + "?watch=true&resourceVersion=new", null),
                refused(400, world -> world.configMaps() + "?resourceVersion=new", null),
                refused(422, world -> world.configMaps() + "?watch=true&sendInitialEvents=true", null),
                refused(422, world -> world.configMaps() + "?resourceVersionMatch=Exact", null));
    }
}
