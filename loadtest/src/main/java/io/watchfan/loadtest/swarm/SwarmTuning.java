package io.watchfan.loadtest.swarm;

/**
 * How a swarm goes about its connections. Immutable.
 *
 * @param eventLoops how many threads it has; at least 1
 * @param connectingAtOnce how many watchers of a thread may be connecting at a time; at least 1
 * @param leastWatchSeconds the least {@code timeoutSeconds} of a watch; the most is twice that
 * @param http2Connections 0 for HTTP/1.1 with a connection per watcher; else how many connections the watchers share as
 *     HTTP/2 streams, by prior knowledge
 */
public record SwarmTuning(int eventLoops, int connectingAtOnce, int leastWatchSeconds, int http2Connections) {
    private static final int DEFAULT_CONNECTING = 64;
    private static final int DEFAULT_WATCH_SECONDS = 300;

    public SwarmTuning {
        if (eventLoops < 1 || connectingAtOnce < 1 || leastWatchSeconds < 1 || http2Connections < 0) {
            throw new IllegalArgumentException("not above 0: " + eventLoops + ", " + connectingAtOnce + ", "
                    + leastWatchSeconds + ", " + http2Connections);
        }
    }

    /** What most runs want. */
    public static SwarmTuning ofLoops(int eventLoops) {
        return new SwarmTuning(eventLoops, DEFAULT_CONNECTING, DEFAULT_WATCH_SECONDS, 0);
    }
}
