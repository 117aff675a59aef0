package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.V1;
import io.vertx.core.buffer.Buffer;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.testing.Messages;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Events and lists in protobuf, written by the official client's generated classes (W-106, W-107). */
class ProtobufFormatTest {
    private final ObjectFormat format = ObjectFormat.of(
            ObjectEncoding.PROTOBUF,
            new ApiResource(new GroupVersionResource("", "v1", "pods"), "Pod", true, Set.of()),
            SelectableFields.forBuiltIn("", "v1", "Pod"));

    private static V1.Pod pod(String name, long version) {
        return V1.Pod.newBuilder()
                .setMetadata(Messages.metadata("shop", name, version)
                        .setUid("u-1")
                        .putLabels("app", "web")
                        .putLabels("empty", "")
                        .putAnnotations("resourceVersion", "99")
                        .addOwnerReferences(Meta.OwnerReference.newBuilder()
                                .setName("wrong")
                                .setUid("wrong"))
                        .addManagedFields(Meta.ManagedFieldsEntry.newBuilder().setManager("6")))
                .setSpec(V1.PodSpec.newBuilder().setNodeName("node-1").setHostNetwork(true))
                .setStatus(V1.PodStatus.newBuilder()
                        .setPhase("Running")
                        .addPodIPs(V1.PodIP.newBuilder().setIp("10.0.0.1"))
                        .addPodIPs(V1.PodIP.newBuilder().setIp("10.0.0.2")))
                .build();
    }

    private DecodedEvent event(String type, String kind, ByteString message) throws MalformedObjectException {
        byte[] event = Messages.event(type, Messages.envelope("v1", kind, message));
        byte[] within = new byte[event.length + 20];
        Arrays.fill(within, (byte) 1);
        System.arraycopy(event, 0, within, 7, event.length);
        return format.event(within, 7, event.length);
    }

    @Test
    void shouldReadAllThatIsJudgedOfAnObjectAndKeepItsBytes() throws Exception {
        V1.Pod pod = pod("web-1", 4711);

        DecodedEvent event = event("MODIFIED", "Pod", pod.toByteString());

        StoredObject object = event.object();
        assertThat(event.type()).isEqualTo(EventType.MODIFIED);
        assertThat(event.resourceVersion()).isEqualTo(4711);
        assertThat(object.key().path()).isEqualTo("shop/web-1");
        assertThat(object.uid()).isEqualTo("u-1");
        assertThat(object.labels()).isEqualTo(Labels.of("app", "web", "empty", ""));
        SelectableFields fields = SelectableFields.forBuiltIn("", "v1", "Pod");
        assertThat(object.fieldValues()[fields.indexOf("spec.nodeName")]).isEqualTo("node-1");
        assertThat(object.fieldValues()[fields.indexOf("spec.hostNetwork")]).isEqualTo("true");
        assertThat(object.fieldValues()[fields.indexOf("status.podIP")]).isEqualTo("10.0.0.1");
        assertThat(object.fieldValues()[fields.indexOf("status.nominatedNodeName")])
                .isEmpty();
        assertThat(object.bytes()).isEqualTo(pod.toByteArray());
        assertThat(new String(
                        object.bytes(), object.versionOffset(), object.versionLength(), StandardCharsets.US_ASCII))
                .isEqualTo("4711");
        assertThat(Arrays.copyOfRange(
                        object.bytes(), object.metadataOffset(), object.metadataOffset() + object.metadataLength()))
                .isEqualTo(pod.getMetadata().toByteArray());
    }

    @Test
    void shouldReadBookmarksAndErrors() throws Exception {
        V1.Pod plain =
                V1.Pod.newBuilder().setMetadata(Messages.metadata("", "", 50)).build();
        DecodedEvent bookmark = event("BOOKMARK", "Pod", plain.toByteString());
        assertThat(bookmark.resourceVersion()).isEqualTo(50);
        assertThat(bookmark.endsInitialEvents()).isFalse();
        assertThat(bookmark.raw()).isEqualTo(plain.toByteArray());
        V1.Pod marked = V1.Pod.newBuilder()
                .setMetadata(Messages.metadata("", "", 51)
                        .putAnnotations("a", "true")
                        .putAnnotations("k8s.io/initial-events-end", "true"))
                .build();
        assertThat(event("BOOKMARK", "Pod", marked.toByteString()).endsInitialEvents())
                .isTrue();
        DecodedEvent error = event(
                "ERROR",
                "Status",
                Meta.Status.newBuilder()
                        .setMessage("too old")
                        .setReason("Expired")
                        .setCode(410)
                        .build()
                        .toByteString());
        assertThat(error.code()).isEqualTo(410);
        assertThat(error.reason()).isEqualTo("Expired");
        assertThat(error.message()).isEqualTo("too old");
        assertThat(Messages.open(error.raw()).getTypeMeta().getKind()).isEqualTo("Status");
    }

    @Test
    void shouldReadLists() throws Exception {
        V1.PodList list = V1.PodList.newBuilder()
                .setMetadata(Meta.ListMeta.newBuilder()
                        .setSelfLink("")
                        .setResourceVersion("60")
                        .setContinue("abc"))
                .addItems(pod("a", 8))
                .addItems(pod("b", 9))
                .build();
        List<StoredObject> items = new ArrayList<>();

        ListHead head = format.list(Messages.envelope("v1", "PodList", list.toByteString()), items);

        assertThat(head).isEqualTo(new ListHead("PodList", "v1", 60, "abc", true, false, true));
        assertThat(items).extracting(StoredObject::name).containsExactly("a", "b");
        assertThat(items.get(1).bytes()).isEqualTo(pod("b", 9).toByteArray());
        assertThatThrownBy(() -> format.list(Messages.envelope("v1", "Status", ByteString.EMPTY), items))
                .isInstanceOf(MalformedObjectException.class)
                .hasMessage("not a list but Status");
    }

    @Test
    void shouldRefuseWhatItCannotKeepExactly() {
        assertThatThrownBy(() -> event("ADDED", "Pod", pod("", 5).toByteString()))
                .isInstanceOf(MalformedObjectException.class);
        assertThatThrownBy(() -> event("ADDED", "Pod", pod("a", 0).toByteString()))
                .isInstanceOf(UnversionedException.class);
        assertThatThrownBy(() -> event("ADDED", "Pod", ByteString.EMPTY)).isInstanceOf(MalformedObjectException.class);
        assertThatThrownBy(() -> event("RENAMED", "Pod", pod("a", 1).toByteString()))
                .isInstanceOf(MalformedObjectException.class);
        // The length of the metadata in two bytes where one would do.
        byte[] metadata = Meta.ObjectMeta.newBuilder()
                .setName("a")
                .setResourceVersion("5")
                .build()
                .toByteArray();
        ByteString padded = ByteString.copyFrom(new byte[] {10, (byte) (metadata.length | 0x80), 0})
                .concat(ByteString.copyFrom(metadata));
        assertThatThrownBy(() -> event("ADDED", "Pod", padded)).isInstanceOf(MalformedObjectException.class);
    }

    @Test
    void shouldFailCleanlyOnAnyDamage() throws Exception {
        byte[] event = Messages.event(
                "ADDED", Messages.envelope("v1", "Pod", pod("a", 5).toByteString()));
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 5000; round++) {
            byte[] damaged = Arrays.copyOf(event, round % 2 == 0 ? event.length : random.nextInt(event.length));
            for (int i = random.nextInt(4); i >= 0 && damaged.length > 0; i--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                DecodedEvent read = format.event(damaged, 0, damaged.length);
                assertThat(read.object() == null || read.object().metadataLength() > 0)
                        .isTrue();
            } catch (MalformedObjectException e) {
                assertThat(e).as("seed %d", seed).hasMessageNotContaining("null");
            }
        }
    }

    @Test
    void shouldCutAWatchIntoItsEventsWhateverTheChunks() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        List<byte[]> wanted = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            byte[] event = new byte[i % 50 == 0 ? 100_000 : random.nextInt(500)];
            random.nextBytes(event);
            wanted.add(event);
            stream.writeBytes(Messages.frame(event));
        }
        byte[] all = stream.toByteArray();
        List<byte[]> read = new ArrayList<>();
        FrameDecoder decoder =
                format.frames((bytes, offset, length) -> read.add(Arrays.copyOfRange(bytes, offset, offset + length)));
        for (int at = 0; at < all.length; ) {
            int length = Math.min(all.length - at, 1 + random.nextInt(random.nextBoolean() ? 5 : 50_000));
            assertThat(decoder.feed(Buffer.buffer(Arrays.copyOfRange(all, at, at + length))))
                    .isTrue();
            at += length;
        }
        assertThat(read).as("seed %d", seed).hasSameSizeAs(wanted);
        for (int i = 0; i < wanted.size(); i++) {
            assertThat(read.get(i)).as("seed %d, event %d", seed, i).isEqualTo(wanted.get(i));
        }
    }

    @Test
    void shouldStopAtWhatIsNoLengthOfAnEvent() {
        for (int length : new int[] {-1, FrameDecoder.MAX_EVENT_BYTES, Integer.MAX_VALUE}) {
            FrameDecoder decoder = format.frames((bytes, offset, count) -> true);
            assertThat(decoder.feed(Buffer.buffer().appendInt(length))).isFalse();
        }
        FrameDecoder unwilling = format.frames((bytes, offset, count) -> false);
        assertThat(unwilling.feed(Buffer.buffer(Messages.frame(new byte[3])))).isFalse();
    }

    @Test
    void shouldTellAnAnswerInAnotherEncodingFromOneOfItsOwn() {
        ObjectEncoding protobuf = ObjectEncoding.PROTOBUF;
        protobuf.check(200, "application/vnd.kubernetes.protobuf");
        protobuf.check(200, "application/vnd.kubernetes.protobuf;stream=watch");
        protobuf.check(410, "application/json");
        ObjectEncoding.JSON.check(406, null);
        ObjectEncoding.JSON.check(200, "text/plain");
        assertThatThrownBy(() -> protobuf.check(200, "application/json")).isInstanceOf(EncodingRefusedException.class);
        assertThatThrownBy(() -> protobuf.check(200, null)).isInstanceOf(EncodingRefusedException.class);
        assertThatThrownBy(() -> protobuf.check(406, "application/vnd.kubernetes.protobuf"))
                .isInstanceOf(EncodingRefusedException.class);
        assertThatThrownBy(() -> protobuf.check(415, null)).isInstanceOf(EncodingRefusedException.class);
    }
}
