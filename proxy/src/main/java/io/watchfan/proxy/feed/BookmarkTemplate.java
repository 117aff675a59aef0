package io.watchfan.proxy.feed;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.ResourceVersions;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.proxy.upstream.DecodedEvent;
import io.watchfan.proxy.upstream.ObjectEncoding;
import io.watchfan.proxy.wire.WireFormatException;
import java.nio.charset.StandardCharsets;

/**
 * The form of a resource's bookmarks: that of the API server's own, with another version in it (W-100 to W-103). Immutable.
 */
public final class BookmarkTemplate {
    private static final String MARK = "\"" + DecodedEvent.INITIAL_EVENTS_END + "\":\"true\"";
    /** What API servers up to 1.33 write for a zero time, before the annotations. */
    private static final String NO_TIME = ",\"creationTimestamp\":null";

    private static final String METADATA = "\"metadata\":{";
    private static final String ANNOTATIONS = "\"annotations\":{";
    private static final String VERSION = "\"resourceVersion\":\"";

    /** Nobody asks a bookmark for its name. */
    private static final ObjectKey NOTHING = new ObjectKey("", "");

    private final StoredObject plain;
    private final StoredObject marked;

    private BookmarkTemplate(StoredObject plain, StoredObject marked) {
        this.plain = plain;
        this.marked = marked;
    }

    /** The least that clients need: kind, apiVersion and version (W-101). */
    static BookmarkTemplate of(ObjectEncoding encoding, String kind, String apiVersion) {
        return encoding.isProtobuf() ? likeMessage(ProtobufBookmarks.least()) : of(kind, apiVersion);
    }

    static BookmarkTemplate of(String kind, String apiVersion) {
        return like("{\"kind\":\"" + kind + "\",\"apiVersion\":\"" + apiVersion
                + "\",\"metadata\":{\"resourceVersion\":\"0\"}}");
    }

    /**
     * The form of this bookmark of the API server's.
     *
     * @param object the bookmark's object in {@code encoding}, of the plain kind or of the one that ends the initial events
     * @return the template, or null when the object is of no form that is known
     */
    static BookmarkTemplate like(ObjectEncoding encoding, byte[] object) {
        return encoding.isProtobuf() ? likeMessage(object) : like(object);
    }

    private static BookmarkTemplate likeMessage(byte[] message) {
        try {
            return new BookmarkTemplate(
                    object(ProtobufBookmarks.with(message, false)), object(ProtobufBookmarks.with(message, true)));
        } catch (WireFormatException e) {
            return null;
        }
    }

    private static StoredObject object(ProtobufBookmarks.Found found) {
        return object(
                found.message(),
                found.version(),
                found.versionOffset(),
                found.metadataOffset(),
                found.metadataLength());
    }

    static BookmarkTemplate like(byte[] object) {
        String text = new String(object, StandardCharsets.UTF_8);
        int metadata = text.indexOf(METADATA);
        if (metadata < 0 || text.indexOf(VERSION, metadata) < 0 || text.indexOf('\n') >= 0) {
            return null;
        }
        return like(text);
    }

    private static BookmarkTemplate like(String object) {
        return object.contains(MARK)
                ? new BookmarkTemplate(object(withoutMark(object)), object(object))
                : new BookmarkTemplate(object(object), object(withMark(object)));
    }

    private static StoredObject object(String json) {
        int metadata = json.indexOf(METADATA) + METADATA.length() - 1;
        int version = afterVersionKey(json);
        return object(
                json.getBytes(StandardCharsets.UTF_8),
                json.substring(version, json.indexOf('"', version)),
                bytesBefore(json, version),
                bytesBefore(json, metadata),
                bytesBefore(json, endOfObject(json, metadata)) - bytesBefore(json, metadata));
    }

    private static StoredObject object(
            byte[] bytes, String version, int versionOffset, int metadataOffset, int metadataLength) {
        return new StoredObject(
                NOTHING,
                "",
                Math.max(0, ResourceVersions.parse(version)),
                Labels.EMPTY,
                null,
                bytes,
                versionOffset,
                version.length(),
                metadataOffset,
                metadataLength);
    }

    private static int bytesBefore(String text, int end) {
        return text.substring(0, end).getBytes(StandardCharsets.UTF_8).length;
    }

    /** Behind the object that begins at {@code start}. */
    private static int endOfObject(String json, int start) {
        int depth = 0;
        int at = start;
        boolean inText = false;
        do {
            char next = json.charAt(at++);
            if (inText && next == '\\') {
                at++;
            } else if (next == '"') {
                inText = !inText;
            } else if (!inText) {
                depth += next == '{' ? 1 : next == '}' ? -1 : 0;
            }
        } while (depth > 0);
        return at;
    }

    private static String withoutMark(String object) {
        int mark = object.indexOf(MARK);
        int end = mark + MARK.length();
        if (object.charAt(end) == ',') {
            return object.substring(0, mark) + object.substring(end + 1);
        }
        if (object.charAt(mark - 1) == ',') {
            return object.substring(0, mark - 1) + object.substring(end);
        }
        // The only annotation: the member goes, with the comma on one side of it.
        int start = mark - ANNOTATIONS.length();
        int after = end + 1;
        if (object.charAt(after) == ',') {
            return object.substring(0, start) + object.substring(after + 1);
        }
        return object.substring(0, object.charAt(start - 1) == ',' ? start - 1 : start) + object.substring(after);
    }

    private static String withMark(String object) {
        int metadata = object.indexOf(METADATA) + METADATA.length();
        int annotations = object.indexOf(ANNOTATIONS, metadata);
        if (annotations >= 0) {
            // The others that a bookmark can have sort before it, and none has a brace in it.
            int end = object.indexOf('}', annotations);
            String comma = object.charAt(end - 1) == '{' ? "" : ",";
            return object.substring(0, end) + comma + MARK + object.substring(end);
        }
        int version = object.indexOf(VERSION, metadata);
        String member = ANNOTATIONS + MARK + "}";
        if (object.startsWith("{\"apiVersion\"")) {
            // Custom resources have their keys sorted.
            return object.substring(0, version) + member + "," + object.substring(version);
        }
        int end = object.indexOf('"', version + VERSION.length()) + 1;
        if (object.startsWith(NO_TIME, end)) {
            end += NO_TIME.length();
        }
        return object.substring(0, end) + "," + member + object.substring(end);
    }

    private static int afterVersionKey(String object) {
        int metadata = object.indexOf(METADATA);
        return object.indexOf(VERSION, metadata) + VERSION.length();
    }

    /**
     * The bookmark event at {@code resourceVersion}.
     *
     * @param endsInitialEvents whether it carries the annotation that ends the initial events
     */
    public Line line(long resourceVersion, boolean endsInitialEvents) {
        return new Line(EventType.BOOKMARK, endsInitialEvents ? marked : plain, resourceVersion, 0);
    }
}
