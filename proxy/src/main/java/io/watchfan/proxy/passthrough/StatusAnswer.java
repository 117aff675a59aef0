package io.watchfan.proxy.passthrough;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.watchfan.proxy.request.StatusBody;

/** Answers with a Status instead of forwarding. */
final class StatusAnswer {
    /** So much of a body is read for the sake of the connection; after a longer one the connection is closed. */
    private static final int MOST_BYTES_DISCARDED = 256 * 1024;

    private StatusAnswer() {}

    /** Answers the request, whose body was not read. */
    static void send(HttpServerRequest request, StatusBody status) {
        HttpServerResponse response = request.response();
        if (response.closed() || response.ended()) {
            return;
        }
        response.headers().clear();
        response.setChunked(false)
                .setStatusCode(status.code())
                .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache, private");
        if (status.retryAfterSeconds() > 0) {
            response.putHeader(HttpHeaders.RETRY_AFTER, Integer.toString(status.retryAfterSeconds()));
        }
        boolean closing = request.version() != HttpVersion.HTTP_2 && leavesBody(request);
        if (closing) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        response.end(Buffer.buffer(status.compact()));
        UnreadBody.discard(request);
        if (closing) {
            UnreadBody.closeConnectionAfter(request);
        }
    }

    private static boolean leavesBody(HttpServerRequest request) {
        return switch (ForwardedRequest.body(request)) {
            case NONE -> false;
            case CHUNKED -> true;
            case LENGTH -> ForwardedRequest.expectsContinue(request) || length(request) > MOST_BYTES_DISCARDED;
        };
    }

    private static long length(HttpServerRequest request) {
        try {
            return Long.parseLong(request.getHeader(HttpHeaders.CONTENT_LENGTH).strip());
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }
}
