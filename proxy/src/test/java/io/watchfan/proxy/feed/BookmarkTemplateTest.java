package io.watchfan.proxy.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.V1;
import io.watchfan.proxy.representation.Representation;
import io.watchfan.proxy.representation.Representations;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.testing.Messages;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bookmarks in the API server's own form (W-100 to W-103), whichever of its two forms was seen. */
class BookmarkTemplateTest {
    private static final ApiResource THINGS =
            new ApiResource(new GroupVersionResource("", "v1", "things"), "Thing", true, Set.of());
    private static final Representation JSON = new Representations(THINGS, ObjectEncoding.JSON).whole();
    private static final Representation PROTOBUF = new Representations(THINGS, ObjectEncoding.PROTOBUF).whole();

    /** Object of a plain bookmark, object of the one that ends the initial events; {@code #} stands for the version. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\"},"
                        + "\"spec\":{\"containers\":null},\"status\":{}}"
                        + "|{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\","
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}},"
                        + "\"spec\":{\"containers\":null},\"status\":{}}",
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\"}}"
                        + "|{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\","
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}",
                "{\"apiVersion\":\"e.io/v1\",\"kind\":\"Shirt\",\"metadata\":{\"resourceVersion\":\"#\"}}"
                        + "|{\"apiVersion\":\"e.io/v1\",\"kind\":\"Shirt\",\"metadata\":{"
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"},\"resourceVersion\":\"#\"}}",
            })
    void shouldMakeEitherFormOfTheOther(String plain, String marked) {
        for (String seen : new String[] {plain, marked}) {
            BookmarkTemplate template = BookmarkTemplate.like(bytes(seen.replace("#", "12746")));

            assertThat(line(template, 9, false)).isEqualTo(asLine(plain, 9));
            assertThat(line(template, Long.MAX_VALUE, false)).isEqualTo(asLine(plain, Long.MAX_VALUE));
            assertThat(line(template, 123_456_789, true)).isEqualTo(asLine(marked, 123_456_789));
        }
    }

    @Test
    void shouldKeepOtherAnnotationsInEitherForm() {
        String head = "{\"kind\":\"DaemonSet\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"resourceVersion\":\"#\","
                + "\"annotations\":{";
        String other = "\"deprecated.daemonset.template.generation\":\"0\"";
        String mark = "\"k8s.io/initial-events-end\":\"true\"";
        String tail = "}},\"spec\":{\"selector\":null}}";
        for (String seen :
                new String[] {head + other + tail, head + other + "," + mark + tail, head + mark + "," + other + tail
                }) {
            BookmarkTemplate template = BookmarkTemplate.like(bytes(seen.replace("#", "1")));

            assertThat(line(template, 20, false)).isEqualTo(asLine(head + other + tail, 20));
            assertThat(line(template, 20, true))
                    .isIn(asLine(head + other + "," + mark + tail, 20), asLine(head + mark + "," + other + tail, 20));
        }
    }

    /** Go writes the keys of a map sorted. */
    @Test
    void shouldPutTheMarkBehindAnnotationsThatSortBeforeIt() {
        String head = "{\"kind\":\"DaemonSet\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"resourceVersion\":\"#\","
                + "\"annotations\":{\"deprecated.daemonset.template.generation\":\"0\"";
        BookmarkTemplate template = BookmarkTemplate.like(bytes((head + "}}}").replace("#", "1")));

        assertThat(line(template, 20, true)).isEqualTo(asLine(head + ",\"k8s.io/initial-events-end\":\"true\"}}}", 20));
    }

    /** The order of ObjectMeta: resourceVersion, creationTimestamp, annotations (W-092), in servers up to 1.33. */
    @Test
    void shouldPutTheMarkBehindANullCreationTimestamp() {
        String head = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\","
                + "\"creationTimestamp\":null";
        BookmarkTemplate template = BookmarkTemplate.like(bytes((head + "}}").replace("#", "1")));

        assertThat(line(template, 20, true))
                .isEqualTo(asLine(head + ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}", 20));
    }

    @Test
    void shouldTakeTheMarkOutFromBetweenOtherMembers() {
        String marked = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\","
                + "\"creationTimestamp\":null,\"annotations\":{\"k8s.io/initial-events-end\":\"true\"},"
                + "\"managedFields\":[]}}";
        String plain = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\","
                + "\"creationTimestamp\":null,\"managedFields\":[]}}";

        assertThat(line(BookmarkTemplate.like(bytes(marked)), 2, false)).isEqualTo(asLine(plain, 2));
    }

    @Test
    void shouldSayTheLeastBeforeABookmarkHasBeenSeen() {
        BookmarkTemplate template = BookmarkTemplate.of("Pod", "v1");

        assertThat(line(template, 5, false))
                .isEqualTo("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                        + "\"metadata\":{\"resourceVersion\":\"5\"}}}\n");
        assertThat(line(template, 5, true))
                .isEqualTo("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                        + "\"metadata\":{\"resourceVersion\":\"5\","
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"kind\":\"Pod\",\"metadata\":{}}",
                "{\"kind\":\"Pod\",\"metadata\": {\"resourceVersion\":\"1\"}}",
                "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\": \"1\"}}",
                "{\"kind\":\"Pod\",\n\"metadata\":{\"resourceVersion\":\"1\"}}"
            })
    void shouldLeaveAFormThatItDoesNotKnow(String object) {
        assertThat(BookmarkTemplate.like(bytes(object))).isNull();
    }

    @Test
    void shouldMakeEitherMessageOfTheOther() throws Exception {
        for (String other : new String[] {"", "deprecated.daemonset.template.generation"}) {
            Meta.ObjectMeta.Builder metadata = Messages.metadata("", "", 5);
            if (!other.isEmpty()) {
                metadata.putAnnotations(other, "0");
            }
            V1.Pod plain = V1.Pod.newBuilder()
                    .setMetadata(metadata.addFinalizers("after"))
                    .setSpec(V1.PodSpec.newBuilder().setNodeName(""))
                    .build();
            V1.Pod marked = V1.Pod.newBuilder(plain)
                    .setMetadata(Meta.ObjectMeta.newBuilder(plain.getMetadata())
                            .putAnnotations("k8s.io/initial-events-end", "true"))
                    .build();
            for (V1.Pod seen : new V1.Pod[] {plain, marked}) {
                BookmarkTemplate template = BookmarkTemplate.like(ObjectEncoding.PROTOBUF, seen.toByteArray());

                assertThat(message(template, 5, false)).isEqualTo(bookmark(plain, 5));
                assertThat(message(template, 123_456_789, false)).isEqualTo(bookmark(plain, 123_456_789));
                assertThat(message(template, 5, true)).isEqualTo(bookmark(marked, 5));
                assertThat(message(template, 1, true)).isEqualTo(bookmark(marked, 1));
            }
        }
    }

    @Test
    void shouldSayTheLeastInProtobufBeforeABookmarkHasBeenSeen() throws Exception {
        BookmarkTemplate template = BookmarkTemplate.of(ObjectEncoding.PROTOBUF, "Pod", "v1");
        V1.Pod least =
                V1.Pod.newBuilder().setMetadata(Messages.metadata("", "", 0)).build();

        assertThat(message(template, 77, false)).isEqualTo(bookmark(least, 77));
        assertThat(BookmarkTemplate.like(ObjectEncoding.PROTOBUF, new byte[] {18, 0}))
                .isNull();
        assertThat(BookmarkTemplate.like(ObjectEncoding.PROTOBUF, new byte[] {10, 9, 1}))
                .isNull();
    }

    private static byte[] message(BookmarkTemplate template, long version, boolean marked) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (byte[] piece : PROTOBUF.pieces(template.line(version, marked))) {
            out.writeBytes(piece);
        }
        return out.toByteArray();
    }

    private static byte[] bookmark(V1.Pod like, long version) {
        V1.Pod at = V1.Pod.newBuilder(like)
                .setMetadata(Meta.ObjectMeta.newBuilder(like.getMetadata()).setResourceVersion(Long.toString(version)))
                .build();
        return Messages.event("BOOKMARK", Messages.envelope("v1", "Thing", at.toByteString()));
    }

    private static String line(BookmarkTemplate template, long version, boolean marked) {
        StringBuilder text = new StringBuilder();
        for (byte[] piece : JSON.pieces(template.line(version, marked))) {
            text.append(new String(piece, StandardCharsets.UTF_8));
        }
        return text.toString();
    }

    private static String asLine(String object, long version) {
        return "{\"type\":\"BOOKMARK\",\"object\":" + object.replace("#", Long.toString(version)) + "}\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
