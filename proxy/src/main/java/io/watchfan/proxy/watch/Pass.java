package io.watchfan.proxy.watch;

import io.watchfan.fanout.group.FilterGroup;
import io.watchfan.proxy.stream.Frame;
import io.watchfan.proxy.stream.ResponseStream;
import java.util.List;

/**
 * One frame on its way to the watches of a group, in slices. Whoever leaves the group meanwhile leaves an empty place in its
 * list, which is closed when the pass is through. Confined to its event loop.
 */
final class Pass {
    private final LoopDispatcher loop;
    private final FeedDispatcher dispatcher;
    private FilterGroup<WatchConnection> group;
    private Frame frame;
    private int next;
    private boolean leftPlaces;
    private long sentLines;
    private long sentBytes;

    Pass(LoopDispatcher loop, FeedDispatcher dispatcher) {
        this.loop = loop;
        this.dispatcher = dispatcher;
    }

    boolean isOpen() {
        return group != null;
    }

    /** Whether it is on its way to {@code which}. */
    boolean isOn(FilterGroup<WatchConnection> which) {
        return group == which;
    }

    /** Frames what is pending for {@code which}. */
    void open(FilterGroup<WatchConnection> which) {
        group = which;
        leftPlaces = false;
        next = 0;
        sentLines = 0;
        sentBytes = 0;
        if (which.watchers().isEmpty()) {
            return;
        }
        frame = loop.frames().frame(which.watchers().get(0).format, which.pending());
    }

    /** Takes a watch out of the group that it is on its way to: its place in the list stays, empty, until it is through. */
    void takeOut(WatchConnection connection) {
        group.watchers().set(connection.groupIndex, null);
        leftPlaces = true;
    }

    /** Goes on until {@code untilNanos}; whether it is through. */
    boolean run(long untilNanos) {
        List<WatchConnection> watchers = group.watchers();
        while (next < watchers.size()) {
            WatchConnection connection = watchers.get(next++);
            if (connection != null) {
                deliver(connection);
                if (!isOpen()) {
                    // It was the feed's last watch, and has gone.
                    return true;
                }
            }
            if (next % 16 == 0 && System.nanoTime() >= untilNanos) {
                return false;
            }
        }
        close();
        return true;
    }

    private void deliver(WatchConnection connection) {
        ResponseStream stream = connection.stream;
        int unit = 0;
        while (unit < frame.units() && stream.isWritable()) {
            unit = stream.write(frame, unit);
            if (connection.isEnded()) {
                return;
            }
        }
        if (unit == 0) {
            // Closed, and its end not heard of yet.
            dispatcher.fallBehind(connection, dispatcher.batchFrom());
            return;
        }
        sentLines += frame.linesOf(unit);
        sentBytes += frame.bytesOf(unit);
        connection.shown = frame.version(unit - 1);
        if (unit < frame.units()) {
            dispatcher.fallBehind(connection, frame.sequence(unit - 1) + 1);
        } else if (!stream.isWritable()) {
            dispatcher.fallBehind(connection, dispatcher.cursor().next());
        }
    }

    void close() {
        FilterGroup<WatchConnection> done = group;
        group = null;
        if (frame != null) {
            dispatcher.delivered(sentLines, sentBytes);
            frame.release();
            frame = null;
        }
        done.clear();
        if (leftPlaces) {
            closePlaces(done.watchers());
        }
        done.closeIfEmpty();
    }

    private void closePlaces(List<WatchConnection> watchers) {
        int kept = 0;
        for (WatchConnection connection : watchers) {
            if (connection != null) {
                connection.groupIndex = kept;
                watchers.set(kept++, connection);
            }
        }
        watchers.subList(kept, watchers.size()).clear();
    }
}
