package io.watchfan.proxy.representation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.V1;
import io.vertx.core.buffer.Buffer;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.request.MediaTypes.Choice;
import io.watchfan.proxy.request.MediaTypes.Encoding;
import io.watchfan.proxy.request.MediaTypes.Transform;
import io.watchfan.proxy.testing.Messages;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ListHead;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects written in other ways; the bytes wanted are those that kube-apiserver 1.37 wrote, or protobuf's own. */
class RepresentationsTest {
    private static final ApiResource WIDGETS = resource("ex.io", "v1", "widgets", "Widget");
    private static final ApiResource PODS = resource("", "v1", "pods", "Pod");
    private static final ApiResource DAEMON_SETS = resource("apps", "v1", "daemonsets", "DaemonSet");

    /** As kube-apiserver writes an object of a custom type: all keys sorted. */
    private static final String WIDGET = "{\"apiVersion\":\"ex.io/v1\",\"kind\":\"Widget\",\"metadata\":{"
            + "\"annotations\":{\"a\":\"q\",\"z\":\"\\u003c\\u0026\\u003e\"},"
            + "\"creationTimestamp\":\"2026-12-01T02:18:32Z\",\"finalizers\":[\"x.io/f\"],\"generation\":1,"
            + "\"labels\":{\"a\":\"1\",\"b\":\"2\"},\"managedFields\":[{\"apiVersion\":\"ex.io/v1\","
            + "\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:spec\":{\".\":{},\"f:color\":{}}},\"manager\":\"unknown\","
            + "\"operation\":\"Update\",\"time\":\"2026-12-01T02:18:32Z\"}],\"name\":\"w\",\"namespace\":\"default\","
            + "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"blockOwnerDeletion\":false,\"controller\":true,"
            + "\"kind\":\"ConfigMap\",\"name\":\"a\",\"uid\":\"u\"}],\"resourceVersion\":\"268\","
            + "\"uid\":\"d15d00c6-a5c4-4bae-8a8c-a7287d6b774b\"},\"spec\":{\"color\":\"red\"}}";

    /** As it writes the metadata of that. */
    private static final String WIDGET_METADATA =
            "{\"name\":\"w\",\"namespace\":\"default\",\"uid\":\"d15d00c6-a5c4-4bae-8a8c-a7287d6b774b\","
                    + "\"resourceVersion\":\"268\",\"generation\":1,\"creationTimestamp\":\"2026-12-01T02:18:32Z\","
                    + "\"labels\":{\"a\":\"1\",\"b\":\"2\"},\"annotations\":{\"a\":\"q\",\"z\":\"\\u003c\\u0026\\u003e\"},"
                    + "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"a\",\"uid\":\"u\","
                    + "\"controller\":true,\"blockOwnerDeletion\":false}],\"finalizers\":[\"x.io/f\"],"
                    + "\"managedFields\":[{\"manager\":\"unknown\",\"operation\":\"Update\",\"apiVersion\":\"ex.io/v1\","
                    + "\"time\":\"2026-12-01T02:18:32Z\",\"fieldsType\":\"FieldsV1\","
                    + "\"fieldsV1\":{\"f:spec\":{\".\":{},\"f:color\":{}}}}]}";

    private static ApiResource resource(String group, String version, String plural, String kind) {
        return new ApiResource(new GroupVersionResource(group, version, plural), kind, true, Set.of());
    }

    private static Representation json(ApiResource resource, Transform transform, String version) {
        return new Representations(resource, ObjectEncoding.JSON)
                .of(new Choice(Encoding.JSON, transform, version, false));
    }

    private static Representation protobuf(ApiResource resource, Transform transform, String version) {
        return new Representations(resource, ObjectEncoding.PROTOBUF)
                .of(new Choice(Encoding.PROTOBUF, transform, version, false));
    }

    private static StoredObject stored(String json, String version) {
        int metadata = json.indexOf("\"metadata\":{") + "\"metadata\":".length();
        int end = json.indexOf(",\"spec\"");
        return stored(
                json.getBytes(StandardCharsets.UTF_8),
                version,
                json.indexOf("\"resourceVersion\":\"" + version) + "\"resourceVersion\":\"".length(),
                metadata,
                json.substring(metadata, end).getBytes(StandardCharsets.UTF_8).length);
    }

    private static StoredObject stored(byte[] bytes, String version, int versionAt, int metadataAt, int length) {
        return new StoredObject(
                new ObjectKey("n", "o"),
                "",
                Long.parseLong(version),
                Labels.EMPTY,
                null,
                bytes,
                versionAt,
                version.length(),
                metadataAt,
                length);
    }

    private static StoredObject stored(V1.Pod pod) {
        byte[] bytes = pod.toByteArray();
        byte[] metadata = pod.getMetadata().toByteArray();
        String version = pod.getMetadata().getResourceVersion();
        // The metadata is the first field.
        int metadataAt = 1 + varintSize(metadata.length);
        byte[] before = Meta.ObjectMeta.newBuilder(pod.getMetadata())
                .clearResourceVersion()
                .clearGeneration()
                .clearCreationTimestamp()
                .clearLabels()
                .clearAnnotations()
                .clearFinalizers()
                .build()
                .toByteArray();
        return stored(bytes, version, metadataAt + before.length + 2, metadataAt, metadata.length);
    }

    private static int varintSize(int length) {
        return length < 128 ? 1 : length < 16_384 ? 2 : 3;
    }

    private static byte[] bytes(byte[][] pieces) {
        Buffer all = Buffer.buffer();
        for (byte[] piece : pieces) {
            all.appendBytes(piece);
        }
        return all.getBytes();
    }

    private static String text(byte[][] pieces) {
        return new String(bytes(pieces), StandardCharsets.UTF_8);
    }

    private static byte[] list(
            Representation as, ListHead form, long remaining, String token, List<StoredObject> items) {
        long length = items.stream().mapToLong(as::itemBytes).sum();
        ListForm list = as.list(form, 77, token, remaining, new ListContents(items.isEmpty(), length));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(list.head());
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) {
                all.writeBytes(list.separator());
            }
            int before = all.size();
            list.item(items.get(i), all);
            if (as.listSurvey() == ListSurvey.BYTES) {
                assertThat(all.size() - before).isEqualTo((int) as.itemBytes(items.get(i)));
            }
        }
        all.writeBytes(list.tail());
        return all.toByteArray();
    }

    @Test
    void shouldPutTheMetadataOfCustomResourcesInTheOrderOfTheType() {
        Representation metadata = json(WIDGETS, Transform.PARTIAL_METADATA, "v1");
        StoredObject widget = stored(WIDGET, "268");
        String head = "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":";

        assertThat(text(metadata.object(widget))).isEqualTo(head + WIDGET_METADATA + "}\n");
        assertThat(text(metadata.pieces(new Line(EventType.DELETED, widget, 1_000_000, 1))))
                .isEqualTo("{\"type\":\"DELETED\",\"object\":" + head
                        + WIDGET_METADATA.replace("\"268\"", "\"1000000\"") + "}}\n");
    }

    @Test
    void shouldTakeTheMetadataOfBuiltInTypesAsItIs() {
        String odd = "{\"z\":1.50,\"name\":\"x\",\"resourceVersion\":\"268\",\"labels\":{\"é\":\"\\u003c\"}}";
        StoredObject pod =
                stored("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":" + odd + ",\"spec\":{}}", "268");

        assertThat(text(json(PODS, Transform.PARTIAL_METADATA, "v1beta1").object(pod)))
                .isEqualTo("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1beta1\",\"metadata\":"
                        + odd + "}\n");
        assertThat(text(json(PODS, Transform.PARTIAL_METADATA, "v1").pieces(new Line(EventType.DELETED, pod, 5, 1))))
                .contains(odd.replace("\"268\"", "\"5\""));
    }

    /** As kube-apiserver 1.37 does, whose conversions keep fields in annotations. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"annotations\":{\"deprecated.daemonset.template.generation\":\"1\",\"q\":\"1\"},"
                        + "|\"annotations\":{\"q\":\"1\"},",
                "\"annotations\":{\"a\":\"{}\",\"deprecated.daemonset.template.generation\":\"1\",\"q\":\"\\\"\"},"
                        + "|\"annotations\":{\"a\":\"{}\",\"q\":\"\\\"\"},",
                "\"annotations\":{\"deprecated.daemonset.template.generation\":\"1\"},|''",
                "''|''",
            })
    void shouldLeaveOutAnnotationsThatConversionsMake(String whole, String alone) {
        String head = "{\"name\":\"d\",\"resourceVersion\":\"268\",";
        String tail = "\"finalizers\":[\"f\"]}";
        StoredObject set = stored(
                "{\"kind\":\"DaemonSet\",\"apiVersion\":\"apps/v1\",\"metadata\":" + head + whole + tail
                        + ",\"spec\":{}}",
                "268");

        assertThat(text(json(DAEMON_SETS, Transform.PARTIAL_METADATA, "v1").object(set)))
                .isEqualTo("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":" + head
                        + alone + tail + "}\n");
    }

    @Test
    void shouldLeaveThemOutOfMessagesAsWell() throws Exception {
        V1.Pod with = V1.Pod.newBuilder()
                .setMetadata(Messages.metadata("n", "d", 7)
                        .putAnnotations("a", "b")
                        .putAnnotations("deprecated.daemonset.template.generation", "1")
                        .addFinalizers("f"))
                .build();
        Meta.ObjectMeta without = Meta.ObjectMeta.newBuilder(with.getMetadata())
                .removeAnnotations("deprecated.daemonset.template.generation")
                .build();
        Representation metadata = protobuf(DAEMON_SETS, Transform.PARTIAL_METADATA, "v1");
        StoredObject set = stored(with);

        byte[] message = Messages.open(bytes(metadata.object(set))).getRaw().toByteArray();

        assertThat(message)
                .isEqualTo(Meta.PartialObjectMetadata.newBuilder()
                        .setMetadata(without)
                        .build()
                        .toByteArray());
        ListHead form = new ListHead("DaemonSetList", "apps/v1", 0, "", true, false, true);
        byte[] list = list(metadata, form, -1, "", List.of(set, set));
        assertThat(Meta.PartialObjectMetadataList.parseFrom(Messages.open(list).getRaw())
                        .getItemsList())
                .hasSize(2)
                .allSatisfy(item -> assertThat(item.toByteArray()).isEqualTo(message));
    }

    /** Every length around the digits may grow by a byte, or shrink. */
    @Test
    void shouldWriteMessagesWithAnyVersionAsProtobufWould() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Representation whole = protobuf(PODS, Transform.NONE, null);
        Representation metadata = protobuf(PODS, Transform.PARTIAL_METADATA, "v1");
        for (int round = 0; round < 3000; round++) {
            long version = 1 + (random.nextLong() >>> 1 + random.nextInt(60));
            long shown = 1 + (random.nextLong() >>> 1 + random.nextInt(60));
            V1.Pod.Builder pod = V1.Pod.newBuilder()
                    .setMetadata(Messages.metadata("n", "x".repeat(random.nextInt(260)), version)
                            .putLabels("l", "y".repeat(random.nextInt(10))))
                    .setSpec(V1.PodSpec.newBuilder().setNodeName("z".repeat(random.nextInt(300))));
            StoredObject object = stored(pod.build());
            V1.Pod wanted = pod.setMetadata(
                            Meta.ObjectMeta.newBuilder(pod.getMetadata()).setResourceVersion(Long.toString(shown)))
                    .build();
            Line line = new Line(EventType.DELETED, object, shown, 1);

            byte[] event = bytes(whole.pieces(line));
            byte[] metadataEvent = bytes(metadata.pieces(line));

            assertThat(event)
                    .as("seed %d", seed)
                    .isEqualTo(Messages.event("DELETED", Messages.envelope("v1", "Pod", wanted.toByteString())));
            assertThat(metadataEvent)
                    .as("seed %d", seed)
                    .isEqualTo(Messages.event(
                            "DELETED",
                            Messages.envelope(
                                    "meta.k8s.io/v1",
                                    "PartialObjectMetadata",
                                    Meta.PartialObjectMetadata.newBuilder()
                                            .setMetadata(wanted.getMetadata())
                                            .build()
                                            .toByteString())));
            assertThat(event.length).as("seed %d", seed).isLessThanOrEqualTo(whole.mostBytes(line));
            assertThat(metadataEvent.length).as("seed %d", seed).isLessThanOrEqualTo(metadata.mostBytes(line));
        }
    }

    @Test
    void shouldWriteListsOfMessagesAsProtobufWould() throws Exception {
        V1.Pod one = V1.Pod.newBuilder()
                .setMetadata(Messages.metadata("n", "one", 7))
                .build();
        V1.Pod two = V1.Pod.newBuilder()
                .setMetadata(Messages.metadata("n", "two", 70))
                .build();
        List<StoredObject> items = List.of(stored(one), stored(two));
        Meta.ListMeta.Builder meta = Meta.ListMeta.newBuilder()
                .setSelfLink("")
                .setResourceVersion("77")
                .setContinue("abc");
        meta.setRemainingItemCount(5);
        ListHead form = new ListHead("PodList", "v1", 0, "", true, false, true);

        assertThat(list(protobuf(PODS, Transform.NONE, null), form, 5, "abc", items))
                .isEqualTo(Messages.envelope(
                        "v1",
                        "PodList",
                        V1.PodList.newBuilder()
                                .setMetadata(meta)
                                .addItems(one)
                                .addItems(two)
                                .build()
                                .toByteString()));
        byte[] metadataList = Meta.PartialObjectMetadataList.newBuilder()
                .setMetadata(meta)
                .addItems(Meta.PartialObjectMetadata.newBuilder().setMetadata(one.getMetadata()))
                .addItems(Meta.PartialObjectMetadata.newBuilder().setMetadata(two.getMetadata()))
                .build()
                .toByteArray();
        assertThat(list(protobuf(PODS, Transform.PARTIAL_METADATA_LIST, "v1"), form, 5, "abc", items))
                .isEqualTo(Messages.envelope(
                        "meta.k8s.io/v1", "PartialObjectMetadataList", ByteString.copyFrom(metadataList)));
    }

    /** Seen of kube-apiserver 1.37: meta.k8s.io/v1beta1 has the items at 1, and so first. */
    @Test
    void shouldPutTheItemsFirstInTheOlderListOfMetadata() throws Exception {
        V1.Pod one = V1.Pod.newBuilder()
                .setMetadata(Messages.metadata("n", "one", 7))
                .build();
        ListHead form = new ListHead("PodList", "v1", 0, "", true, false, true);

        byte[] list =
                list(protobuf(PODS, Transform.PARTIAL_METADATA_LIST, "v1beta1"), form, -1, "", List.of(stored(one)));

        byte[] message = Messages.open(list).getRaw().toByteArray();
        byte[] item = Meta.PartialObjectMetadata.newBuilder()
                .setMetadata(one.getMetadata())
                .build()
                .toByteArray();
        byte[] meta = {10, 0, 18, 2, '7', '7', 26, 0};
        assertThat(message)
                .isEqualTo(Buffer.buffer()
                        .appendByte((byte) 10)
                        .appendByte((byte) item.length)
                        .appendBytes(item)
                        .appendByte((byte) 18)
                        .appendByte((byte) meta.length)
                        .appendBytes(meta)
                        .getBytes());
    }

    @Test
    void shouldSayNullForNoMetadataAtAll() {
        ListHead form = new ListHead("WidgetList", "ex.io/v1", 0, "", false, true);
        Representation metadata = json(WIDGETS, Transform.PARTIAL_METADATA_LIST, "v1");

        assertThat(new String(list(metadata, form, -1, "", List.of()), StandardCharsets.UTF_8))
                .isEqualTo("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                        + "\"metadata\":{\"resourceVersion\":\"77\"},\"items\":null}\n");
        assertThat(new String(list(metadata, form, 3, "abc", List.of(stored(WIDGET, "268"))), StandardCharsets.UTF_8))
                .isEqualTo("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                        + "\"metadata\":{\"resourceVersion\":\"77\",\"continue\":\"abc\",\"remainingItemCount\":3},"
                        + "\"items\":[{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":"
                        + WIDGET_METADATA + "}]}\n");
    }
}
