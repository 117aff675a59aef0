package io.watchfan.k8s;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads what servers say, and writes what is sent to them. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static JsonNode read(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON: " + json, e);
        }
    }

    static JsonNode read(byte[] json) {
        return read(new String(json, StandardCharsets.UTF_8));
    }

    static String quote(String text) {
        return MAPPER.getNodeFactory().textNode(text).toString();
    }

    /** {@code namespace/name} of an object, or its name alone. */
    static String key(JsonNode object) {
        JsonNode metadata = object.path("metadata");
        String namespace = metadata.path("namespace").asText("");
        String name = metadata.path("name").asText();
        return namespace.isEmpty() ? name : namespace + "/" + name;
    }

    static long version(JsonNode object) {
        return object.path("metadata").path("resourceVersion").asLong(-1);
    }

    /** What a list holds: version by key. */
    static Map<String, Long> versions(JsonNode list) {
        Map<String, Long> versions = new TreeMap<>();
        list.path("items").forEach(item -> versions.put(key(item), version(item)));
        return versions;
    }

    /** The bytes of a list's items as they stand in it, one by one. */
    static List<String> items(String list) {
        int begin = list.indexOf("\"items\":[") + "\"items\":[".length();
        List<String> items = new ArrayList<>();
        int depth = 0;
        boolean quoted = false;
        int start = -1;
        for (int at = begin; at < list.length(); at++) {
            char character = list.charAt(at);
            if (quoted) {
                if (character == '\\') {
                    at++;
                } else if (character == '"') {
                    quoted = false;
                }
            } else if (character == '"') {
                quoted = true;
            } else if (character == '{') {
                if (depth++ == 0) {
                    start = at;
                }
            } else if (character == '}') {
                if (--depth == 0) {
                    items.add(list.substring(start, at + 1));
                }
            } else if (character == ']' && depth == 0) {
                break;
            }
        }
        return items;
    }
}
