package io.watchfan.proxy.upstream;

import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.log.FeedWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one resource's log and store equal to the API server's: lists, watches, resumes at the last version, lists again when
 * that has expired. The only writer of its {@link FeedWriter}.
 *
 * <pre>
 *   Stopped --start--> Listing --state known--> Watching --ended, cut--> Watching (at the last version)
 *                         ^  \                     |   \--refused, short--> Pausing --> Watching
 *                         |   \--refused--> Pausing|
 *                         +---- 410, stale, garbage+        any --stop--> Stopped
 * </pre>
 *
 * <p>A streaming list is tried first (its {@link WatchStream} goes on as the watch); a server that refuses it is listed in
 * pages ({@link PagedList}). What the API server answers decides what follows ({@link Troubles}): 410 is a gap, and listed;
 * 429, 5xx, a refused or cut or silent connection is asked again after a growing pause (or the one it asks for) while clients
 * stay; 401 has the credentials loaded again; 403 ends a feed without a state at once, and another after {@link
 * Troubles#FORBIDDEN_PATIENCE}; 404 and 405 end it at once.
 *
 * <p>Confined to its thread: every method and every callback runs there.
 */
public final class Reflector {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
    private static final long FIRST_PAUSE_MILLIS = 200;
    private static final long MOST_PAUSE_MILLIS = 10_000;
    /** After so long a silence among its initial events, an upstream is not going to mark their end. */
    private static final long INITIAL_EVENTS_MILLIS = 10_000;
    /** The time to live of a watch that is to send a bookmark soon. */
    private static final int HASTEN_SECONDS = 3;
    /** Between the beginnings of two such watches, at least: who sends its bookmarks at once is not asked in circles. */
    private static final long HASTEN_AGAIN_MILLIS = 500;
    /** A list made so lately is not made again for a bookmark that is behind it. */
    private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(10);

    // ---- immutable after construction
    private final Vertx vertx;
    private final UpstreamClient client;
    private final String path;
    private final FeedWriter writer;
    private final ObjectFormat format;
    private final ReflectorListener listener;
    private final long silenceMillis;

    // ---- owned by the thread
    private final Troubles troubles = new Troubles(new Backoff(
            FIRST_PAUSE_MILLIS,
            MOST_PAUSE_MILLIS,
            () -> ThreadLocalRandom.current().nextDouble()));
    private ReflectorState state = new ReflectorState.Stopped();
    /** The list in pages that is under way; null when there is none. */
    private PagedList pages;
    /** The upstream watch that is being opened or is open; null when there is none. */
    private WatchStream stream;

    private boolean streamingLists = true;
    private long listBegunNanos;
    private boolean hastening;
    private long hastenTo;
    private long hastenedNanos;
    private boolean stopped;
    private boolean watching;
    private Thread thread;

    /**
     * @param vertx the upstream instance
     * @param client the client of the feeds
     * @param path the collection's path, without a query
     * @param format reads its objects; from now on the reflector's
     * @param writer what is written; from now on the reflector's
     * @param silence after so long without a byte the watch is taken for broken
     * @param listener hears of what happens
     */
    public Reflector(
            Vertx vertx,
            UpstreamClient client,
            String path,
            ObjectFormat format,
            FeedWriter writer,
            Duration silence,
            ReflectorListener listener) {
        this.vertx = vertx;
        this.client = client;
        this.path = path;
        this.format = format;
        this.writer = writer;
        this.silenceMillis = silence.toMillis();
        this.listener = listener;
    }

    /**
     * Begins with a list. The thread of this call is the reflector's: an event loop's of {@code vertx}.
     *
     * @param resumeFrom the version to begin at, if the API server still has the state of then; 0 for the present
     */
    public void start(long resumeFrom) {
        thread = Thread.currentThread();
        if (stopped) {
            return;
        }
        if (resumeFrom > 0) {
            beginListing("resume");
            listPages("resume", resumeFrom);
        } else {
            list("start");
        }
    }

    /** Whether it pauses before the next attempt. */
    public boolean isPausing() {
        return state instanceof ReflectorState.Pausing;
    }

    /** Ends for good; nothing is called back afterwards. */
    public void stop() {
        assert thread == null || onThread();
        stopped = true;
        leave();
        state = new ReflectorState.Stopped();
    }

    /** Lists the state anew, because something elsewhere says that what is known cannot be right. */
    public void relist(String cause) {
        assert thread == null || onThread();
        if (!stopped && thread != null && !(state instanceof ReflectorState.Listing)) {
            list(cause);
        }
    }

    /**
     * Has the API server say soon how far this watch is. There is no request for that, but a watch that is about to end is
     * sent a bookmark about two seconds before: so it is opened again, at its last version, with a short time to live.
     *
     * @param version what the feed is waited for to come to
     */
    public void hasten(long version) {
        assert thread == null || onThread();
        if (version <= writer.resourceVersion()) {
            return;
        }
        hastenTo = Math.max(hastenTo, version);
        hastenedNanos = System.nanoTime();
        if (!hastening && state instanceof ReflectorState.Watching) {
            watch();
        }
    }

    // ---- listing

    private void list(String cause) {
        list(cause, streamingLists);
    }

    private void list(String cause, boolean streaming) {
        beginListing(cause);
        listBegunNanos = System.nanoTime();
        if (streaming) {
            openStream(
                    "?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
                            + "&timeoutSeconds=" + watchSeconds() + "&watch=true",
                    new InitialEvents(cause));
        } else {
            listPages(cause, 0);
        }
    }

    private void beginListing(String cause) {
        leave();
        state = new ReflectorState.Listing(cause);
    }

    private void listPages(String cause, long exactly) {
        pages = new PagedList(client, format, path, exactly, new Pages(cause, exactly));
        pages.read();
    }

    /** What becomes of a list in pages. */
    private final class Pages implements PagedList.Owner {
        private final String cause;
        private final long exactly;

        Pages(String cause, long exactly) {
            this.cause = cause;
            this.exactly = exactly;
        }

        @Override
        public void onWarnings(List<String> warnings) {
            listener.onWarnings(warnings);
        }

        @Override
        public void onListHead(ListHead head) {
            listener.onListHead(head);
        }

        @Override
        public void onComplete(long resourceVersion, List<StoredObject> objects) {
            if (exactly > 0 && resourceVersion != exactly) {
                // Not what was asked for: it is a state all the same, but not that one's.
                list("start");
            } else if (listed(cause, resourceVersion, objects)) {
                watch();
            }
        }

        @Override
        public void onFailed(Throwable trouble) {
            if (exactly > 0 && isRefusedAsked(trouble)) {
                // The state of then is gone: from now on, then.
                list("start");
            } else {
                failed(trouble);
            }
        }
    }

    /** Whether a list at an exact version failed for what it asked, and not for who asked or for trouble. */
    private static boolean isRefusedAsked(Throwable cause) {
        int code = UpstreamStatusException.codeOf(cause);
        return code == 400 || code == 410 || code == 422 || code == 504;
    }

    /**
     * Takes a complete state; whether it is to be watched from there: not when it is not believed yet, whereupon the next
     * attempt is under way, nor when the listener has stopped all.
     */
    private boolean listed(String cause, long version, List<StoredObject> objects) {
        objects.sort(Comparator.comparing(StoredObject::key));
        FeedWriter.Repair outcome = FeedWriter.Repair.NEW_EPOCH;
        if (writer.state() == null) {
            writer.reset(version, objects);
        } else {
            long pauseMillis = version < writer.resourceVersion() ? troubles.onOlderState() : 0;
            if (pauseMillis > 0) {
                LOG.warn(
                        "a list is older than what is known; asked again resource={} resourceVersion={} known={}",
                        path,
                        version,
                        writer.resourceVersion());
                pause(pauseMillis, () -> list(cause));
                return false;
            }
            outcome = writer.repair(version, objects, System.nanoTime());
        }
        if (outcome == FeedWriter.Repair.NEW_EPOCH) {
            // What was waited for before a cluster was restored may be far beyond what there will be for long.
            hastenTo = 0;
        }
        troubles.onListed();
        LOG.info(
                "listed resource={} cause={} resourceVersion={} objects={} outcome={}",
                path,
                cause,
                version,
                objects.size(),
                outcome);
        listener.onListed(outcome, cause, cause.equals("resume") ? 0 : listBegunNanos);
        listener.onPublished();
        return !stopped;
    }

    // ---- watching

    private void watch() {
        leave();
        state = new ReflectorState.Watching();
        hastening = isAwaited();
        openStream(
                "?allowWatchBookmarks=true&resourceVersion=" + writer.resourceVersion() + "&timeoutSeconds="
                        + (hastening ? HASTEN_SECONDS : watchSeconds()) + "&watch=true",
                new LiveEvents());
    }

    /** Whether somebody waits for a version that the feed has not come to. */
    private boolean isAwaited() {
        return hastenTo > writer.resourceVersion()
                && System.nanoTime() - hastenedNanos < TimeUnit.SECONDS.toNanos(HASTEN_SECONDS);
    }

    private static int watchSeconds() {
        return ThreadLocalRandom.current().nextInt(300, 600);
    }

    private void openStream(String query, Phase first) {
        stream = new WatchStream(vertx, format, first);
        stream.open(client, path + query);
    }

    /** What the phases of a stream have in common. */
    private abstract class StreamPhase implements Phase {
        @Override
        public void onOpened(MultiMap headers) {
            watching = true;
            listener.onWatching(true);
        }

        @Override
        public final void onGarbage(MalformedObjectException what) {
            unreadable(what);
        }

        @Override
        public final void onBroken(Throwable cause) {
            failed(cause);
        }
    }

    /** The initial events of a streaming list. */
    private final class InitialEvents extends StreamPhase {
        private final String cause;
        private final List<StoredObject> objects = new ArrayList<>();

        InitialEvents(String cause) {
            this.cause = cause;
        }

        @Override
        public void onOpened(MultiMap headers) {
            super.onOpened(headers);
            listener.onWarnings(headers.getAll("Warning"));
        }

        @Override
        public void onRefused(UpstreamStatusException refusal) {
            int code = refusal.code();
            if (code >= 500 || List.of(401, 403, 404, 405, 410, 429).contains(code)) {
                failed(refusal);
            } else {
                unsupported(refusal.getMessage());
            }
        }

        @Override
        public void onEvent(DecodedEvent event) {
            switch (event.type()) {
                case ADDED -> objects.add(event.object());
                case MODIFIED, DELETED -> unsupported("changes among the initial events");
                case BOOKMARK -> {
                    if (event.endsInitialEvents() && event.resourceVersion() > 0) {
                        listener.onBookmark(event.raw());
                        if (listed(cause, event.resourceVersion(), objects)) {
                            goOn();
                        }
                    }
                }
                case ERROR -> failed(streamError(event));
            }
        }

        /** The changes come on the same stream, but for somebody who waits for a later version there is a way that is shorter. */
        private void goOn() {
            if (isAwaited()) {
                watch();
                return;
            }
            hastening = false;
            state = new ReflectorState.Watching();
            stream.become(new LiveEvents());
        }

        @Override
        public void onBufferEnd() {}

        @Override
        public long patienceMillis() {
            return Math.min(silenceMillis, INITIAL_EVENTS_MILLIS);
        }

        @Override
        public void onSilence() {
            if (objects.isEmpty() && troubles.onSilentStart()) {
                // Perhaps the server hangs; it is asked once more before its streaming lists are given up.
                failed(new IllegalStateException("a streaming list said nothing for " + patienceMillis() + " ms"));
            } else {
                unsupported("initial events without an end");
            }
        }

        @Override
        public void onEnd(boolean empty) {
            // As when the API server fills its own cache anew: it is asked in another way, this time.
            LOG.info("a streaming list ended early; listed in pages resource={}", path);
            list(cause, false);
        }

        private void unsupported(String why) {
            LOG.info("streaming lists are not to be had; listed in pages resource={} reason={}", path, why);
            streamingLists = false;
            list(cause);
        }
    }

    /** Changes, as they happen. */
    private final class LiveEvents extends StreamPhase {
        private final long openedNanos = System.nanoTime();
        private int written;
        private boolean moved;
        /** Whether there has been the one bookmark that a hastened watch sends. */
        private boolean bookmarked;

        @Override
        public void onRefused(UpstreamStatusException refusal) {
            failed(refusal);
        }

        @Override
        public void onEvent(DecodedEvent event) throws MalformedObjectException {
            switch (event.type()) {
                case ADDED, MODIFIED -> {
                    if (!isStale(event)) {
                        writer.upsert(event.object(), System.nanoTime());
                        written++;
                    }
                }
                case DELETED -> {
                    if (!isStale(event)) {
                        if (writer.delete(event.object(), event.resourceVersion(), System.nanoTime())) {
                            written++;
                        }
                        moved = true;
                    }
                }
                case BOOKMARK -> onBookmark(event);
                case ERROR -> {
                    onBufferEnd();
                    failed(streamError(event));
                }
            }
        }

        /** An event from behind what is known: either the cluster was restored, or the stream is not to be trusted. */
        private boolean isStale(DecodedEvent event) {
            if (event.resourceVersion() > writer.resourceVersion()) {
                return false;
            }
            onBufferEnd();
            LOG.warn(
                    "an event from behind what is known resource={} event={} {} known={}",
                    path,
                    event.type(),
                    event.object(),
                    writer.resourceVersion());
            listAgain("stale event");
            return true;
        }

        private void onBookmark(DecodedEvent event) {
            if (event.resourceVersion() < writer.resourceVersion()
                    && System.nanoTime() - listBegunNanos > DOUBT_NANOS) {
                // An API server tells no progress below where the watch began, unless it has gone back.
                onBufferEnd();
                listAgain("stale bookmark");
                return;
            }
            listener.onBookmark(event.raw());
            writer.progress(event.resourceVersion());
            moved = true;
            if (hastening && !isAwaited()) {
                hastening = false;
            } else if (hastening && !bookmarked) {
                // There is no second one before the end; who has come since then waits for another watch's.
                bookmarked = true;
                onBufferEnd();
                hastenAgain();
            }
        }

        private void hastenAgain() {
            long left = HASTEN_AGAIN_MILLIS - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - openedNanos);
            if (left <= 0) {
                watch();
                return;
            }
            WatchStream of = stream;
            vertx.setTimer(left, t -> {
                if (stream == of && hastening) {
                    watch();
                }
            });
        }

        @Override
        public void onBufferEnd() {
            if (written > 0 || moved) {
                writer.publish();
                listener.onEvents(written);
                written = 0;
                moved = false;
                troubles.onProgress();
                listener.onPublished();
            }
        }

        @Override
        public long patienceMillis() {
            return silenceMillis;
        }

        @Override
        public void onSilence() {
            failed(new IllegalStateException("nothing heard for " + silenceMillis + " ms"));
        }

        @Override
        public void onEnd(boolean empty) {
            if (!empty) {
                watch();
            } else if (troubles.onEmptyWatch()) {
                list("watches that say nothing");
            } else {
                pause(troubles.pauseMillis(), Reflector.this::watch);
            }
        }
    }

    /** An ERROR event, as the answer that it stands for. */
    private static UpstreamStatusException streamError(DecodedEvent event) {
        boolean expired = event.code() == 410
                || event.reason().equals("Expired")
                || event.reason().equals("Gone")
                || event.message().contains("too old resource version");
        int code = expired ? 410 : event.code() == 0 ? 500 : event.code();
        return new UpstreamStatusException(code, MultiMap.caseInsensitiveMultiMap(), Buffer.buffer(event.raw()));
    }

    // ---- trouble

    private void unreadable(MalformedObjectException what) {
        if (writer.state() == null) {
            failed(what);
            return;
        }
        LOG.warn(
                "unreadable event resource={} resourceVersion={} reason={}",
                path,
                writer.resourceVersion(),
                what.getMessage());
        boolean list = troubles.onGarbage(writer.resourceVersion());
        pause(troubles.pauseMillis(), () -> {
            if (list) {
                list("garbage");
            } else {
                watch();
            }
        });
    }

    private void listAgain(String cause) {
        if (troubles.mayListAtOnce()) {
            list(cause);
        } else {
            pause(troubles.pauseMillis(), () -> list(cause));
        }
    }

    /** What follows on a failed attempt, be it a list's or a watch's. */
    private void failed(Throwable cause) {
        boolean known = writer.state() != null;
        String listing = state instanceof ReflectorState.Listing now ? now.cause() : null;
        switch (troubles.onFailure(cause, known, listing != null, System.nanoTime())) {
            case END -> {
                stop();
                listener.onEnded(cause);
                return;
            }
            case LIST_GAP -> {
                listAgain("expired");
                return;
            }
            case RELOAD -> client.reload();
            case RETRY -> {}
        }
        LOG.warn(
                "upstream trouble resource={} resourceVersion={} reason={}",
                path,
                writer.resourceVersion(),
                cause.getMessage());
        listener.onTrouble(cause);
        if (stopped) {
            return;
        }
        pause(troubles.pauseMillis(cause), () -> {
            if (listing != null || !known) {
                list(listing == null ? "start" : listing);
            } else {
                watch();
            }
        });
    }

    private void pause(long millis, Runnable then) {
        leave();
        state = new ReflectorState.Pausing(vertx.setTimer(millis, t -> then.run()));
    }

    /** Leaves the present state: nothing of it is called back any more. */
    private void leave() {
        if (watching) {
            watching = false;
            listener.onWatching(false);
        }
        if (state instanceof ReflectorState.Pausing pausing) {
            vertx.cancelTimer(pausing.timer());
        }
        if (pages != null) {
            pages.close();
            pages = null;
        }
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }

    private boolean onThread() {
        return Thread.currentThread() == thread;
    }
}
