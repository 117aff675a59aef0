package io.watchfan.proxy.watch;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
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
 * @param mayHaveMore whether something may follow the head
 */
record ServedRequest(
        HttpServerRequest http,
        RequestInfo info,
        MediaTypes accept,
        MediaTypes.Choice choice,
        ListOptions options,
        StatusBody refusal,
        long arrivedNanos,
        boolean mayHaveMore) {

    /** A request that comes just now. */
    static ServedRequest of(
            HttpServerRequest http,
            RequestInfo info,
            MediaTypes accept,
            MediaTypes.Choice choice,
            ListOptions options,
            StatusBody refusal) {
        boolean mayHaveMore = http.version() == HttpVersion.HTTP_2
                || http.headers().contains(HttpHeaders.CONTENT_LENGTH)
                || http.headers().contains(HttpHeaders.TRANSFER_ENCODING)
                || http.headers().contains(HttpHeaders.UPGRADE);
        return new ServedRequest(http, info, accept, choice, options, refusal, System.nanoTime(), mayHaveMore);
    }

    /**
     * Has what follows the head wait until it is known who takes it. Where nothing can follow there is nothing to wait, and
     * nothing is set up for it: that would be held as long as a watch lasts.
     */
    void hold() {
        if (mayHaveMore) {
            http.pause();
        }
    }

    /** What was held is discarded: the request is answered here. */
    void letGo() {
        if (mayHaveMore) {
            http.resume();
        }
    }

    /** The same, to be answered otherwise. */
    ServedRequest with(MediaTypes.Choice other) {
        return new ServedRequest(http, info, accept, other, options, refusal, arrivedNanos, mayHaveMore);
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
