package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** JSON and protobuf, whole objects and their metadata: byte for byte as the API server says them. */
@EndToEnd
class RepresentationsST {
    private static final String JSON = "application/json";
    private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";
    /** The token of a next page: base64 of {"v". */
    private static final Pattern TOKEN = Pattern.compile("eyJ2[A-Za-z0-9_-]+");

    private static final String POD = "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"args\":[\"<&>\"]}]}";
    private static final String TEMPLATE =
            "\"spec\":{\"selector\":{\"matchLabels\":{\"t\":\"u\"}},\"template\":{\"metadata\":{\"labels\":{\"t\":\"u\"}},"
                    + POD + "}}";

    /** What is asked for. */
    enum As {
        JSON_WHOLE(JSON, ""),
        JSON_METADATA(JSON, "v1"),
        JSON_METADATA_BETA(JSON, "v1beta1"),
        PROTOBUF_WHOLE(PROTOBUF, ""),
        PROTOBUF_METADATA(PROTOBUF, "v1"),
        PROTOBUF_METADATA_BETA(PROTOBUF, "v1beta1");

        private final String type;
        private final String metadata;

        As(String type, String metadata) {
            this.type = type;
            this.metadata = metadata;
        }

        private String accept(String kind) {
            return type + (metadata.isEmpty() ? "" : ";as=" + kind + ";g=meta.k8s.io;v=" + metadata);
        }

        String list() {
            return accept("PartialObjectMetadataList");
        }

        String other() {
            return accept("PartialObjectMetadata");
        }
    }

    /** Of what. */
    enum Kind {
        CONFIG_MAPS("/api/v1/namespaces/#/configmaps", "\"data\":{\"html\":\"<a href='?x&y'>\",\"empty\":\"\"}"),
        PODS("/api/v1/namespaces/#/pods", POD),
        NODES("/api/v1/nodes", "\"spec\":{\"unschedulable\":true}"),
        EVENTS(
                "/api/v1/namespaces/#/events",
                "\"involvedObject\":{\"kind\":\"Pod\",\"namespace\":\"#\",\"name\":\"p\"},\"reason\":\"Odd\","
                        + "\"source\":{\"component\":\"kubelet\"},\"type\":\"Warning\""),
        DEPLOYMENTS("/apis/apps/v1/namespaces/#/deployments", TEMPLATE),
        DAEMON_SETS("/apis/apps/v1/namespaces/#/daemonsets", TEMPLATE),
        LEASES(
                "/apis/coordination.k8s.io/v1/namespaces/#/leases",
                "\"spec\":{\"holderIdentity\":\"h\",\"leaseDurationSeconds\":5}"),
        AUTOSCALERS(
                "/apis/autoscaling/v1/namespaces/#/horizontalpodautoscalers",
                "\"spec\":{\"maxReplicas\":3,\"scaleTargetRef\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"x\"}}"),
        CUSTOM_RESOURCES(null, "");

        private final String path;
        private final String rest;

        Kind(String path, String rest) {
            this.path = path;
            this.rest = rest;
        }
    }

    private World world;
    private String path;
    private String prefix;
    private long version;

    @BeforeEach
    void namespace(World world) {
        this.world = world;
    }

    static Stream<Arguments> all() {
        List<Arguments> all = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            for (As as : As.values()) {
                if (kind != Kind.CUSTOM_RESOURCES || as != As.PROTOBUF_WHOLE) {
                    all.add(Arguments.of(kind, as));
                }
            }
        }
        return all.stream();
    }

    /** Three objects, labelled with the world that they are of, and with their names. */
    private void objectsOf(Kind kind, As as) throws IOException, InterruptedException {
        prefix = kind == Kind.NODES ? world.namespace() + "-" : "";
        if (kind == Kind.CUSTOM_RESOURCES) {
            CustomResourceST.CustomResource resource = CustomResourceST.CustomResource.create(
                    world, "represented" + world.namespace().replace("-", ""));
            resource.firstList(world.direct());
            resource.firstList(world.proxied());
            path = resource.path();
            feed(as);
            for (String name : List.of("b", "a", "a.b")) {
                resource.create(name, "<&> \u00e4");
                label(name, name);
            }
            return;
        }
        path = kind.path.replace("#", world.namespace());
        feed(as);
        for (String name : List.of("b", "a", "a.b")) {
            version = Json.version(world.direct()
                    .post(
                            path,
                            "{\"metadata\":{\"name\":\"" + prefix + name + "\",\"labels\":{\"n\":\"" + name
                                    + "\",\"world\":\"" + world.namespace()
                                    + "\"},\"annotations\":{\"odd\":\"<&>\\u2029\"}},"
                                    + kind.rest.replace("#", world.namespace()) + "}")
                    .expect(201)
                    .json());
        }
    }

    /** Has the proxy feed what is going to be asked for, so that it knows the versions from now on. */
    private void feed(As as) throws IOException, InterruptedException {
        world.proxied().get(path + "?resourceVersion=0", as.list()).expect(200);
        world.proxied().get(path + "?resourceVersion=0", JSON).expect(200);
    }

    private long label(String name, String value) throws IOException, InterruptedException {
        version = Json.version(world.direct()
                .patch(
                        path + "/" + prefix + name,
                        "{\"metadata\":{\"labels\":{\"n\":\"" + value + "\",\"world\":\"" + world.namespace() + "\"}}}")
                .expect(200)
                .json());
        return version;
    }

    private void delete(String name) throws IOException, InterruptedException {
        world.direct()
                .delete(path + "/" + prefix + name + "?gracePeriodSeconds=0")
                .expect(200);
    }

    private void assertSameAnswer(String target, String accept) throws IOException, InterruptedException {
        Api.Answer proxied = world.proxied().get(target, accept);
        Api.Answer direct = world.direct().get(target, accept);
        assertThat(proxied.status()).as(target).isEqualTo(direct.status());
        assertThat(proxied.contentType()).as(target).isEqualTo(direct.contentType());
        assertThat(new String(proxied.body(), StandardCharsets.ISO_8859_1))
                .as("%s %s", accept, target)
                .isEqualTo(new String(direct.body(), StandardCharsets.ISO_8859_1));
    }

    /**
     * The same page, and the same place where the next begins. Whether the key in a token begins with a slash is up to what the
     * API server made it of, its watch cache or its storage, W-241.
     */
    private void assertSamePage(String target, As as) throws IOException, InterruptedException {
        Api.Answer proxied = world.proxied().get(target, as.list()).expect(200);
        Api.Answer direct = world.direct().get(target, as.list()).expect(200);
        assertThat(page(as, proxied.body())).as("%s %s", as, target).isEqualTo(page(as, direct.body()));
        assertThat(nextOf(proxied.body())).as("%s %s", as, target).isEqualTo(nextOf(direct.body()));
    }

    private static String page(As as, byte[] list) {
        return as.type.equals(PROTOBUF)
                ? ProtobufText.withoutToken(list, as == As.PROTOBUF_METADATA_BETA ? 2 : 1)
                : TOKEN.matcher(new String(list, StandardCharsets.ISO_8859_1)).replaceFirst("N");
    }

    private static String nextOf(byte[] list) {
        Matcher token = TOKEN.matcher(new String(list, StandardCharsets.ISO_8859_1));
        assertThat(token.find()).isTrue();
        return new String(Base64.getUrlDecoder().decode(token.group()), StandardCharsets.UTF_8)
                .replace("\"start\":\"/", "\"start\":\"");
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldListAndGetTheSameBytes(Kind kind, As as) throws Exception {
        objectsOf(kind, as);
        int before = passedOn();
        String exactly = "?resourceVersionMatch=Exact&resourceVersion=" + version;
        String ours = "&labelSelector=world%3D" + world.namespace();

        assertSameAnswer(path + exactly, as.list());
        assertSameAnswer(
                path + exactly + "&labelSelector=n%20in%20(a,b)" + ours.replace("&labelSelector=", ","), as.list());
        assertSameAnswer(path + exactly + "&labelSelector=n%3Dnone", as.list());
        assertSameAnswer(path + "/" + prefix + "a?resourceVersion=" + version, as.other());
        assertSameAnswer(path + "/none?resourceVersion=" + version, as.other());
        assertSameAnswer(path + exactly, as.other());
        assertSameAnswer(path + "?resourceVersionMatch=Exact", as.list());
        assertSameAnswer(path + "?limit=odd", as.list());
        assertSameAnswer(path + "?watch=true&resourceVersion=odd", as.other());
        assertSamePage(path + exactly + "&limit=2", as);
        if (kind == Kind.EVENTS || kind == Kind.PODS || kind == Kind.NODES) {
            String field = kind == Kind.EVENTS
                    ? "source%3Dkubelet,involvedObject.name%3Dp,type!%3DNormal,reason%3DOdd"
                    : kind == Kind.PODS
                            ? "status.phase%3DPending,spec.nodeName%3D,spec.hostNetwork%3Dfalse,spec.restartPolicy%3DAlways"
                            : "spec.unschedulable%3Dtrue";
            assertSameAnswer(path + exactly + "&fieldSelector=" + field + ours, as.list());
            assertThat(world.proxied()
                            .get(path + exactly + "&fieldSelector=" + field + ours, JSON)
                            .json()
                            .path("items"))
                    .hasSize(3);
            assertSameAnswer(
                    path + exactly + "&fieldSelector="
                            + field.replace("!%3D", "#").replace("%3D", "!%3D").replace("#", "%3D") + ours,
                    as.list());
        }
        // A list that was asked for as if it were one object is for the API server to refuse.
        assertThat(passedOn() - before).isEqualTo(as.metadata.isEmpty() ? 0 : 1);
    }

    /** How many requests the proxy has passed on. */
    private int passedOn() throws IOException, InterruptedException {
        return proxy.admin()
                .get("/metrics")
                .text()
                .lines()
                .filter(line -> line.startsWith("watchfan_requests_total{outcome=\"passthrough\""))
                .mapToInt(line -> (int) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private ProxyProcess proxy;

    @BeforeEach
    void proxy(ProxyProcess proxy) {
        this.proxy = proxy;
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldStreamTheSameBytes(Kind kind, As as) throws Exception {
        objectsOf(kind, as);
        String ours = "labelSelector=world%3D" + world.namespace();
        String streaming = path + StreamingListST.OPTIONS + "&" + ours;
        String selected = path + "?watch=true&resourceVersion=" + version + "&" + ours + ",n%20in%20(a,b)";

        try (Pair streams = open(streaming, as);
                Pair selections = open(selected, as)) {
            streams.assertSame(as, "initial-events-end", 1);
            long resumeAt = label("a", "c");
            label("a.b", "a");
            label("a.b", "b");
            label("a", "a");
            delete("b");
            streams.assertSame(as, "DELETED", 1);
            // a leaves, a.b enters and stays, a enters again, b is deleted.
            selections.assertSame(as, "DELETED", 2);
            try (Pair resumed =
                    open(path + "?watch=true&resourceVersion=" + resumeAt + "&" + ours + ",n%20in%20(a,b)", as)) {
                resumed.assertSame(as, "DELETED", 1);
            }
            delete("a");
            delete("a.b");
            streams.assertSame(as, "DELETED", 3);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JSON_METADATA", "PROTOBUF_WHOLE", "PROTOBUF_METADATA"})
    void shouldContinueEachOthersPages(As as) throws Exception {
        objectsOf(Kind.CONFIG_MAPS, as);
        Api.Answer first = world.proxied()
                .get(path + "?limit=1&resourceVersionMatch=Exact&resourceVersion=" + version, JSON)
                .expect(200);
        String token = first.json().at("/metadata/continue").asText();
        assertThat(token).isNotEmpty();

        assertSamePage(path + "?limit=1&continue=" + token, as);
        assertSameAnswer(path + "?continue=" + token, as.list());
    }

    private Pair open(String target, As as) throws IOException, InterruptedException {
        return new Pair(
                world.proxied().watch(target, as.other()), world.direct().watch(target, as.other()));
    }

    /** The same watch, both ways. */
    private record Pair(RawWatch proxied, RawWatch direct) implements AutoCloseable {
        void assertSame(As as, String last, int count) throws InterruptedException {
            List<byte[]> wanted = direct.until(last, count);
            List<byte[]> got = proxied.until(last, count);
            assertThat(proxied.contentType()).isEqualTo(direct.contentType());
            assertThat(got.size()).isEqualTo(wanted.size());
            for (int i = 0; i < wanted.size(); i++) {
                assertThat(text(as, got.get(i))).as("event %d", i).isEqualTo(text(as, wanted.get(i)));
            }
        }

        /** Both are right about the end of the initial events at versions of their own. */
        private static String text(As as, byte[] event) {
            String text = new String(event, StandardCharsets.ISO_8859_1);
            if (!ProtobufText.contains(event, "initial-events-end")) {
                return text;
            }
            return as.type.equals(PROTOBUF)
                    ? ProtobufText.withoutVersion(event)
                    : text.replaceFirst("\"resourceVersion\":\"\\d+\"", "N");
        }

        @Override
        public void close() {
            proxied.close();
            direct.close();
        }
    }
}
