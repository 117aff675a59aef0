package io.watchfan.loadtest.apiserver;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * One open watch: a position in the history of its resource, and before that the initial events that are still to be
 * sent. Nothing is queued for a client that does not read; one that falls out of the history is ended. Confined to the
 * server's event loop.
 */
final class WatchStream implements StreamedResponse {
    private final SimulatedCluster cluster;
    private final ResourceStore store;
    private final Selection selection;
    private final boolean bookmarks;
    private final long bookmarkIntervalNanos;
    private final long deadlineNanos;

    /** What is left of the initial events; null when there are none or they are done. */
    private List<StoredObject> initial;

    private int nextInitial;
    /** The version of the state that the initial events show, or that the watch started from. */
    private final long startVersion;
    /** Sequence of the next change to look at. */
    private long cursor;

    private long nextBookmarkNanos;
    private boolean bookmarkDue;
    private byte[] lastLine;
    private RequestListener.Stream listener = RequestListener.Stream.NONE;
    private boolean ended;
    private Runnable whenClosed = () -> {};

    /**
     * A watch that starts now.
     *
     * @param fromVersion where it starts; {@link ListOptions#UNSET} or 0 for the current version
     * @param deadlineNanos when it ends, in {@link System#nanoTime()} terms
     */
    WatchStream(
            SimulatedCluster cluster,
            ResourceStore store,
            Selection selection,
            ListOptions options,
            long bookmarkIntervalNanos,
            long nowNanos,
            long deadlineNanos) {
        this.cluster = cluster;
        this.store = store;
        this.selection = selection;
        this.bookmarks = options.bookmarks();
        this.bookmarkIntervalNanos = bookmarkIntervalNanos;
        this.deadlineNanos = deadlineNanos;
        if (options.sendInitialEvents() || options.resourceVersion() <= 0) {
            this.initial = options.sendInitialEvents() ? store.snapshot() : null;
            this.startVersion = cluster.version();
            this.cursor = store.nextSequence();
        } else {
            this.startVersion = options.resourceVersion();
            this.cursor = store.firstAfter(startVersion);
        }
        scheduleBookmark(nowNanos);
    }

    /** The version that the watch starts from. */
    long startVersion() {
        return startVersion;
    }

    ResourceType type() {
        return store.type();
    }

    private void scheduleBookmark(long nowNanos) {
        long beforeEnd = deadlineNanos - SimulatedCluster.BOOKMARK_BEFORE_END_NANOS;
        long periodic = nowNanos + bookmarkIntervalNanos;
        nextBookmarkNanos = periodic - beforeEnd < 0 || nowNanos - beforeEnd >= 0 ? periodic : beforeEnd;
    }

    /** Notes that a bookmark is due, if one is; it is sent by the next pump that finds nothing else to send. */
    boolean bookmarkBecomesDue(long nowNanos) {
        if (!bookmarks || nowNanos - nextBookmarkNanos < 0) {
            return false;
        }
        boolean beforeEnd = deadlineNanos - nowNanos > 0;
        scheduleBookmark(nowNanos);
        bookmarkDue = beforeEnd;
        return beforeEnd;
    }

    /** Says who hears of what is sent. */
    void heardBy(RequestListener.Stream heardBy) {
        listener = heardBy;
    }

    /** Something that is no event is about to be sent. */
    void onSpoiled() {
        listener.onLastWord();
    }

    /** Ends the stream cleanly after what is on its way; {@code error} is sent before, unless null. */
    void end(ApiException error) {
        ended = true;
        lastLine = error == null ? null : Change.line("ERROR", error.status());
    }

    @Override
    public boolean pump(StreamWriter writer) {
        if (cluster.isStalled() && !ended) {
            return false;
        }
        if (!ended && !pumpInitial(writer)) {
            return false;
        }
        while (!ended && cursor < store.nextSequence() && writer.hasRoom()) {
            pumpChange(writer);
        }
        if (!ended && bookmarkDue && cursor == store.nextSequence() && writer.hasRoom()) {
            bookmarkDue = false;
            if (cluster.version() > startVersion) {
                sendBookmark(writer, cluster.version(), false);
            }
        }
        if (ended && lastLine != null) {
            listener.onLastWord();
            append(writer, lastLine);
            lastLine = null;
        }
        return ended;
    }

    private boolean pumpInitial(StreamWriter writer) {
        if (initial == null) {
            return true;
        }
        while (nextInitial < initial.size() && writer.hasRoom()) {
            StoredObject object = initial.get(nextInitial++);
            if (selection.matches(object)) {
                append(writer, Change.line("ADDED", object.json()));
            }
        }
        if (nextInitial < initial.size()) {
            return false;
        }
        initial = null;
        if (bookmarks) {
            sendBookmark(writer, startVersion, true);
        }
        return true;
    }

    private void pumpChange(StreamWriter writer) {
        if (store.isEvicted(cursor)) {
            ended = true;
            return;
        }
        Change change = store.at(cursor++);
        // A watch may start from a version that is yet to come.
        byte[] line = change.version > startVersion ? change.lineFor(selection) : null;
        if (line != null) {
            listener.onSent(change.version, false);
            append(writer, line);
            cluster.countSent();
        }
    }

    private static void append(StreamWriter writer, byte[] line) {
        writer.append(line, 0, line.length);
    }

    private void sendBookmark(StreamWriter writer, long version, boolean endOfInitialEvents) {
        listener.onSent(version, endOfInitialEvents);
        append(writer, bookmark(version, endOfInitialEvents));
    }

    private byte[] bookmark(long version, boolean endOfInitialEvents) {
        String annotation = endOfInitialEvents ? "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "";
        String versioned = "\"resourceVersion\":\"" + version + "\"";
        String object;
        if (type().custom()) {
            object = "{\"apiVersion\":\"" + type().apiVersion() + "\",\"kind\":\"" + type().kind() + "\",\"metadata\":{"
                    + annotation + (annotation.isEmpty() ? "" : ",") + versioned + "}}";
        } else {
            object = "{\"kind\":\"" + type().kind() + "\",\"apiVersion\":\"" + type().apiVersion()
                    + "\",\"metadata\":{" + versioned + (annotation.isEmpty() ? "" : ",") + annotation + "}"
                    + zeroFields() + "}";
        }
        return Change.line("BOOKMARK", object.getBytes(StandardCharsets.UTF_8));
    }

    /** What a zero value of the type has beside its metadata. */
    private String zeroFields() {
        return switch (type().kind()) {
            case "Pod" -> ",\"spec\":{\"containers\":null},\"status\":{}";
            case "Namespace" -> ",\"spec\":{},\"status\":{}";
            case "Node" ->
                ",\"spec\":{},\"status\":{\"daemonEndpoints\":{\"kubeletEndpoint\":{\"Port\":0}},"
                        + "\"nodeInfo\":{\"machineID\":\"\",\"systemUUID\":\"\",\"bootID\":\"\",\"kernelVersion\":\"\","
                        + "\"osImage\":\"\",\"containerRuntimeVersion\":\"\",\"kubeletVersion\":\"\","
                        + "\"kubeProxyVersion\":\"\",\"operatingSystem\":\"\",\"architecture\":\"\"}}";
            default -> "";
        };
    }

    /** Says what to do when the stream is over. */
    void whenClosed(Runnable action) {
        whenClosed = action;
    }

    @Override
    public void onClosed() {
        ended = true;
        initial = null;
        listener.onClosed();
        whenClosed.run();
        cluster.closed(this);
    }
}
