package io.watchfan.loadtest.swarm;

/**
 * What a swarm has counted so far. Immutable.
 *
 * @param watchers how many watchers there are
 * @param streaming how many have a stream now
 * @param events changes received
 * @param initialEvents objects received as initial events
 * @param bookmarks bookmarks received
 * @param bytes bytes received
 * @param reads times that bytes were received
 * @param streams streams opened
 * @param endedClean streams that the server ended properly
 * @param endedCut streams that were cut
 * @param expired times a watcher was told 410
 * @param errors times the server answered with another error
 * @param connectFailures times there was no connection
 * @param left streams that the swarm itself gave up to reconnect
 */
public record SwarmStats(
        int watchers,
        long streaming,
        long events,
        long initialEvents,
        long bookmarks,
        long bytes,
        long reads,
        long streams,
        long endedClean,
        long endedCut,
        long expired,
        long errors,
        long connectFailures,
        long left) {

    /** Streams that did not end by the swarm's own will. */
    public long ended() {
        return endedClean + endedCut + expired + errors;
    }
}
