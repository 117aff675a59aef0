package io.watchfan.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/**
 * One line of a watch.
 *
 * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK} or {@code ERROR}
 * @param key {@code namespace/name}; empty for what has none
 * @param uid the object's; empty for what has none
 * @param version the object's; -1 for what has none
 * @param endsInitialEvents whether it is the bookmark that does
 */
record WatchLine(String type, String key, String uid, long version, boolean endsInitialEvents) {
    static WatchLine of(String line) {
        JsonNode event = Json.read(line);
        JsonNode object = event.path("object");
        return new WatchLine(
                event.path("type").asText(),
                Json.key(object),
                object.at("/metadata/uid").asText(),
                Json.version(object),
                !object.at("/metadata/annotations")
                        .path("k8s.io/initial-events-end")
                        .isMissingNode());
    }

    static List<WatchLine> all(List<String> lines) {
        List<WatchLine> all = new ArrayList<>(lines.size());
        lines.forEach(line -> all.add(of(line)));
        return all;
    }

    boolean isBookmark() {
        return type.equals("BOOKMARK");
    }

    boolean isDeletion() {
        return type.equals("DELETED");
    }

    @Override
    public String toString() {
        return type + (endsInitialEvents ? " (end of the initial events)" : "") + (key.isEmpty() ? "" : " " + key) + "@"
                + version;
    }
}
