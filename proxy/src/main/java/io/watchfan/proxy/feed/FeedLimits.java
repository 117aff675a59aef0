package io.watchfan.proxy.feed;

import io.watchfan.fanout.log.LogLimits;
import java.time.Duration;

/**
 * The bounds of feeds.
 *
 * @param window of each feed
 * @param mostBytes once the state and windows of all feeds take so much, no more are opened
 * @param clusterWide whether feeds of the whole cluster may be opened
 * @param namespaced whether feeds of single namespaces may be opened
 * @param mostFeeds how many there may be; one more is not opened, and its requests are passed through
 * @param idle a feed that nobody has used for so long is closed
 * @param silence an upstream watch that has said nothing for so long is replaced
 */
public record FeedLimits(
        LogLimits window,
        long mostBytes,
        boolean clusterWide,
        boolean namespaced,
        int mostFeeds,
        Duration idle,
        Duration silence) {}
