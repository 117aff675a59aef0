package io.watchfan.proxy.feed;

import io.watchfan.proxy.request.GroupVersionResource;

/**
 * What a feed feeds.
 *
 * @param gvr the resource
 * @param namespace the only namespace; null for all
 */
public record FeedKey(GroupVersionResource gvr, String namespace) {
    /** The path of the collection at the API server. */
    public String path() {
        return gvr.collectionPath(namespace);
    }

    @Override
    public String toString() {
        return gvr.groupResource() + (namespace == null ? "" : "@" + namespace);
    }
}
