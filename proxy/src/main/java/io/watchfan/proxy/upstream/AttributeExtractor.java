package io.watchfan.proxy.upstream;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.ResourceVersions;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectableFields;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Takes from an object what selectors judge, in one streaming pass, and keeps its bytes as they came. Confined to its feed's
 * thread.
 */
final class AttributeExtractor {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(FrameDecoder.MAX_EVENT_BYTES)
                    .maxNameLength(FrameDecoder.MAX_EVENT_BYTES)
                    .maxNumberLength(1 << 20)
                    .maxNestingDepth(10_000)
                    .build())
            .build();

    private final SelectableFields fields;
    private final Step paths = new Step();
    private final StringCache strings = new StringCache();
    private final TreeMap<String, String> labels = new TreeMap<>();

    // ---- of the object at hand
    private String name;
    private String namespace;
    private String uid;
    private String version;
    private int versionOffset;
    private int metadataOffset;
    private int metadataEnd;
    private boolean endsInitialEvents;
    private final String[] values;

    /** An extractor for objects with these selectable fields. */
    AttributeExtractor(SelectableFields fields) {
        this.fields = fields;
        List<List<String>> all = fields.paths();
        for (int i = 0; i < all.size(); i++) {
            paths.add(all.get(i), 0, i);
        }
        values = new String[all.size()];
    }

    /** Reads one line of a watch. */
    DecodedEvent event(byte[] bytes, int offset, int length) throws MalformedObjectException {
        try (JsonParser parser = JSON.createParser(bytes, offset, length)) {
            String type = null;
            int start = -1;
            int end = -1;
            expect(parser.nextToken(), JsonToken.START_OBJECT, "an event");
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                if (field.equals("type")) {
                    type = parser.getText();
                } else if (field.equals("object")) {
                    expect(value, JsonToken.START_OBJECT, "an event's object");
                    start = offset + (int) parser.currentTokenLocation().getByteOffset();
                    if ("ERROR".equals(type)) {
                        parser.skipChildren();
                    } else {
                        readObject(parser);
                    }
                    end = offset + (int) parser.currentLocation().getByteOffset();
                } else {
                    parser.skipChildren();
                }
            }
            if (parser.currentToken() != JsonToken.END_OBJECT || parser.nextToken() != null) {
                throw new MalformedObjectException("an event is not one JSON object");
            }
            if (type == null || start < 0) {
                throw new MalformedObjectException("an event without type or object");
            }
            return event(type, Arrays.copyOfRange(bytes, start, end), start - offset);
        } catch (IOException e) {
            throw new MalformedObjectException("not JSON: " + firstLine(e), e);
        }
    }

    private DecodedEvent event(String type, byte[] object, int shift) throws MalformedObjectException {
        switch (type) {
            case "ADDED", "MODIFIED", "DELETED" -> {
                return DecodedEvent.change(EventType.valueOf(type), stored(object, -shift));
            }
            case "BOOKMARK" -> {
                return DecodedEvent.bookmark(object, version, endsInitialEvents);
            }
            case "ERROR" -> {
                return error(object);
            }
            default -> throw new MalformedObjectException("an event of unknown type " + type);
        }
    }

    private static DecodedEvent error(byte[] status) throws MalformedObjectException {
        int code = 0;
        String reason = "";
        String message = "";
        try (JsonParser parser = JSON.createParser(status)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken value = parser.nextToken();
                switch (field) {
                    case "code" -> code = value.isNumeric() ? parser.getIntValue() : parser.getValueAsInt();
                    case "reason" -> reason = String.valueOf(parser.getValueAsString(""));
                    case "message" -> message = String.valueOf(parser.getValueAsString(""));
                    default -> parser.skipChildren();
                }
            }
        } catch (IOException e) {
            throw new MalformedObjectException("an ERROR without a Status: " + firstLine(e), e);
        }
        return DecodedEvent.error(status, code, reason, message);
    }

    /**
     * Reads the object that {@code parser} is at, which parses {@code bytes} from their beginning, and takes a copy of its
     * bytes.
     *
     * @param parser at the object's START_OBJECT; afterwards at its END_OBJECT
     * @param prefix members to splice in at the object's beginning, with a comma behind each; null for none. They are left
     *     out where the object has a kind of its own
     */
    StoredObject object(JsonParser parser, byte[] bytes, byte[] prefix) throws IOException, MalformedObjectException {
        int start = (int) parser.currentTokenLocation().getByteOffset();
        boolean hasKind = readObject(parser);
        int end = (int) parser.currentLocation().getByteOffset();
        if (prefix == null || hasKind) {
            return stored(Arrays.copyOfRange(bytes, start, end), -start);
        }
        byte[] object = new byte[end - start + prefix.length];
        object[0] = '{';
        System.arraycopy(prefix, 0, object, 1, prefix.length);
        System.arraycopy(bytes, start + 1, object, 1 + prefix.length, end - start - 1);
        return stored(object, prefix.length - start);
    }

    /**
     * @param json a copy of the object that was read
     * @param shift what is to be added to the places that were found, for those in the copy
     */
    private StoredObject stored(byte[] json, int shift) throws MalformedObjectException {
        int digitsAt = versionOffset + shift;
        long resourceVersion = ResourceVersions.parse(version);
        if (name == null || name.isEmpty()) {
            throw new MalformedObjectException("an object without a name");
        }
        if (resourceVersion <= 0) {
            throw new UnversionedException("an object without a resourceVersion: " + name);
        }
        for (int i = 0; i < version.length(); i++) {
            if (json[digitsAt + i] != version.charAt(i)) {
                throw new MalformedObjectException("a resourceVersion that is not written in plain digits: " + name);
            }
        }
        for (int i = 0; i < json.length; i++) {
            if (json[i] == '\n' || json[i] == '\r') {
                throw new MalformedObjectException("an object of several lines: " + name);
            }
        }
        return new StoredObject(
                new ObjectKey(namespace == null ? "" : strings.unify(namespace), name),
                uid == null ? "" : uid,
                resourceVersion,
                Labels.copyOf(labels),
                fields.valueCount() == 0 ? null : unified(fields.finish(values)),
                json,
                digitsAt,
                version.length(),
                metadataOffset + shift,
                metadataEnd - metadataOffset);
    }

    private String[] unified(String[] finished) {
        for (int i = 0; i < finished.length; i++) {
            finished[i] = strings.unify(finished[i]);
        }
        return finished;
    }

    /** Reads the object that the parser is at the beginning of; whether it has a kind. */
    private boolean readObject(JsonParser parser) throws IOException, MalformedObjectException {
        name = null;
        namespace = null;
        uid = null;
        version = null;
        endsInitialEvents = false;
        labels.clear();
        Arrays.fill(values, null);
        boolean hasKind = false;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (field.equals("metadata") && value == JsonToken.START_OBJECT) {
                metadataOffset = (int) parser.currentTokenLocation().getByteOffset();
                readMetadata(parser);
                metadataEnd = (int) parser.currentLocation().getByteOffset();
            } else {
                hasKind |= field.equals("kind");
                readPath(parser, paths.next(field));
            }
        }
        expect(parser.currentToken(), JsonToken.END_OBJECT, "the end of an object");
        return hasKind;
    }

    private void readMetadata(JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            JsonToken value = parser.nextToken();
            if (value == JsonToken.VALUE_STRING) {
                switch (field) {
                    case "name" -> name = parser.getText();
                    case "namespace" -> namespace = parser.getText();
                    case "uid" -> uid = parser.getText();
                    case "resourceVersion" -> {
                        version = parser.getText();
                        versionOffset = (int) parser.currentTokenLocation().getByteOffset() + 1;
                    }
                    default -> {}
                }
            } else if (value == JsonToken.START_OBJECT && field.equals("labels")) {
                readTexts(parser, labels);
            } else if (value == JsonToken.START_OBJECT && field.equals("annotations")) {
                readAnnotations(parser);
            } else {
                parser.skipChildren();
            }
        }
    }

    private void readTexts(JsonParser parser, Map<String, String> into) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = strings.unify(parser.currentName());
            if (parser.nextToken() == JsonToken.VALUE_STRING) {
                into.put(key, strings.unify(parser.getText()));
            } else {
                parser.skipChildren();
            }
        }
    }

    private void readAnnotations(JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean mark = parser.currentName().equals(DecodedEvent.INITIAL_EVENTS_END);
            if (parser.nextToken() == JsonToken.VALUE_STRING && mark) {
                endsInitialEvents = parser.getText().equals("true");
            } else {
                parser.skipChildren();
            }
        }
    }

    /** Reads the value that the parser is at, as far as selectable fields lie within it. */
    private void readPath(JsonParser parser, Step step) throws IOException {
        JsonToken value = parser.currentToken();
        if (step == null) {
            parser.skipChildren();
        } else if (value == JsonToken.START_OBJECT) {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                Step next = step.next(parser.currentName());
                parser.nextToken();
                readPath(parser, next);
            }
        } else if (value == JsonToken.START_ARRAY) {
            Step first = step.next(SelectableFields.FIRST_ELEMENT);
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                readPath(parser, first);
                first = null;
            }
        } else if (step.path >= 0 && value != JsonToken.VALUE_NULL) {
            values[step.path] = parser.getText();
        }
    }

    private static void expect(JsonToken found, JsonToken expected, String what) throws MalformedObjectException {
        if (found != expected) {
            throw new MalformedObjectException(what + " is missing");
        }
    }

    static String firstLine(Throwable e) {
        String message = String.valueOf(e.getMessage());
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static JsonFactory json() {
        return JSON;
    }

    /** A step of the paths to selectable fields. */
    private static final class Step {
        private final Map<String, Step> next = new HashMap<>();
        private int path = -1;

        void add(List<String> steps, int at, int index) {
            if (at == steps.size()) {
                path = index;
            } else {
                next.computeIfAbsent(steps.get(at), s -> new Step()).add(steps, at + 1, index);
            }
        }

        Step next(String name) {
            return next.get(name);
        }
    }
}
