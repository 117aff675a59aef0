package io.watchfan.proxy.feed;

import io.watchfan.fanout.log.LogLimits;
import java.time.Duration;

/**
 * The bounds of feeds.
 *
 * @param window of each feed
 * @param mostFeeds how many there may be; one more is not opened, and its requests are passed through
 * @param idle a feed that nobody has used for so long is closed
 * @param silence an upstream watch that has said nothing for so long is replaced
 */
public record FeedLimits(LogLimits window, int mostFeeds, Duration idle, Duration silence) {}
