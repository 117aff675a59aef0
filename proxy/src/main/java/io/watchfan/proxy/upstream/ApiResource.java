package io.watchfan.proxy.upstream;

import io.watchfan.proxy.request.GroupVersionResource;
import java.util.Set;

/**
 * What discovery says of a resource.
 *
 * @param gvr group, version and plural
 * @param kind the kind of its objects
 * @param namespaced whether they live in namespaces
 * @param verbs what may be done with it
 */
public record ApiResource(GroupVersionResource gvr, String kind, boolean namespaced, Set<String> verbs) {
    /** Whether it can be both listed and watched, without which there is nothing to be fed. */
    public boolean isWatchable() {
        return verbs.contains("list") && verbs.contains("watch");
    }
}
