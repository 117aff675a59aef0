package io.watchfan.loadtest.apiserver;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** What goes wrong with single requests and streams while a fault lasts. Confined to the server's event loop. */
final class RequestFaults {
    private static final List<Supplier<ApiException>> ERRORS = List.of(
            () -> ApiException.unavailable(500, "InternalError", 0),
            () -> ApiException.unavailable(503, "ServiceUnavailable", 0),
            () -> ApiException.unavailable(503, "ServiceUnavailable", 1),
            () -> ApiException.unavailable(429, "TooManyRequests", 0),
            () -> ApiException.unavailable(429, "TooManyRequests", 1));

    private static final String HALF = "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
            + "\"metadata\":{\"name\":\"half-of";

    /** What is sent in the middle of a watch, and how the stream goes on. */
    private static final List<Garbage> LINES = List.of(
            new Garbage("{\"type\":\"ADDED\",\"object\":{\"kind\":\n", After.GO_ON),
            new Garbage("{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}}\n", After.GO_ON),
            new Garbage("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"bare\"}}\n", After.GO_ON),
            new Garbage("[1,2,3]\n", After.GO_ON),
            new Garbage("\0\1\2\ufffd\n", After.GO_ON),
            new Garbage(HALF, After.CUT),
            new Garbage(HALF, After.END));

    /** What is answered instead of a list, or of a watch. */
    private static final List<Garbage> BODIES = List.of(
            new Garbage("<html><body>Please log in</body></html>\n", After.END),
            new Garbage("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7", After.END),
            new Garbage("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7", After.CUT),
            new Garbage("[]\n", After.END),
            new Garbage("null\n", After.END));

    /** What becomes of the stream after garbage. */
    enum After {
        /** It goes on as if nothing had been. */
        GO_ON,
        /** The connection is closed. */
        CUT,
        /** It ends properly. */
        END
    }

    /** Something that is no event and no list. */
    record Garbage(String text, After after) {
        byte[] bytes() {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }

    private final SplittableRandom random;
    private int failing;
    private int garbling;

    RequestFaults(long seed) {
        random = new SplittableRandom(seed);
    }

    /** One more reason to fail; faults may overlap. */
    void beginErrors() {
        failing++;
    }

    void endErrors() {
        failing--;
    }

    void beginGarbage() {
        garbling++;
    }

    void endGarbage() {
        garbling--;
    }

    /** Throws while requests are to fail. */
    void check() {
        if (failing > 0) {
            throw ERRORS.get(random.nextInt(ERRORS.size())).get();
        }
    }

    /** What to answer instead of a list or a watch; null for nothing. */
    Garbage body() {
        return garbling > 0 ? BODIES.get(random.nextInt(BODIES.size())) : null;
    }

    /** What to send in the middle of a watch. */
    Garbage line() {
        return LINES.get(random.nextInt(LINES.size()));
    }
}
