package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.request.MediaTypes;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.upstream.ObjectEncoding;
import io.watchfan.proxy.upstream.UpstreamStatusException;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** The parts that all answers of our own have in common (W-083, W-084, W-291). */
public final class Answers {
    private static final String JSON = "application/json";

    private Answers() {}

    /** Sets status and the headers that every answer carries. */
    static HttpServerResponse head(HttpServerRequest request, int code) {
        String auditId = request.getHeader("Audit-ID");
        return request.response()
                .setStatusCode(code)
                .putHeader("Audit-Id", auditId == null || auditId.isEmpty() ? randomUuid() : auditId)
                .putHeader("Cache-Control", "no-cache, private")
                .putHeader("Content-Type", JSON);
    }

    /** As {@link #head}, with the warnings that the API server gives with {@code feed}'s resource. */
    static HttpServerResponse served(HttpServerRequest request, ResourceFeed feed, String contentType) {
        HttpServerResponse response = head(request, 200).putHeader("Content-Type", contentType);
        warn(response, feed);
        return response;
    }

    /** Whether a body may be compressed: one of the tokens is exactly this; what is weighed or wrapped is not (W-125). */
    static boolean acceptsGzip(HttpServerRequest request) {
        String accepted = request.getHeader("Accept-Encoding");
        if (accepted == null) {
            return false;
        }
        for (String token : accepted.split(",", -1)) {
            if (token.strip().equals("gzip")) {
                return true;
            }
        }
        return false;
    }

    /** Says that the body is compressed. */
    static void compressed(HttpServerResponse response) {
        response.putHeader("Content-Encoding", "gzip").putHeader("Vary", "Accept-Encoding");
    }

    /** Whatever is said of a resource, the API server says its warnings, too (W-086). */
    static void warn(HttpServerResponse response, ResourceFeed feed) {
        if (!feed.warnings().isEmpty()) {
            response.putHeader("Warning", feed.warnings());
        }
    }

    /** Answers with a Status, in what the request accepts for errors (W-117). */
    public static void status(HttpServerRequest request, StatusBody status, boolean pretty) {
        if (request.response().ended() || request.response().closed()) {
            return;
        }
        HttpServerResponse response = head(request, status.code());
        if (status.retryAfterSeconds() > 0) {
            response.putHeader("Retry-After", Integer.toString(status.retryAfterSeconds()));
        }
        MediaTypes.ErrorForm form =
                MediaTypes.parse(request.getHeader("Accept")).errorForm();
        if (form == MediaTypes.ErrorForm.PROTOBUF) {
            response.putHeader("Content-Type", ObjectEncoding.PROTOBUF_TYPE).end(Buffer.buffer(status.protobuf()));
        } else {
            response.end(Buffer.buffer(status.body(pretty || form == MediaTypes.ErrorForm.INDENTED_JSON)));
        }
    }

    /** Answers with what the API server answered to a request of ours that this one waited for. */
    static void relay(HttpServerRequest request, UpstreamStatusException refusal) {
        if (request.response().ended() || request.response().closed()) {
            return;
        }
        HttpServerResponse response = head(request, refusal.code());
        String type = refusal.headers().get("Content-Type");
        if (type != null) {
            response.putHeader("Content-Type", type);
        }
        String retryAfter = refusal.headers().get("Retry-After");
        if (retryAfter != null) {
            response.putHeader("Retry-After", retryAfter);
        } else if (refusal.code() == 429 || refusal.code() == 503) {
            response.putHeader("Retry-After", "1");
        }
        response.end(refusal.body());
    }

    /** An identifier for an audit log, of no cryptographic use. */
    private static String randomUuid() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long most = random.nextLong() & ~0xf000L | 0x4000L;
        long least = random.nextLong() >>> 2 | Long.MIN_VALUE;
        return new UUID(most, least).toString();
    }
}
