package io.watchfan.proxy.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.Runtime.RawExtension;
import io.kubernetes.client.proto.Runtime.TypeMeta;
import io.kubernetes.client.proto.Runtime.Unknown;
import io.kubernetes.client.proto.V1;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

/** Kubernetes' protobuf by the official client's generated classes, which share no code with the proxy. */
public final class Messages {
    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final ObjectMapper JSON = new ObjectMapper();

    private Messages() {}

    // ---- written, as kube-apiserver does: what is not optional is there, if empty

    /** What kube-apiserver writes of metadata. */
    public static Meta.ObjectMeta.Builder metadata(String namespace, String name, long version) {
        return Meta.ObjectMeta.newBuilder()
                .setName(name)
                .setGenerateName("")
                .setNamespace(namespace)
                .setSelfLink("")
                .setUid("")
                .setResourceVersion(Long.toString(version))
                .setGeneration(0)
                .setCreationTimestamp(Meta.Time.getDefaultInstance());
    }

    /** A message in its envelope. */
    public static byte[] envelope(String apiVersion, String kind, ByteString message) {
        byte[] unknown = Unknown.newBuilder()
                .setTypeMeta(TypeMeta.newBuilder().setApiVersion(apiVersion).setKind(kind))
                .setRaw(message)
                .setContentEncoding("")
                .setContentType("")
                .build()
                .toByteArray();
        return ByteBuffer.allocate(MAGIC.length + unknown.length)
                .put(MAGIC)
                .put(unknown)
                .array();
    }

    /** An event without its length. */
    public static byte[] event(String type, byte[] envelope) {
        return Meta.WatchEvent.newBuilder()
                .setType(type)
                .setObject(RawExtension.newBuilder().setRaw(ByteString.copyFrom(envelope)))
                .build()
                .toByteArray();
    }

    /** An event behind its length. */
    public static byte[] frame(byte[] event) {
        return ByteBuffer.allocate(4 + event.length)
                .putInt(event.length)
                .put(event)
                .array();
    }

    /** The scripted API server's line, or lines, as frames. */
    static byte[] frames(String lines) throws IOException {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        for (String line : lines.lines().toList()) {
            JsonNode event = JSON.readTree(line);
            JsonNode object = event.path("object");
            String kind = object.path("kind").asText();
            ByteString message =
                    kind.equals("Status") ? status(object) : object(object).toByteString();
            out.writeBytes(frame(event(event.path("type").asText(), envelope("v1", kind, message))));
        }
        return out.toByteArray();
    }

    private static ByteString status(JsonNode status) {
        return Meta.Status.newBuilder()
                .setMetadata(Meta.ListMeta.newBuilder()
                        .setSelfLink("")
                        .setResourceVersion("")
                        .setContinue(""))
                .setStatus(status.path("status").asText())
                .setMessage(status.path("message").asText())
                .setReason(status.path("reason").asText())
                .setCode(status.path("code").asInt())
                .build()
                .toByteString();
    }

    /** The scripted API server's list. */
    static byte[] list(String body) throws IOException {
        JsonNode list = JSON.readTree(body);
        V1.PodList.Builder pods = V1.PodList.newBuilder()
                .setMetadata(Meta.ListMeta.newBuilder()
                        .setSelfLink("")
                        .setResourceVersion(list.at("/metadata/resourceVersion").asText())
                        .setContinue(list.at("/metadata/continue").asText()));
        list.path("items").forEach(item -> pods.addItems(object(item)));
        return envelope("v1", list.path("kind").asText(), pods.build().toByteString());
    }

    /** All kinds that the scripted API server has are alike enough: metadata, and something beside it. */
    private static V1.Pod object(JsonNode json) {
        JsonNode from = json.path("metadata");
        Meta.ObjectMeta.Builder metadata = metadata(
                        from.path("namespace").asText(), from.path("name").asText(), 0)
                .setUid(from.path("uid").asText())
                .setResourceVersion(from.path("resourceVersion").asText());
        from.path("labels")
                .properties()
                .forEach(label ->
                        metadata.putLabels(label.getKey(), label.getValue().asText()));
        from.path("annotations")
                .properties()
                .forEach(one ->
                        metadata.putAnnotations(one.getKey(), one.getValue().asText()));
        return V1.Pod.newBuilder()
                .setMetadata(metadata)
                .setSpec(V1.PodSpec.newBuilder()
                        .setNodeName(json.at("/spec/nodeName").asText()))
                .setStatus(V1.PodStatus.newBuilder()
                        .setMessage(json.at("/spec/pad").asText()))
                .build();
    }

    /** The message of the object at {@code json}, as the scripted API server sends it. */
    public static byte[] objectOf(String json) throws IOException {
        return object(JSON.readTree(json)).toByteArray();
    }

    // ---- read

    /** What an envelope holds. */
    public static Unknown open(byte[] envelope) throws InvalidProtocolBufferException {
        if (!Arrays.equals(envelope, 0, 4, MAGIC, 0, 4)) {
            throw new AssertionError("no envelope: " + Arrays.toString(Arrays.copyOf(envelope, 8)));
        }
        return Unknown.parseFrom(Arrays.copyOfRange(envelope, 4, envelope.length));
    }

    /** Type, kind and object of an event without its length. */
    public record Event(String type, String kind, byte[] object) {
        public Meta.ObjectMeta metadata() throws InvalidProtocolBufferException {
            return Meta.PartialObjectMetadata.parseFrom(object).getMetadata();
        }

        public Meta.Status status() throws InvalidProtocolBufferException {
            return Meta.Status.parseFrom(object);
        }

        /** Type, name and version; of an ERROR its code. */
        public String brief() throws InvalidProtocolBufferException {
            if (kind.equals("Status")) {
                return type + " " + status().getCode();
            }
            String name = metadata().getName();
            return type + (name.isEmpty() ? "" : " " + name) + " " + metadata().getResourceVersion();
        }

        /** Annotations of its metadata. */
        public Map<String, String> annotations() throws InvalidProtocolBufferException {
            return metadata().getAnnotationsMap();
        }
    }

    /** Reads an event without its length. */
    public static Event event(byte[] event) throws InvalidProtocolBufferException {
        Meta.WatchEvent read = Meta.WatchEvent.parseFrom(event);
        Unknown unknown = open(read.getObject().getRaw().toByteArray());
        return new Event(
                read.getType(),
                unknown.getTypeMeta().getKind(),
                unknown.getRaw().toByteArray());
    }
}
