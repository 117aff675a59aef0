package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** An open watch, and all the lines that have come of it, as they came. */
final class Watching extends OpenBody<Watching> {
    /** Nothing here takes longer, unless something is broken. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private final List<String> lines = new ArrayList<>();

    @Override
    void keep(byte[] bytes) {
        for (byte next : bytes) {
            if (next == '\n') {
                lines.add(begun.toString(StandardCharsets.UTF_8));
                begun.reset();
            } else {
                begun.write(next);
            }
        }
    }

    @Override
    Throwable faultOfEnd() {
        return begun.size() == 0 ? null : new AssertionError("ended within a line: " + begun);
    }

    /** All lines so far. */
    synchronized List<String> lines() {
        return List.copyOf(lines);
    }

    /** All events so far but bookmarks. */
    List<Event> events() {
        List<Event> events = new ArrayList<>();
        for (String line : lines()) {
            JsonNode event = Json.read(line);
            String type = event.path("type").asText();
            if (!type.equals("BOOKMARK")) {
                JsonNode object = event.path("object");
                events.add(new Event(type, object.path("metadata").path("name").asText(), Json.version(object)));
            }
        }
        return events;
    }

    /** All bookmarks so far. */
    List<String> bookmarks() {
        return lines().stream()
                .filter(line -> line.startsWith("{\"type\":\"BOOKMARK\""))
                .toList();
    }

    /** What a client that does as it is told holds now: version by key. */
    Map<String, Long> state(Map<String, Long> before) {
        Map<String, Long> state = new TreeMap<>(before);
        for (String line : lines()) {
            JsonNode event = Json.read(line);
            JsonNode object = event.path("object");
            switch (event.path("type").asText()) {
                case "ADDED" ->
                    assertThat(state.put(Json.key(object), Json.version(object)))
                            .as("what was known of an object when told ADDED: %s", line)
                            .isNull();
                case "MODIFIED" ->
                    assertThat(state.put(Json.key(object), Json.version(object)))
                            .as("what was known of an object when told MODIFIED: %s", line)
                            .isNotNull();
                case "DELETED" ->
                    assertThat(state.remove(Json.key(object)))
                            .as("what was known of an object when told DELETED: %s", line)
                            .isNotNull();
                case "BOOKMARK" -> {}
                default -> throw new AssertionError(line);
            }
        }
        return state;
    }

    /** Waits until the lines are as wanted. */
    Watching until(String wanted, Predicate<List<String>> condition) throws InterruptedException {
        await(PATIENCE, () -> isOver() || condition.test(lines));
        List<String> got = lines();
        if (!condition.test(got)) {
            throw new AssertionError((isOver() ? "the watch ended" : "nothing came") + " before: " + wanted + "; got "
                    + got.size() + " lines, at last " + got.subList(Math.max(0, got.size() - 5), got.size()));
        }
        return this;
    }

    /** Waits until there are so many events. */
    Watching untilEvents(int count) throws InterruptedException {
        return until(
                count + " events",
                all -> all.stream()
                                .filter(line -> !line.startsWith("{\"type\":\"BOOKMARK\""))
                                .count()
                        >= count);
    }

    /** Waits until there is a line with this in it. */
    Watching untilLine(String part) throws InterruptedException {
        return until(part, all -> all.stream().anyMatch(line -> line.contains(part)));
    }

    /** Waits for the clean end of the stream. */
    Watching untilEnd() throws InterruptedException {
        if (!awaitEnd(PATIENCE)) {
            throw new AssertionError("the watch is still open");
        }
        if (trouble() != null) {
            throw new AssertionError(
                    "the watch did not end cleanly, having had " + lines().size() + " lines", trouble());
        }
        return this;
    }

    /** Whether the server has not ended it. */
    boolean isOpen() {
        return !isOver();
    }
}
