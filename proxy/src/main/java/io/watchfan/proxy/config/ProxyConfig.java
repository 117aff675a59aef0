package io.watchfan.proxy.config;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Everything the operator decides, validated. The defaults are those of the flags, see {@link ProxyOptions}; in tests
 * {@link ConfigLoader#parse} makes one out of flags.
 *
 * @param upstream where the API server is
 * @param listen where clients connect
 * @param admin where health, metrics and the status page are
 * @param auth how callers are told apart
 * @param allowedHosts the values accepted in the Host header
 * @param feeds feeds to start at once
 * @param noCache resources never answered from the cache
 * @param readOnly whether everything that could change the cluster is refused
 * @param scope how wide feeds are
 * @param memoryBytes once the state and windows of all feeds take so much, no more feeds are opened
 * @param maxFeeds most feeds at a time
 * @param window the bounds of each feed's window
 * @param bookmarkInterval between two bookmarks of a watch that asked for them
 * @param upstreamTimeout silence after which an upstream watch is replaced
 * @param writeTimeout a client that takes nothing for so long is cut
 * @param requestTimeout a client that has not taken a list whole after so long is cut
 * @param feedIdle a feed without watchers and readers for so long is closed
 * @param drainGrace over so long the streams end when the process is told to stop; may be zero
 */
public record ProxyConfig(
        UpstreamConfig upstream,
        HostPort listen,
        HostPort admin,
        AuthMode auth,
        AllowedHosts allowedHosts,
        List<FeedSpec> feeds,
        Set<ResourceName> noCache,
        boolean readOnly,
        ScopeMode scope,
        long memoryBytes,
        int maxFeeds,
        WindowConfig window,
        Duration bookmarkInterval,
        Duration upstreamTimeout,
        Duration writeTimeout,
        Duration requestTimeout,
        Duration feedIdle,
        Duration drainGrace) {

    /** Copies the collections. */
    public ProxyConfig {
        feeds = List.copyOf(feeds);
        noCache = Set.copyOf(noCache);
    }

    /** Whether this resource may be answered from the cache. */
    public boolean mayCache(String resource, String group) {
        return !noCache.contains(new ResourceName(resource, group));
    }
}
