package io.watchfan.proxy.feed;

/** One event loop that serves from a feed. Called on the feed's thread; must not block, and hops to its own thread. */
public interface FeedListener {
    /** There is something new: a position, an epoch, or the feed's end. */
    void onFeedChanged();
}
