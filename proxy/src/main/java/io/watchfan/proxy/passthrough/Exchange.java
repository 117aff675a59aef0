package io.watchfan.proxy.passthrough;

import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.upstream.UpstreamClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request on its way: from the head that goes upstream to the head that comes back. What follows is the subclasses'.
 *
 * <p>Everything happens on the request's event loop. Ends exactly once, by {@link #finish}, however it goes.
 */
abstract class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
    private static final int RETRY_AFTER_SECONDS = 1;

    final HttpServerRequest request;
    final HttpServerResponse response;
    private final UpstreamClient client;
    private final Runnable onFinished;
    private HttpClientRequest upstream;
    private boolean ownCredential;
    private boolean finished;

    Exchange(UpstreamClient client, HttpServerRequest request, Runnable onFinished) {
        this.client = client;
        this.request = request;
        this.response = request.response();
        this.onFinished = onFinished;
    }

    /** Sends the head, and what belongs with it. */
    abstract void send(HttpClientRequest to);

    /** Takes the head of the answer, and what follows. */
    abstract void receive(HttpClientResponse from);

    final void start(RequestOptions head) {
        ownCredential = !head.getHeaders().contains(HttpHeaders.AUTHORIZATION);
        response.exceptionHandler(e -> clientGone());
        response.closeHandler(v -> clientGone());
        client.request(head).onComplete(this::connected, this::unreachable);
    }

    private void connected(HttpClientRequest to) {
        if (finished) {
            to.reset();
            return;
        }
        upstream = to;
        to.exceptionHandler(e -> {});
        to.response().onComplete(this::answered, this::unanswered);
        send(to);
    }

    private void unreachable(Throwable cause) {
        if (finish()) {
            LOG.debug("passthrough: no connection for {} {}: {}", request.method(), request.uri(), cause.toString());
            String message = cause instanceof ConnectionPoolTooBusyException
                    ? "too many requests are being passed through to the API server"
                    : "the API server at " + client.target() + " cannot be reached: " + oneLine(cause);
            StatusAnswer.send(request, StatusBody.serviceUnavailable(message, RETRY_AFTER_SECONDS));
        }
    }

    private void unanswered(Throwable cause) {
        if (finish()) {
            LOG.debug("passthrough: no answer to {} {}: {}", request.method(), request.uri(), cause.toString());
            upstream.reset();
            answerBroken("the API server did not answer: " + oneLine(cause));
        }
    }

    /** Tells the client, whose request may have arrived upstream. Repeating it is proposed only if that does no harm. */
    private void answerBroken(String message) {
        int retryAfter = ForwardedRequest.isReading(request) ? RETRY_AFTER_SECONDS : 0;
        StatusAnswer.send(request, StatusBody.serviceUnavailable(message, retryAfter));
    }

    private void answered(HttpClientResponse from) {
        if (finished) {
            upstream.reset();
            return;
        }
        if (from.statusCode() == 401 && ownCredential) {
            client.reload();
        }
        try {
            receive(from);
        } catch (IllegalArgumentException | IllegalStateException e) {
            // A head that cannot be repeated: names or values that HTTP does not allow.
            LOG.warn(
                    "passthrough: answer to {} {} cannot be forwarded: {}",
                    request.method(),
                    request.uri(),
                    e.toString());
            abort(e);
        }
    }

    /** Something went wrong after the answer began to come. */
    final void abort(Throwable cause) {
        if (finish()) {
            upstream.reset();
            if (response.headWritten()) {
                response.reset();
            } else {
                answerBroken("the answer of the API server cannot be forwarded: " + oneLine(cause));
            }
        }
    }

    private void clientGone() {
        if (finish()) {
            resetUpstream();
        }
    }

    /** Takes back what was asked, and with it the connection if the exchange upstream is not over. */
    final void resetUpstream() {
        if (upstream != null) {
            upstream.reset();
        }
    }

    /** True the first time. From then on the exchange does nothing of its own accord. */
    final boolean finish() {
        if (finished) {
            return false;
        }
        finished = true;
        onFinished.run();
        return true;
    }

    final boolean isFinished() {
        return finished;
    }

    /** Status line and end-to-end headers of the answer. */
    final void copyHead(HttpClientResponse from) {
        response.setStatusCode(from.statusCode());
        // With a message of its own, 304 is no longer known as that to the server, and gets a content-length.
        if (!from.statusMessage().equals(response.getStatusMessage()) && from.statusCode() != 304) {
            response.setStatusMessage(from.statusMessage());
        }
        HopByHopHeaders.copyEndToEnd(from.headers(), response.headers());
    }

    private static String oneLine(Throwable cause) {
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return message.replaceAll("\\s+", " ").strip();
    }
}
