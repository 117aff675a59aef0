package io.watchfan.proxy.passthrough;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.watchfan.proxy.upstream.UpstreamClient;
import java.io.IOException;

/** A request with its answer. The answer may come, and end, before the body of the request has. */
final class MessageExchange extends Exchange {
    /** After so long without 100 the body is sent all the same, as Go's client does. */
    private static final long CONTINUE_MILLIS = 1000;

    private final Vertx vertx;
    private RequestOptions head;
    private HttpClientRequest upstream;
    private boolean sentAgain;
    private boolean uploading;
    private boolean uploadDone;
    private boolean discarding;
    private boolean closing;

    MessageExchange(Vertx vertx, UpstreamClient client, HttpServerRequest request, Runnable onFinished) {
        super(client, request, onFinished);
        this.vertx = vertx;
    }

    @Override
    void send(RequestOptions options) {
        head = options;
        client.request(head).onComplete(this::connected, this::unreachable);
    }

    private void connected(HttpClientRequest to) {
        if (isFinished()) {
            to.reset();
            return;
        }
        upstream = to;
        to.exceptionHandler(e -> {});
        to.response().onComplete(this::answered, this::notAnswered);
        ForwardedRequest.Body body = ForwardedRequest.body(request);
        if (body == ForwardedRequest.Body.NONE) {
            uploadDone = true;
            to.end();
            request.resume();
            return;
        }
        to.setChunked(body == ForwardedRequest.Body.CHUNKED);
        to.writeHead();
        if (ForwardedRequest.expectsContinue(request)) {
            to.continueHandler(v -> uploadAfterContinue(to));
            vertx.setTimer(CONTINUE_MILLIS, id -> uploadAfterContinue(to));
        } else {
            upload(to);
        }
    }

    /**
     * An API server may close a connection that was idle just as a request is sent on it. What only reads is sent once more
     * then, as Go's client does.
     */
    private void notAnswered(Throwable cause) {
        boolean gone = cause instanceof HttpClosedException || cause instanceof IOException;
        if (gone && !sentAgain && !isFinished() && ForwardedRequest.isReading(request) && isWithoutBody()) {
            sentAgain = true;
            client.request(head).onComplete(this::connected, this::unreachable);
        } else {
            unanswered(cause);
        }
    }

    private boolean isWithoutBody() {
        return ForwardedRequest.body(request) == ForwardedRequest.Body.NONE;
    }

    @Override
    void resetUpstream() {
        if (upstream != null) {
            upstream.reset();
        }
    }

    private void uploadAfterContinue(HttpClientRequest to) {
        if (!uploading && !isFinished() && !response.headWritten()) {
            response.writeContinue();
            upload(to);
        }
    }

    /** Its failure is told by the answer, or by the connection that is gone: here it only ends the reading. */
    private void upload(HttpClientRequest to) {
        uploading = true;
        request.pipe().endOnFailure(false).to(to).onComplete(v -> uploaded(), e -> uploadFailed());
    }

    private void uploaded() {
        uploadDone = true;
        if (closing) {
            request.connection().close();
        }
    }

    private void uploadFailed() {
        if (isFinished()) {
            resetUpstream();
        } else {
            discarding = true;
            UnreadBody.discard(request);
        }
    }

    private void answered(HttpClientResponse from) {
        if (isFinished()) {
            resetUpstream();
            return;
        }
        try {
            copyHead(from.statusCode(), from.statusMessage(), from.headers());
        } catch (IllegalArgumentException e) {
            abort(e);
            return;
        }
        forward(from);
    }

    private void forward(HttpClientResponse from) {
        if (!uploadDone && request.version() != HttpVersion.HTTP_2) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
        if (hasNoBody(from)) {
            from.end()
                    .onComplete(
                            v -> {
                                if (finish()) {
                                    response.end();
                                    closeAfterUpload();
                                }
                            },
                            this::abort);
            return;
        }
        boolean lengthKnown = from.headers().contains(HttpHeaders.CONTENT_LENGTH);
        if (request.version() == HttpVersion.HTTP_1_0) {
            // Its body ends with the connection where no length is told.
            response.write(Buffer.buffer());
        } else {
            response.setChunked(!lengthKnown);
            response.writeHead();
        }
        from.pipe()
                .endOnFailure(false)
                .to(response)
                .onComplete(
                        v -> {
                            if (finish()) {
                                closeAfterUpload();
                                if (request.version() == HttpVersion.HTTP_1_0 && !lengthKnown) {
                                    request.connection().close();
                                }
                            }
                        },
                        this::abort);
    }

    private boolean hasNoBody(HttpClientResponse from) {
        int code = from.statusCode();
        return request.method().equals(HttpMethod.HEAD) || code == 204 || code == 304;
    }

    /** The answer is complete. Where the request is not, the connection is of no more use. */
    private void closeAfterUpload() {
        if (uploadDone || request.version() == HttpVersion.HTTP_2) {
            return;
        }
        if (discarding) {
            UnreadBody.closeConnectionAfter(request);
        } else if (uploading) {
            // The API server may still be taking it; uploaded() sees to the rest.
            closing = true;
            vertx.setTimer(UnreadBody.LINGER_MILLIS, id -> request.connection().close());
        } else {
            resetUpstream();
            request.connection().close();
        }
    }
}
