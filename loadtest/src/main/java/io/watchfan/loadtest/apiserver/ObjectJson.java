package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Objects as trees and as bytes, in the API server's key order. */
final class ObjectJson {
    /** The annotation that says when the change that made an object was due, in {@link System#nanoTime()} terms. */
    static final String PLANNED_NANOS = "loadtest.watchfan.io/planned-nanos";

    static final ObjectMapper MAPPER = mapper();

    private static final List<String> METADATA_ORDER = List.of(
            "name",
            "generateName",
            "namespace",
            "selfLink",
            "uid",
            "resourceVersion",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "deletionGracePeriodSeconds",
            "labels",
            "annotations",
            "ownerReferences",
            "finalizers",
            "managedFields");

    private ObjectJson() {}

    private static ObjectMapper mapper() {
        ObjectMapper mapper = JsonMapper.builder()
                .disable(JsonWriteFeature.ESCAPE_FORWARD_SLASHES)
                .build();
        mapper.getFactory().setCharacterEscapes(new GoEscapes());
        return mapper;
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Parses an object; throws {@link IllegalArgumentException} with the parser's words when it is none. */
    static ObjectNode parse(byte[] json) {
        try {
            if (MAPPER.readTree(json) instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    e instanceof JsonProcessingException parsing ? parsing.getOriginalMessage() : e.getMessage(), e);
        }
        throw new IllegalArgumentException("the body is not a JSON object");
    }

    static byte[] bytes(JsonNode node) {
        try {
            return MAPPER.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ObjectNode metadata(ObjectNode object) {
        return object.get("metadata") instanceof ObjectNode metadata ? metadata : object.putObject("metadata");
    }

    /** Makes a tree into a stored object of a version. The tree is used up. */
    static StoredObject store(ResourceType type, ObjectNode object, long version) {
        ObjectNode metadata = metadata(object);
        metadata.put("resourceVersion", Long.toString(version));
        String namespace = type.namespaced() ? metadata.path("namespace").asText() : "";
        String name = metadata.path("name").asText();
        Map<String, String> labels = new HashMap<>();
        metadata.path("labels")
                .properties()
                .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
        return new StoredObject(
                namespace.isEmpty() ? name : namespace + "/" + name,
                namespace,
                name,
                labels,
                fields(type, object),
                version,
                bytes(ordered(type, object)));
    }

    private static Map<String, String> fields(ResourceType type, ObjectNode object) {
        Map<String, String> fields = new HashMap<>();
        for (String path : type.fields()) {
            JsonNode node = object.at("/" + path.replace('.', '/'));
            if (node.isValueNode() && !node.isNull()) {
                fields.put(path, node.asText());
            }
        }
        if (type.equals(ResourceType.PODS)) {
            fields.putIfAbsent("spec.hostNetwork", "false");
        }
        if (type.equals(ResourceType.NODES)) {
            fields.putIfAbsent("spec.unschedulable", "false");
        }
        return fields;
    }

    /** The bytes of an object at another version. */
    static byte[] withVersion(StoredObject stored, long version) {
        ObjectNode object = parse(stored.json());
        metadata(object).put("resourceVersion", Long.toString(version));
        return bytes(object);
    }

    /** The keys in the order in which the API server writes them. */
    private static ObjectNode ordered(ResourceType type, ObjectNode object) {
        object.put("kind", type.kind());
        object.put("apiVersion", type.apiVersion());
        if (type.custom()) {
            return (ObjectNode) sorted(object);
        }
        ObjectNode result = object();
        result.set("kind", object.remove("kind"));
        result.set("apiVersion", object.remove("apiVersion"));
        result.set("metadata", orderedMetadata((ObjectNode) object.remove("metadata")));
        result.setAll(object);
        return result;
    }

    private static ObjectNode orderedMetadata(ObjectNode metadata) {
        ObjectNode result = object();
        for (String key : METADATA_ORDER) {
            JsonNode value = metadata.remove(key);
            if (value != null) {
                result.set(key, key.equals("labels") || key.equals("annotations") ? sorted(value) : value);
            }
        }
        return result;
    }

    private static JsonNode sorted(JsonNode node) {
        if (node instanceof ObjectNode object) {
            Map<String, JsonNode> entries = new TreeMap<>();
            object.properties().forEach(entry -> entries.put(entry.getKey(), sorted(entry.getValue())));
            ObjectNode result = object();
            entries.forEach(result::set);
            return result;
        }
        if (node instanceof ArrayNode array) {
            ArrayNode result = MAPPER.createArrayNode();
            array.forEach(element -> result.add(sorted(element)));
            return result;
        }
        return node;
    }
}
