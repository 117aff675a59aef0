package io.watchfan.proxy.upstream;

import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
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
 * <p>A streaming list is tried first (its stream goes on as the watch); a server that refuses it is listed in pages. What the
 * API server answers decides what follows: 410 is a gap, and listed; 429, 5xx, a refused or cut or silent connection is asked
 * again after a growing pause (or the one it asks for) while clients stay; 401 has the credentials loaded again; 403 ends a
 * feed without a state at once, and another after {@link #FORBIDDEN_PATIENCE}; 404 and 405 end it at once.
 *
 * <p>Confined to its thread: every method and every callback runs there.
 */
public final class Reflector {
    /** What the feed hears of its reflector, on the reflector's thread. */
    public interface Listener {
        /**
         * The feed has a state for the first time, or a new one after a list.
         *
         * @param begunNanos when the list was asked for: the state holds every write that was finished by then
         */
        void onListed(FeedWriter.Repair outcome, String cause, long begunNanos);

        /** A new position has been published. */
        void onPublished();

        /** A list's form has been seen. */
        void onListHead(ListHead head);

        /** A list has been answered, and its answer carries these Warning headers. */
        void onWarnings(List<String> warnings);

        /** A bookmark's form has been seen. */
        void onBookmark(byte[] object);

        /** An upstream watch is open, or is not any more. */
        void onWatching(boolean open);

        /** So many events have been written. */
        void onEvents(int count);

        /** An attempt has failed; the next follows. */
        void onTrouble(Throwable cause);

        /** The resource is gone, or may not be read any more. Nothing follows. */
        void onEnded(Throwable cause);
    }

    /** How long a reflector that is forbidden to read goes on asking. */
    public static final Duration FORBIDDEN_PATIENCE = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
    private static final long FIRST_PAUSE_MILLIS = 200;
    private static final long MOST_PAUSE_MILLIS = 10_000;
    private static final long LIST_TIMEOUT_MILLIS = 60_000;
    /** After so long a silence among its initial events, an upstream is not going to mark their end. */
    private static final long INITIAL_EVENTS_MILLIS = 10_000;
    /** The time to live of a watch that is to send a bookmark soon. */
    private static final int HASTEN_SECONDS = 3;
    /** A watch shorter than this that said nothing is no progress (W-215). */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A list made so lately is not made again for a bookmark that is behind it. */
    private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** So many watches in a row without progress at one version, and the state is listed. */
    private static final int SHORT_WATCHES = 5;
    /** So many unreadable events in a row at one version, and the state is listed. */
    private static final int GARBAGE = 3;

    // ---- immutable after construction
    private final Vertx vertx;
    private final UpstreamClient client;
    private final String path;
    private final FeedWriter writer;
    private final ObjectFormat format;
    private final Listener listener;
    private final long silenceMillis;

    // ---- owned by the thread
    private ReflectorState state = new ReflectorState.Stopped();
    private final Backoff backoff = new Backoff(
            FIRST_PAUSE_MILLIS,
            MOST_PAUSE_MILLIS,
            () -> ThreadLocalRandom.current().nextDouble());
    /** Grows with every attempt, so that callbacks of past ones are known. */
    private int attempt;

    private boolean streamingLists = true;
    private int silentStarts;
    private int listsWithoutProgress;
    private long listBegunNanos;
    private boolean askedTwice;
    private boolean hastening;
    private long hastenTo;
    private long hastenedNanos;
    private int shortWatches;
    private int garbage;
    private long garbageAt;
    private long forbiddenSinceNanos;
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
            Listener listener) {
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
            leave();
            state = new ReflectorState.Listing("resume");
            listPage(new PagedList("resume", resumeFrom, true), "");
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

    // ---- listing

    private void list(String cause) {
        list(cause, streamingLists);
    }

    private void list(String cause, boolean streaming) {
        leave();
        state = new ReflectorState.Listing(cause);
        listBegunNanos = System.nanoTime();
        if (streaming) {
            openStream(
                    path + "?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true"
                            + "&timeoutSeconds=" + watchSeconds() + "&watch=true",
                    new Initial(cause));
        } else {
            listPage(new PagedList(cause, 0, true), "");
        }
    }

    private void listPage(PagedList list, String continueToken) {
        int current = attempt;
        client.request(HttpMethod.GET, path + list.query(continueToken))
                .compose(
                        request -> request.putHeader("Accept", format.encoding().listAccept())
                                .idleTimeout(LIST_TIMEOUT_MILLIS)
                                .send())
                .compose(response -> response.body().map(body -> {
                    format.encoding().check(response.statusCode(), response.getHeader("Content-Type"));
                    if (response.statusCode() != 200) {
                        throw new UpstreamStatusException(response.statusCode(), response.headers(), body);
                    }
                    if (current == attempt) {
                        listener.onWarnings(response.headers().getAll("Warning"));
                    }
                    return body;
                }))
                .onComplete(result -> {
                    if (current != attempt) {
                        return;
                    }
                    if (result.succeeded()) {
                        onPage(list, result.result());
                    } else if (list.exactly() > 0 && isRefusedAsked(result.cause())) {
                        // The state of then is gone: from now on, then.
                        list("start");
                    } else if (!continueToken.isEmpty() && isCode(result.cause(), 410)) {
                        // The pages have expired under way: in one go, then.
                        listPage(new PagedList(list.cause(), 0, false), "");
                    } else {
                        failed(result.cause());
                    }
                });
    }

    private void onPage(PagedList list, Buffer body) {
        try {
            ListHead head = format.list(body.getBytes(), list.objects());
            listener.onListHead(head);
            if (!head.continueToken().isEmpty()) {
                listPage(list, head.continueToken());
            } else if (head.resourceVersion() <= 0) {
                failed(new UnversionedException("a list without a resourceVersion"));
            } else if (list.exactly() > 0 && head.resourceVersion() != list.exactly()) {
                // Not what was asked for: it is a state all the same, but not that one's.
                list("start");
            } else if (listed(list.cause(), head.resourceVersion(), list.objects())) {
                watch();
            }
        } catch (MalformedObjectException e) {
            failed(e);
        }
    }

    /** Whether a list at an exact version failed for what it asked, and not for who asked or for trouble. */
    private static boolean isRefusedAsked(Throwable cause) {
        return cause instanceof UpstreamStatusException refusal
                && (refusal.code() == 400 || refusal.code() == 410 || refusal.code() == 422 || refusal.code() == 504);
    }

    /** Takes a complete state; false when it is not believed yet, whereupon the next attempt is under way. */
    private boolean listed(String cause, long version, List<StoredObject> objects) {
        objects.sort(Comparator.comparing(StoredObject::key));
        FeedWriter.Repair outcome = FeedWriter.Repair.NEW_EPOCH;
        if (writer.state() == null) {
            writer.reset(version, objects);
        } else if (version < writer.resourceVersion() && !askedTwice) {
            // One of several API servers may lag; a restored cluster says so twice.
            LOG.warn(
                    "a list is older than what is known; asked again resource={} resourceVersion={} known={}",
                    path,
                    version,
                    writer.resourceVersion());
            askedTwice = true;
            pause(backoff.next(1000), () -> list(cause));
            return false;
        } else {
            outcome = writer.repair(version, objects, System.nanoTime());
        }
        askedTwice = false;
        silentStarts = 0;
        forbiddenSinceNanos = 0;
        shortWatches = 0;
        garbage = 0;
        LOG.info(
                "listed resource={} cause={} resourceVersion={} objects={} outcome={}",
                path,
                cause,
                version,
                objects.size(),
                outcome);
        listener.onListed(outcome, cause, cause.equals("resume") ? 0 : listBegunNanos);
        listener.onPublished();
        return true;
    }

    // ---- watching

    private void watch() {
        leave();
        boolean hastened = hastenTo > writer.resourceVersion()
                && System.nanoTime() - hastenedNanos < TimeUnit.SECONDS.toNanos(HASTEN_SECONDS);
        hastening = hastened;
        openStream(
                path + "?allowWatchBookmarks=true&resourceVersion=" + writer.resourceVersion() + "&timeoutSeconds="
                        + (hastened ? HASTEN_SECONDS : watchSeconds()) + "&watch=true",
                new Live());
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

    private static int watchSeconds() {
        return ThreadLocalRandom.current().nextInt(300, 600);
    }

    /** The initial events of a streaming list. */
    private final class Initial implements Phase {
        private final String cause;
        private final List<StoredObject> objects = new ArrayList<>();

        Initial(String cause) {
            this.cause = cause;
        }

        @Override
        public Phase onEvent(DecodedEvent event) {
            switch (event.type()) {
                case ADDED -> objects.add(event.object());
                case MODIFIED, DELETED -> {
                    unsupported("changes among the initial events");
                    return null;
                }
                case BOOKMARK -> {
                    if (event.endsInitialEvents() && event.resourceVersion() > 0) {
                        listener.onBookmark(event.raw());
                        return listed(cause, event.resourceVersion(), objects) ? new Live() : null;
                    }
                }
                default -> {
                    failed(streamError(event));
                    return null;
                }
            }
            return this;
        }

        @Override
        public void onBufferEnd() {}

        @Override
        public void onRefused(UpstreamStatusException refusal) {
            switch (refusal.code()) {
                case 401, 403, 404, 405, 410, 429 -> failed(refusal);
                default -> {
                    if (refusal.code() >= 500) {
                        failed(refusal);
                    } else {
                        unsupported(refusal.getMessage());
                    }
                }
            }
        }

        @Override
        public long patienceMillis() {
            return Math.min(silenceMillis, INITIAL_EVENTS_MILLIS);
        }

        @Override
        public void onSilence() {
            if (objects.isEmpty() && ++silentStarts == 1) {
                // Perhaps the server hangs; it is asked once more before its streaming lists are given up.
                failed(new IllegalStateException("a streaming list said nothing for " + patienceMillis() + " ms"));
            } else {
                unsupported("initial events without an end");
            }
        }

        private void unsupported(String why) {
            LOG.info("streaming lists are not to be had; listed in pages resource={} reason={}", path, why);
            streamingLists = false;
            list(cause);
        }
    }

    /** Changes, as they happen. */
    private final class Live implements Phase {
        private int written;
        private boolean moved;

        @Override
        public Phase onEvent(DecodedEvent event) throws MalformedObjectException {
            switch (event.type()) {
                case ADDED, MODIFIED -> {
                    if (isStale(event)) {
                        return null;
                    }
                    writer.upsert(event.object(), System.nanoTime());
                    written++;
                }
                case DELETED -> {
                    if (isStale(event)) {
                        return null;
                    }
                    if (writer.delete(event.object(), event.resourceVersion(), System.nanoTime())) {
                        written++;
                    }
                    moved = true;
                }
                case BOOKMARK -> {
                    if (event.resourceVersion() < writer.resourceVersion()
                            && System.nanoTime() - listBegunNanos > DOUBT_NANOS) {
                        // An API server tells no progress below where the watch began, unless it has gone back.
                        onBufferEnd();
                        listAgain("stale bookmark");
                        return null;
                    }
                    listener.onBookmark(event.raw());
                    writer.progress(event.resourceVersion());
                    moved = true;
                }
                case ERROR -> {
                    onBufferEnd();
                    failed(streamError(event));
                    return null;
                }
            }
            shortWatches = 0;
            return this;
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

        @Override
        public void onBufferEnd() {
            if (written > 0 || moved) {
                writer.publish();
                listener.onEvents(written);
                written = 0;
                moved = false;
                listsWithoutProgress = 0;
                backoff.reset();
                forbiddenSinceNanos = 0;
                listener.onPublished();
            }
        }

        @Override
        public void onRefused(UpstreamStatusException refusal) {
            failed(refusal);
        }

        @Override
        public long patienceMillis() {
            return silenceMillis;
        }

        @Override
        public void onSilence() {
            failed(new IllegalStateException("nothing heard for " + silenceMillis + " ms"));
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

    private void openStream(String pathAndQuery, Phase first) {
        int current = attempt;
        client.request(HttpMethod.GET, pathAndQuery).onComplete(connected -> {
            if (current != attempt) {
                if (connected.succeeded()) {
                    connected.result().reset();
                }
                return;
            }
            if (connected.failed()) {
                failed(connected.cause());
                return;
            }
            HttpClientRequest request = connected.result();
            Stream stream = new Stream(current, request, first);
            open = stream;
            request.exceptionHandler(stream::onBroken);
            request.putHeader("Accept", format.encoding().watchAccept()).send().onComplete(sent -> {
                if (current != attempt) {
                    return;
                }
                if (sent.failed()) {
                    stream.onBroken(sent.cause());
                } else {
                    stream.onResponse(sent.result());
                }
            });
        });
    }

    private Stream open;

    /** One upstream watch. */
    private final class Stream {
        private final int number;
        private final HttpClientRequest request;
        private final FrameDecoder decoder = format.frames(this::onEvent);
        private final long openedNanos = System.nanoTime();
        private final long silenceTimer;
        private long heardNanos = openedNanos;
        private Phase phase;
        private boolean said;

        Stream(int number, HttpClientRequest request, Phase first) {
            this.number = number;
            this.request = request;
            this.phase = first;
            if (first instanceof Live) {
                state = new ReflectorState.Watching(request, openedNanos);
            }
            silenceTimer = vertx.setPeriodic(Math.max(10, first.patienceMillis() / 4), t -> checkSilence());
        }

        private boolean isCurrent() {
            return number == attempt;
        }

        private void checkSilence() {
            if (isCurrent() && System.nanoTime() - heardNanos > TimeUnit.MILLISECONDS.toNanos(phase.patienceMillis())) {
                phase.onSilence();
            }
        }

        void onResponse(HttpClientResponse response) {
            heardNanos = System.nanoTime();
            try {
                format.encoding().check(response.statusCode(), response.getHeader("Content-Type"));
            } catch (EncodingRefusedException e) {
                failed(e);
                return;
            }
            if (response.statusCode() != 200) {
                response.body().onComplete(body -> {
                    if (isCurrent()) {
                        phase.onRefused(new UpstreamStatusException(
                                response.statusCode(),
                                response.headers(),
                                body.succeeded() ? body.result() : Buffer.buffer()));
                    }
                });
                return;
            }
            watching = true;
            listener.onWatching(true);
            if (phase instanceof Initial) {
                listener.onWarnings(response.headers().getAll("Warning"));
            }
            response.exceptionHandler(this::onBroken);
            response.endHandler(end -> onEnd());
            response.handler(this::onBytes);
        }

        private void onBytes(Buffer bytes) {
            if (!isCurrent()) {
                return;
            }
            heardNanos = System.nanoTime();
            boolean whole = decoder.feed(bytes);
            if (!isCurrent()) {
                return;
            }
            phase.onBufferEnd();
            if (!whole && isCurrent()) {
                garbage(new MalformedObjectException("a frame longer than any event"));
            }
        }

        private boolean onEvent(byte[] bytes, int offset, int length) {
            try {
                DecodedEvent event = format.event(bytes, offset, length);
                Phase next = phase.onEvent(event);
                if (next == null) {
                    if (isCurrent()) {
                        leave();
                    }
                    return false;
                }
                if (next != phase) {
                    phase = next;
                    state = new ReflectorState.Watching(request, openedNanos);
                }
                said = true;
                return true;
            } catch (MalformedObjectException e) {
                phase.onBufferEnd();
                if (isCurrent()) {
                    garbage(e);
                }
                return false;
            }
        }

        private void onEnd() {
            if (!isCurrent()) {
                return;
            }
            if (state instanceof ReflectorState.Listing listing) {
                // As when the API server fills its own cache anew: it is asked in another way, this time.
                LOG.info("a streaming list ended early; listed in pages resource={}", path);
                list(listing.cause(), false);
            } else if (said || System.nanoTime() - openedNanos > SHORT_NANOS) {
                watch();
            } else if (++shortWatches >= SHORT_WATCHES) {
                list("watches that say nothing");
            } else {
                pause(backoff.next(), Reflector.this::watch);
            }
        }

        void onBroken(Throwable cause) {
            if (isCurrent()) {
                failed(cause);
            }
        }

        void close() {
            vertx.cancelTimer(silenceTimer);
            request.reset();
        }
    }

    // ---- trouble

    private void garbage(MalformedObjectException what) {
        if (writer.state() == null) {
            failed(what);
            return;
        }
        LOG.warn(
                "unreadable event resource={} resourceVersion={} reason={}",
                path,
                writer.resourceVersion(),
                what.getMessage());
        garbage = garbageAt == writer.resourceVersion() ? garbage + 1 : 1;
        garbageAt = writer.resourceVersion();
        boolean list = garbage >= GARBAGE;
        pause(backoff.next(), () -> {
            if (list) {
                list("garbage");
            } else {
                watch();
            }
        });
    }

    /** Lists at once, unless the last list has led to nothing: then after a pause, so that no server is asked in circles. */
    private void listAgain(String cause) {
        if (listsWithoutProgress++ == 0) {
            list(cause);
        } else {
            pause(backoff.next(), () -> list(cause));
        }
    }

    /** Decides what follows on a failed attempt, be it a list's or a watch's. */
    private void failed(Throwable cause) {
        boolean known = writer.state() != null;
        String wasListing = state instanceof ReflectorState.Listing listing ? listing.cause() : null;
        int code = cause instanceof UpstreamStatusException refusal ? refusal.code() : 0;
        long asked = cause instanceof UpstreamStatusException refusal ? refusal.retryAfterMillis() : 0;
        if (code == 404
                || code == 405
                || cause instanceof EncodingRefusedException
                || !known && (code == 403 || cause instanceof UnversionedException)) {
            end(cause);
            return;
        }
        if (code == 410 && wasListing == null) {
            listAgain("expired");
            return;
        }
        if (code == 401) {
            client.reload();
        }
        if (code == 403) {
            long now = System.nanoTime();
            forbiddenSinceNanos = forbiddenSinceNanos == 0 ? now : forbiddenSinceNanos;
            if (now - forbiddenSinceNanos > FORBIDDEN_PATIENCE.toNanos()) {
                end(cause);
                return;
            }
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
        pause(backoff.next(asked), () -> {
            if (wasListing != null || !known) {
                list(wasListing == null ? "start" : wasListing);
            } else {
                watch();
            }
        });
    }

    private void end(Throwable cause) {
        stop();
        listener.onEnded(cause);
    }

    private void pause(long millis, Runnable then) {
        leave();
        int current = attempt;
        state = new ReflectorState.Pausing(vertx.setTimer(millis, t -> {
            if (current == attempt) {
                then.run();
            }
        }));
    }

    /** Leaves the present state: its callbacks mean nothing any more. */
    private void leave() {
        attempt++;
        if (watching) {
            watching = false;
            listener.onWatching(false);
        }
        if (state instanceof ReflectorState.Pausing pausing) {
            vertx.cancelTimer(pausing.timer());
        }
        Stream stream = open;
        open = null;
        if (stream != null) {
            stream.close();
        }
    }

    private static boolean isCode(Throwable cause, int code) {
        return cause instanceof UpstreamStatusException refusal && refusal.code() == code;
    }

    private boolean onThread() {
        return Thread.currentThread() == thread;
    }
}
