package io.watchfan.proxy.passthrough;

import io.vertx.core.MultiMap;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.upstream.UpstreamClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request on its way to the API server, and what all of them have in common: that they end exactly once, by
 * {@link #finish}, and what is said to the client when it does not go well. Everything happens on the request's event loop.
 */
abstract class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
    private static final int RETRY_AFTER_SECONDS = 1;
    private static final int NOT_MODIFIED = 304;

    final UpstreamClient client;
    final HttpServerRequest request;
    final HttpServerResponse response;
    private final Runnable onFinished;
    private boolean ownCredential;
    private boolean finished;

    Exchange(UpstreamClient client, HttpServerRequest request, Runnable onFinished) {
        this.client = client;
        this.request = request;
        this.response = request.response();
        this.onFinished = onFinished;
    }

    /** Sends it. */
    abstract void send(RequestOptions head);

    /** Takes back what was asked, and with it the connection if the exchange upstream is not over. */
    abstract void resetUpstream();

    final void start(RequestOptions head) {
        ownCredential = !head.getHeaders().contains(HttpHeaders.AUTHORIZATION);
        response.exceptionHandler(e -> clientGone());
        response.closeHandler(v -> clientGone());
        send(head);
    }

    /** There is no connection to send it on. */
    final void unreachable(Throwable cause) {
        if (finish()) {
            LOG.debug("passthrough: no connection for {} {}: {}", request.method(), request.uri(), cause.toString());
            String message = cause instanceof ConnectionPoolTooBusyException
                    ? "too many requests are being passed through to the API server"
                    : "the API server at " + client.target() + " cannot be reached: " + oneLine(cause);
            StatusAnswer.send(request, StatusBody.serviceUnavailable(message, RETRY_AFTER_SECONDS));
        }
    }

    /** It was sent, at least in part, and no answer will come. */
    final void unanswered(Throwable cause) {
        if (finish()) {
            LOG.debug("passthrough: no answer to {} {}: {}", request.method(), request.uri(), cause.toString());
            resetUpstream();
            answerBroken("the API server did not answer: " + oneLine(cause));
        }
    }

    /** Something went wrong with the answer after it began to come. */
    final void abort(Throwable cause) {
        if (finish()) {
            LOG.debug("passthrough: answer to {} {} broke off: {}", request.method(), request.uri(), cause.toString());
            resetUpstream();
            if (response.headWritten()) {
                response.reset();
            } else {
                answerBroken("the answer of the API server cannot be forwarded: " + oneLine(cause));
            }
        }
    }

    /** Tells the client, whose request may have arrived upstream. Repeating it is proposed only if that does no harm. */
    private void answerBroken(String message) {
        int retryAfter = ForwardedRequest.isReading(request) ? RETRY_AFTER_SECONDS : 0;
        StatusAnswer.send(request, StatusBody.serviceUnavailable(message, retryAfter));
    }

    private void clientGone() {
        if (finish()) {
            resetUpstream();
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

    /**
     * Puts status line and end-to-end headers of the answer into the response.
     *
     * @throws IllegalArgumentException if there is something in them that HTTP does not allow
     */
    final void copyHead(int code, String message, MultiMap headers) {
        if (code == 401 && ownCredential) {
            client.reload();
        }
        response.setStatusCode(code);
        // With a message of its own, 304 is no longer known as that to the server, and gets a content-length.
        if (!message.equals(response.getStatusMessage()) && code != NOT_MODIFIED) {
            response.setStatusMessage(message);
        }
        HopByHopHeaders.copyEndToEnd(headers, response.headers());
    }

    private static String oneLine(Throwable cause) {
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return message.replaceAll("\\s+", " ").strip();
    }
}
