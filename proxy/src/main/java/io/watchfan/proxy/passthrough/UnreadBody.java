package io.watchfan.proxy.passthrough;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;

/** What to do with the rest of a request's body when the answer does not wait for it. */
final class UnreadBody {
    /** A client that still sends gets so long to notice the answer. */
    static final long LINGER_MILLIS = 5000;

    private UnreadBody() {}

    /** Reads what is left, and forgets it. */
    static void discard(HttpServerRequest request) {
        if (!request.isEnded()) {
            request.handler(chunk -> {});
            request.resume();
        }
    }

    /**
     * Closes the connection once the body has been read or {@value #LINGER_MILLIS} ms have passed: closed at once, it would
     * be reset by what still comes, and the answer might be lost. Somebody must be reading the body.
     */
    static void closeConnectionAfter(HttpServerRequest request) {
        if (request.isEnded()) {
            request.connection().close();
            return;
        }
        Context context = Vertx.currentContext();
        long timer = context.owner()
                .setTimer(LINGER_MILLIS, id -> request.connection().close());
        request.endHandler(v -> {
            context.owner().cancelTimer(timer);
            request.connection().close();
        });
    }
}
