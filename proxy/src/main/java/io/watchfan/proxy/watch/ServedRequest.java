package io.watchfan.proxy.watch;

import io.vertx.core.http.HttpServerRequest;
import io.watchfan.proxy.request.ListOptions;
import io.watchfan.proxy.request.RequestInfo;
import io.watchfan.proxy.request.StatusBody;

/**
 * A request that may be answered from a feed.
 *
 * @param http the request itself; its response has not been begun
 * @param info what its path says
 * @param options what its query says, with the API server's defaults put in; null when it cannot be read
 * @param refusal what is to be said of a query that cannot be read; null when it can
 * @param arrivedNanos when it came
 */
record ServedRequest(
        HttpServerRequest http, RequestInfo info, ListOptions options, StatusBody refusal, long arrivedNanos) {
    /** Whether the client has gone away meanwhile. */
    boolean isGone() {
        return http.response().closed() || http.response().ended();
    }
}
