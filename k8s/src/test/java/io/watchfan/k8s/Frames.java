package io.watchfan.k8s;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The events of a watch's body, as bytes that are held as Latin-1 text, so that no two that differ look the same: lines of
 * JSON, or protobuf messages with their length before them.
 */
final class Frames {
    private static final int PREFIX_BYTES = 4;
    private static final int TYPE_WITHIN = 24;
    private static final Pattern VERSION = Pattern.compile("\"resourceVersion\":\"\\d+\"");

    private Frames() {}

    /** All that are complete. */
    static List<String> of(String contentType, byte[] body) {
        return contentType.contains("protobuf") ? messages(body) : lines(body);
    }

    private static List<String> lines(byte[] body) {
        List<String> lines = new ArrayList<>();
        int start = 0;
        for (int at = 0; at < body.length; at++) {
            if (body[at] == '\n') {
                lines.add(new String(body, start, at - start, StandardCharsets.ISO_8859_1));
                start = at + 1;
            }
        }
        return lines;
    }

    private static List<String> messages(byte[] body) {
        List<String> messages = new ArrayList<>();
        int at = 0;
        while (body.length - at >= PREFIX_BYTES) {
            int length = (body[at] & 0xff) << 24
                    | (body[at + 1] & 0xff) << 16
                    | (body[at + 2] & 0xff) << 8
                    | (body[at + 3] & 0xff);
            if (length < 0 || length > body.length - at - PREFIX_BYTES) {
                break;
            }
            messages.add(new String(body, at + PREFIX_BYTES, length, StandardCharsets.ISO_8859_1));
            at += PREFIX_BYTES + length;
        }
        return messages;
    }

    /** Without the bookmarks that come when they are due, and without the version of the one that ends the initial events. */
    static List<String> comparable(List<String> frames) {
        List<String> comparable = new ArrayList<>();
        for (String frame : frames) {
            if (!is("BOOKMARK", frame)) {
                comparable.add(frame);
            } else if (endsInitialEvents(frame)) {
                comparable.add(
                        frame.startsWith("{")
                                ? VERSION.matcher(frame).replaceFirst("\"resourceVersion\":\"N\"")
                                : "BOOKMARK initial-events-end");
            }
        }
        return comparable;
    }

    static boolean endsInitialEvents(String frame) {
        return is("BOOKMARK", frame) && frame.contains("k8s.io/initial-events-end");
    }

    /** Whether an event is of this type. */
    static boolean is(String type, String frame) {
        return frame.substring(0, Math.min(TYPE_WITHIN, frame.length())).contains(type);
    }
}
