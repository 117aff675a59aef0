package io.watchfan.proxy.watch;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.proxy.stream.Frame;

/**
 * What a watch that is not in step gets at a time: some lines, framed. It may serve others of the same scope and format that
 * come to the same place.
 */
interface Portion {
    /** The lines; without a unit where none of what was looked at is in the scope. */
    Frame frame();

    /**
     * Some objects of a state; one unit.
     *
     * @param through the last object looked at; null when there was none
     * @param isLast whether no object follows
     */
    record OfState(Frame frame, ObjectKey through, boolean isLast) implements Portion {}

    /**
     * Some events of the log.
     *
     * @param next the sequence of the event that follows
     * @param leastKnownAt only for who knows of nothing from this version on
     * @param leastShown only for who has been shown no later version than this
     */
    record OfLog(Frame frame, long next, long leastKnownAt, long leastShown) implements Portion {
        boolean isFor(WatchConnection connection) {
            return connection.knownVersion < leastKnownAt && connection.shown <= leastShown;
        }
    }
}
