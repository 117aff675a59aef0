package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** An open watch, and all the lines that have come of it, as they came. */
final class Watching implements HttpResponse.BodySubscriber<Watching>, AutoCloseable {
    /** Nothing here takes longer, unless something is broken. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private final List<String> lines = new ArrayList<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private Flow.Subscription subscription;
    private boolean closed;

    @Override
    public CompletionStage<Watching> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription opened) {
        subscription = opened;
        if (closed) {
            opened.cancel();
        } else {
            opened.request(Long.MAX_VALUE);
        }
    }

    @Override
    public synchronized void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            while (buffer.hasRemaining()) {
                byte next = buffer.get();
                if (next == '\n') {
                    lines.add(begun.toString(StandardCharsets.UTF_8));
                    begun.reset();
                } else {
                    begun.write(next);
                }
            }
        }
        notifyAll();
    }

    @Override
    public synchronized void onError(Throwable cause) {
        end.completeExceptionally(cause);
        notifyAll();
    }

    @Override
    public synchronized void onComplete() {
        if (begun.size() == 0) {
            end.complete(null);
        } else {
            end.completeExceptionally(new AssertionError("ended within a line: " + begun));
        }
        notifyAll();
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
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        synchronized (this) {
            while (!condition.test(lines)) {
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (end.isDone() || millis <= 0) {
                    throw new AssertionError((end.isDone() ? "the watch ended" : "nothing came") + " before: " + wanted
                            + "; got " + lines.size() + " lines, at last "
                            + lines.subList(Math.max(0, lines.size() - 5), lines.size()));
                }
                wait(millis);
            }
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
        try {
            end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("the watch is still open", e);
        } catch (ExecutionException e) {
            throw new AssertionError("the watch did not end cleanly, having had " + lines().size() + " lines", e);
        }
        return this;
    }

    /** Whether the server has not ended it. */
    boolean isOpen() {
        return !end.isDone();
    }

    /** Cuts the connection. */
    @Override
    public synchronized void close() {
        closed = true;
        if (subscription != null) {
            subscription.cancel();
        }
    }
}
