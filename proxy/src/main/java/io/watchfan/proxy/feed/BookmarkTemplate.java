package io.watchfan.proxy.feed;

import java.nio.charset.StandardCharsets;

/**
 * The form of a resource's bookmarks: that of the API server's own, with another version in it (W-100 to W-103). Immutable.
 */
public final class BookmarkTemplate {
    private static final String MARK = "\"k8s.io/initial-events-end\":\"true\"";
    /** What API servers up to 1.33 write for a zero time, before the annotations. */
    private static final String NO_TIME = ",\"creationTimestamp\":null";

    private static final String ANNOTATIONS = "\"annotations\":{";
    private static final String VERSION = "\"resourceVersion\":\"";

    private final byte[] plainHead;
    private final byte[] plainTail;
    private final byte[] markedHead;
    private final byte[] markedTail;

    private BookmarkTemplate(String plain, String marked) {
        int plainAt = afterVersionKey(plain);
        int markedAt = afterVersionKey(marked);
        plainHead = bytes("{\"type\":\"BOOKMARK\",\"object\":" + plain.substring(0, plainAt));
        plainTail = bytes(plain.substring(plain.indexOf('"', plainAt)) + "}\n");
        markedHead = bytes("{\"type\":\"BOOKMARK\",\"object\":" + marked.substring(0, markedAt));
        markedTail = bytes(marked.substring(marked.indexOf('"', markedAt)) + "}\n");
    }

    /** The least that clients need: kind, apiVersion and version (W-101). */
    public static BookmarkTemplate of(String kind, String apiVersion) {
        return like("{\"kind\":\"" + kind + "\",\"apiVersion\":\"" + apiVersion
                + "\",\"metadata\":{\"resourceVersion\":\"0\"}}");
    }

    /**
     * The form of this bookmark of the API server's.
     *
     * @param object the bookmark's object as compact JSON, of the plain kind or of the one that ends the initial events
     * @return the template, or null when the object is of no form that is known
     */
    public static BookmarkTemplate like(byte[] object) {
        String text = new String(object, StandardCharsets.UTF_8);
        int metadata = text.indexOf("\"metadata\":{");
        if (metadata < 0 || text.indexOf(VERSION, metadata) < 0 || text.indexOf('\n') >= 0) {
            return null;
        }
        return like(text);
    }

    private static BookmarkTemplate like(String object) {
        return object.contains(MARK)
                ? new BookmarkTemplate(withoutMark(object), object)
                : new BookmarkTemplate(object, withMark(object));
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
        int metadata = object.indexOf("\"metadata\":{") + "\"metadata\":{".length();
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
        int metadata = object.indexOf("\"metadata\":{");
        return object.indexOf(VERSION, metadata) + VERSION.length();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * One line of a stream: the bookmark event at {@code resourceVersion}, its line feed included.
     *
     * @param endsInitialEvents whether it carries the annotation that ends the initial events
     */
    public byte[] line(long resourceVersion, boolean endsInitialEvents) {
        byte[] digits = bytes(Long.toString(resourceVersion));
        byte[] head = endsInitialEvents ? markedHead : plainHead;
        byte[] tail = endsInitialEvents ? markedTail : plainTail;
        byte[] line = new byte[head.length + digits.length + tail.length];
        System.arraycopy(head, 0, line, 0, head.length);
        System.arraycopy(digits, 0, line, head.length, digits.length);
        System.arraycopy(tail, 0, line, head.length + digits.length, tail.length);
        return line;
    }
}
