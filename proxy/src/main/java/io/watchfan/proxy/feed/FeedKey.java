package io.watchfan.proxy.feed;

import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.util.Locale;

/**
 * What a feed feeds.
 *
 * @param gvr the resource
 * @param namespace the only namespace; null for all
 * @param encoding what its objects are in
 */
public record FeedKey(GroupVersionResource gvr, String namespace, ObjectEncoding encoding) {
    /** The path of the collection at the API server. */
    public String path() {
        return gvr.collectionPath(namespace);
    }

    @Override
    public String toString() {
        return gvr.groupResource()
                + (namespace == null ? "" : "@" + namespace)
                + (encoding == ObjectEncoding.JSON ? "" : ":" + encoding.name().toLowerCase(Locale.ROOT));
    }
}
