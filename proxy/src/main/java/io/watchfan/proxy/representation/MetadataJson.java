package io.watchfan.proxy.representation;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.watchfan.fanout.event.StoredObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The metadata of an object as PartialObjectMetadata has it. That of built-in types is taken as it is; custom resources have
 * their keys sorted, and PartialObjectMetadata has those of the metadata in the order of the type, as built-in types do: its
 * members are put in that order, each with the bytes that it has.
 */
final class MetadataJson {
    private static final List<String> METADATA = List.of(
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
    private static final List<String> OWNER_REFERENCE =
            List.of("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion");
    private static final List<String> MANAGED_FIELDS =
            List.of("manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource");
    private static final byte[] SORTED = JsonLines.bytes("{\"apiVersion\"");

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(1 << 20)
                    .maxNestingDepth(10_000)
                    .build())
            .build();

    private final byte[] json;
    private final int start;
    private final JsonParser parser;

    private MetadataJson(StoredObject object, JsonParser parser) {
        this.json = object.bytes();
        this.start = object.metadataOffset();
        this.parser = parser;
    }

    /** The metadata of {@code object}, with {@code version} in it. The array is the caller's. */
    static byte[] of(StoredObject object, long version, DroppedAnnotations dropped) {
        byte[] json = object.bytes();
        boolean sorted = json.length > SORTED.length && Arrays.equals(json, 0, SORTED.length, SORTED, 0, SORTED.length);
        return sorted || !dropped.isEmpty() ? rewritten(object, version, dropped) : asItIs(object, version);
    }

    private static byte[] asItIs(StoredObject object, long version) {
        int start = object.metadataOffset();
        int end = start + object.metadataLength();
        if (version == object.resourceVersion()) {
            return Arrays.copyOfRange(object.bytes(), start, end);
        }
        int after = object.versionOffset() + object.versionLength();
        ByteArrayOutputStream out = new ByteArrayOutputStream(object.metadataLength() + 20);
        out.write(object.bytes(), start, object.versionOffset() - start);
        out.writeBytes(JsonLines.digits(version));
        out.write(object.bytes(), after, end - after);
        return out.toByteArray();
    }

    private static byte[] rewritten(StoredObject object, long version, DroppedAnnotations dropped) {
        try (JsonParser parser = JSON.createParser(object.bytes(), object.metadataOffset(), object.metadataLength())) {
            parser.nextToken();
            return new MetadataJson(object, parser).metadata(version, dropped);
        } catch (IOException e) {
            // It has been read before.
            throw new UncheckedIOException(e);
        }
    }

    private byte[] metadata(long version, DroppedAnnotations dropped) throws IOException {
        Map<String, byte[]> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            byte[] value = switch (name) {
                case "resourceVersion" -> {
                    parser.skipChildren();
                    yield JsonLines.bytes("\"" + version + "\"");
                }
                case "annotations" -> dropped.isEmpty() ? raw() : without(dropped);
                case "ownerReferences" -> elements(OWNER_REFERENCE);
                case "managedFields" -> elements(MANAGED_FIELDS);
                default -> raw();
            };
            if (value != null) {
                members.put(name, value);
            }
        }
        return written(members, METADATA);
    }

    /** The annotations that are not dropped; null when there are none. */
    private byte[] without(DroppedAnnotations dropped) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            return raw();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean drop = dropped.contains(parser.currentName());
            int from = tokenStart();
            parser.nextToken();
            raw();
            if (!drop) {
                out.write(out.size() == 0 ? '{' : ',');
                out.write(json, from, tokenEnd() - from);
            }
        }
        if (out.size() == 0) {
            return null;
        }
        out.write('}');
        return out.toByteArray();
    }

    private byte[] elements(List<String> order) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            return raw();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write('[');
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (out.size() > 1) {
                out.write(',');
            }
            out.writeBytes(parser.currentToken() == JsonToken.START_OBJECT ? element(order) : raw());
        }
        out.write(']');
        return out.toByteArray();
    }

    private byte[] element(List<String> order) throws IOException {
        Map<String, byte[]> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, raw());
        }
        return written(members, order);
    }

    /** The bytes of the value that the parser is at, which it goes to the end of. */
    private byte[] raw() throws IOException {
        int from = tokenStart();
        if (parser.currentToken().isStructStart()) {
            parser.skipChildren();
        } else {
            parser.finishToken();
        }
        return Arrays.copyOfRange(json, from, tokenEnd());
    }

    private int tokenStart() {
        return start + (int) parser.currentTokenLocation().getByteOffset();
    }

    private int tokenEnd() {
        return start + (int) parser.currentLocation().getByteOffset();
    }

    /** Those members that there are, in this order, and then what else there is. */
    private static byte[] written(Map<String, byte[]> members, List<String> order) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String name : order) {
            append(name, members.remove(name), out);
        }
        members.forEach((name, value) -> append(name, value, out));
        if (out.size() == 0) {
            out.write('{');
        }
        out.write('}');
        return out.toByteArray();
    }

    private static void append(String name, byte[] value, ByteArrayOutputStream out) {
        if (value != null) {
            out.write(out.size() == 0 ? '{' : ',');
            out.writeBytes(JsonLines.bytes("\"" + name + "\":"));
            out.writeBytes(value);
        }
    }
}
