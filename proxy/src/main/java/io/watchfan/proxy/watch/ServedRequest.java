package io.watchfan.proxy.watch;

import io.vertx.core.http.HttpServerRequest;
import io.watchfan.proxy.feed.ResourceFeed;
import io.watchfan.proxy.representation.Representation;
import io.watchfan.proxy.request.ListOptions;
import io.watchfan.proxy.request.MediaTypes;
import io.watchfan.proxy.request.RequestInfo;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.upstream.ObjectEncoding;

/**
 * A request that may be answered from a feed.
 *
 * @param http the request itself; its response has not been begun
 * @param info what its path says
 * @param accept what its header says of how it is to be answered
 * @param choice what of that it is going to be
 * @param options what its query says, with the API server's defaults put in; null when it cannot be read
 * @param refusal what is to be said of a query that cannot be read; null when it can
 * @param arrivedNanos when it came
 */
record ServedRequest(
        HttpServerRequest http,
        RequestInfo info,
        MediaTypes accept,
        MediaTypes.Choice choice,
        ListOptions options,
        StatusBody refusal,
        long arrivedNanos) {
    /** The same, to be answered otherwise. */
    ServedRequest with(MediaTypes.Choice other) {
        return new ServedRequest(http, info, accept, other, options, refusal, arrivedNanos);
    }

    /** Whether it asks for a list. */
    boolean isList() {
        return info.kind() == RequestInfo.Kind.COLLECTION && options != null && !options.isWatch();
    }

    /** What the objects that it is answered from are to be in. */
    ObjectEncoding encoding() {
        return !choice.isProtobuf()
                ? ObjectEncoding.JSON
                : info.gvr().isBuiltIn() ? ObjectEncoding.PROTOBUF : ObjectEncoding.PROTOBUF_METADATA;
    }

    /** How the objects of {@code feed} are written for it. */
    Representation representation(ResourceFeed feed) {
        return feed.representations().of(choice);
    }

    /** Whether the client has gone away meanwhile. */
    boolean isGone() {
        return http.response().closed() || http.response().ended();
    }
}
