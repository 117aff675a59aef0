package io.watchfan.proxy.feed;

import io.micrometer.core.instrument.Counter;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.FeedWriter;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.proxy.metrics.ProxyMetrics;
import io.watchfan.proxy.representation.Representations;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ListHead;
import io.watchfan.proxy.upstream.ObjectEncoding;
import io.watchfan.proxy.upstream.ObjectFormat;
import io.watchfan.proxy.upstream.Reflector;
import io.watchfan.proxy.upstream.ReflectorListener;
import io.watchfan.proxy.upstream.TypeDefinition;
import io.watchfan.proxy.upstream.TypeDefinitions;
import io.watchfan.proxy.upstream.UpstreamClient;
import io.watchfan.proxy.upstream.UpstreamStatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One upstream watch and what it feeds.
 *
 * <p>Threads. The feed's own context runs its reflector, the only writer. Any thread may read {@link #state}, and acquire and
 * release. {@code users} decides between use and closing without a lock: it counts up from 0 while the feed is open, and a
 * close succeeds only by taking it from 0 to {@link #CLOSED}, after which nobody acquires it any more.
 */
public final class ResourceFeed {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceFeed.class);
    private static final int CLOSED = -1;
    private static final long COLLECTING_MILLIS = 100;
    private static final int MOST_WARNINGS = 16;
    private static final int MOST_WARNING_CHARS = 4096;

    // ---- immutable after construction
    private final FeedKey key;
    private final ApiResource resource;
    private final TypeDefinitions definitions;
    private final Vertx vertx;
    private final Context context;
    private final Representations representations;
    private final FeedWriter writer;
    private final Reflector reflector;
    private final ProxyMetrics metrics;
    private final FreshReads freshReads;
    private final Counter eventsIn;

    // ---- any thread
    private final AtomicInteger users = new AtomicInteger();
    private final AtomicLong beginAt = new AtomicLong(Long.MAX_VALUE);
    private final CopyOnWriteArrayList<FeedListener> listeners = new CopyOnWriteArrayList<>();
    private volatile BookmarkTemplate bookmarks;
    private volatile ListHead listHead;
    private volatile Throwable ended;
    private volatile Throwable lastTrouble;
    private volatile TypeDefinition definition;
    private volatile boolean watching;
    private volatile List<String> warnings = List.of();
    private volatile long lastReleasedNanos = System.nanoTime();
    private volatile long listedSinceNanos;
    private volatile long publishedNanos = System.nanoTime();

    // ---- owned by the context's thread
    private final List<Promise<FeedState>> waitingForState = new ArrayList<>();
    private final List<WaitingForVersion> waitingForVersion = new ArrayList<>();

    private record WaitingForVersion(long version, Promise<Boolean> promise, long timer) {}

    /** What all feeds share. */
    record Shared(
            Vertx vertx,
            UpstreamClient feedClient,
            UpstreamClient readClient,
            TypeDefinitions definitions,
            FeedLimits limits,
            ProxyMetrics metrics) {}

    ResourceFeed(FeedKey key, ApiResource resource, TypeDefinition definition, Context context, Shared shared) {
        this.key = key;
        this.resource = resource;
        this.definition = definition;
        this.definitions = shared.definitions();
        this.vertx = shared.vertx();
        this.context = context;
        this.metrics = shared.metrics();
        this.bookmarks = BookmarkTemplate.of(
                key.encoding(), resource.kind(), resource.gvr().apiVersion());
        this.representations = new Representations(resource, key.encoding());
        this.writer = new FeedWriter(shared.limits().window());
        this.reflector = new Reflector(
                vertx,
                shared.feedClient(),
                key.path(),
                newFormat(),
                writer,
                shared.limits().silence(),
                new ReflectorEars());
        this.eventsIn = shared.metrics().eventsIn(key.toString());
        this.freshReads = new FreshReads(this, shared.readClient());
    }

    /** What it feeds. */
    public FeedKey key() {
        return key;
    }

    /** What discovery says of the resource. */
    public ApiResource resource() {
        return resource;
    }

    /** The field labels that its objects can be selected by. */
    public SelectableFields fields() {
        return fields(key, resource, definition);
    }

    /** Of metadata alone nothing can be selected by what lies elsewhere. */
    private static SelectableFields fields(FeedKey key, ApiResource resource, TypeDefinition definition) {
        return key.encoding() == ObjectEncoding.PROTOBUF_METADATA
                ? SelectableFields.forCustom(resource.namespaced(), List.of())
                : definition.fields();
    }

    /** Whether a feed of this key can be had: whether all that is judged of objects can be read in its encoding. */
    static boolean canBe(FeedKey key, ApiResource resource, TypeDefinition definition) {
        return ObjectFormat.supports(key.encoding(), resource, fields(key, resource, definition));
    }

    /** Reads its objects; for one reader alone. */
    ObjectFormat newFormat() {
        return ObjectFormat.of(key.encoding(), resource, fields());
    }

    /** The ways in which its objects can be written. */
    public Representations representations() {
        return representations;
    }

    /** The newest published state; null before the first. */
    public FeedState state() {
        return writer.state();
    }

    /**
     * Whether the state there is was listed by a request begun after {@code nanos}, and so holds every write finished by
     * then. The caller takes this before it takes the state.
     */
    public boolean isListedSince(long nanos) {
        return state() != null && listedSinceNanos - nanos > 0;
    }

    /** Whether nothing has been published for so long. Any thread. */
    public boolean isQuietFor(long millis) {
        return System.nanoTime() - publishedNanos > TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** The serialized size of all objects and of the window, about. */
    long heldBytes() {
        FeedState state = state();
        return state == null ? 0 : writer.storeBytes() + state.window().bytes();
    }

    /** The serialized size of all objects, about. */
    public long bytes() {
        return writer.storeBytes();
    }

    /** Whether the API server compresses streaming lists of it for who accepts that (W-127). Any thread may call. */
    public boolean compressesStreams() {
        return definition.compressesStreams();
    }

    /** The form of its bookmarks. */
    public BookmarkTemplate bookmarks() {
        return bookmarks;
    }

    /** The form of its lists; null while no list has been seen. */
    public ListHead listHead() {
        return listHead;
    }

    /** The Warning headers of the API server's lists of the resource, which go with our answers as well (W-086). */
    public List<String> warnings() {
        return warnings;
    }

    /** Why the feed has ended; null while it has not. */
    public Throwable ended() {
        return ended;
    }

    /** Reads that need more than what the feed knows. */
    public FreshReads freshReads() {
        return freshReads;
    }

    // ---- life cycle

    /** Whether its upstream watch is open. */
    public boolean isWatching() {
        return watching;
    }

    /** Counts one more user in; false when the feed has been closed, and another is to be looked up. */
    public boolean acquire() {
        int count = users.get();
        while (count != CLOSED) {
            if (users.compareAndSet(count, count + 1)) {
                return true;
            }
            count = users.get();
        }
        return false;
    }

    /** Counts one user out. */
    public void release() {
        lastReleasedNanos = System.nanoTime();
        int left = users.decrementAndGet();
        assert left >= 0 : "released more often than acquired: " + key;
    }

    /** How many use it; -1 once it is closed. */
    public int users() {
        return users.get();
    }

    /** Whether nobody has used it for {@code idle}. */
    boolean isIdleFor(Duration idle) {
        return users.get() == 0 && System.nanoTime() - lastReleasedNanos > idle.toNanos();
    }

    /** Closes the feed if nobody uses it. */
    boolean closeIfUnused() {
        if (!users.compareAndSet(0, CLOSED)) {
            return false;
        }
        stop();
        return true;
    }

    /** Closes the feed whoever uses it: it has ended, or the process does. */
    void stop() {
        context.runOnContext(v -> {
            reflector.stop();
            failWaiting(new IllegalStateException("the feed was closed"));
        });
    }

    /**
     * Begins.
     *
     * @param resumeFrom the version that the first user goes on from; 0 for none. Others may come with lower ones for a
     *     moment, and the feed begins at the lowest, so that a restart of the proxy costs its clients no 410
     */
    void start(long resumeFrom) {
        if (resumeFrom == 0) {
            context.runOnContext(v -> startReflector());
        } else {
            beginNoLaterThan(resumeFrom);
            context.runOnContext(v -> vertx.setTimer(COLLECTING_MILLIS, t -> startReflector()));
        }
    }

    /** Has the feed begin at {@code version} or below, if it has not begun yet and that is not 0. */
    void beginNoLaterThan(long version) {
        if (version > 0) {
            beginAt.accumulateAndGet(version, Math::min);
        }
    }

    private void startReflector() {
        long from = beginAt.get();
        reflector.start(from == Long.MAX_VALUE ? 0 : from);
    }

    // ---- readers

    /** From now on {@code listener} hears of what is new. */
    public void addListener(FeedListener listener) {
        listeners.add(listener);
    }

    /** It hears no more. */
    public void removeListener(FeedListener listener) {
        listeners.remove(listener);
    }

    /**
     * The first state, as soon as there is one. Fails with what the API server said when the attempt that is under way, or the
     * next, fails; of one that has expired, the next after that. Handlers run on the feed's thread or, when there is a state, on the caller's.
     */
    public Future<FeedState> whenListed() {
        FeedState state = state();
        if (state != null) {
            return Future.succeededFuture(state);
        }
        Promise<FeedState> promise = Promise.promise();
        context.runOnContext(v -> {
            if (state() != null) {
                promise.complete(state());
            } else if (ended != null) {
                promise.fail(ended);
            } else if (lastTrouble != null && !isExpired(lastTrouble) && reflector.isPausing()) {
                // The pause may be as long as the API server asked for.
                promise.fail(lastTrouble);
            } else {
                waitingForState.add(promise);
            }
        });
        return promise.future();
    }

    /**
     * The state after the next turn of the feed's thread, with what its connection had been sent before this call: for requests
     * that take any state, whose clients may have heard of a change in the same moment as the proxy. As far as one turn reads it,
     * and the connection is not one that a feed of another thread has left. The feed is listed. Any thread may call; handlers run
     * on the feed's. Never completed when the thread ends before.
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the promise tells
    public Future<FeedState> settled() {
        Promise<FeedState> promise = Promise.promise();
        // Scheduled on the loop itself, so for its next turn, which begins with reading what has come.
        context.runOnContext(v -> ((ContextInternal) context)
                .nettyEventLoop()
                .schedule(() -> promise.complete(state()), 0, TimeUnit.NANOSECONDS));
        return promise.future();
    }

    /**
     * Whether the feed gets to {@code version} within {@code millis}. Handlers run on the feed's thread or, when it is there
     * already, on the caller's.
     */
    public Future<Boolean> reaches(long version, long millis) {
        FeedState state = state();
        if (state != null && state.position().resourceVersion() >= version) {
            return Future.succeededFuture(true);
        }
        Promise<Boolean> promise = Promise.promise();
        context.runOnContext(v -> {
            FeedState now = state();
            if (now != null && now.position().resourceVersion() >= version) {
                promise.complete(true);
            } else if (ended != null || millis <= 0) {
                promise.complete(false);
            } else {
                long timer = vertx.setTimer(millis, t -> {
                    waitingForVersion.removeIf(waiting -> waiting.promise() == promise);
                    promise.tryComplete(false);
                });
                waitingForVersion.add(new WaitingForVersion(version, promise, timer));
            }
        });
        return promise.future();
    }

    /**
     * Has the API server say soon that the feed is at {@code version}, of which a quiet resource hears about once a minute
     * otherwise.
     */
    public void hasten(long version) {
        context.runOnContext(v -> reflector.hasten(version));
    }

    /** Somewhere the API server has shown that what is known here cannot be right; the reflector looks. */
    public void distrust(String cause) {
        context.runOnContext(v -> reflector.relist(cause));
    }

    Context context() {
        return context;
    }

    Vertx vertx() {
        return vertx;
    }

    void learn(ListHead head) {
        ListHead known = listHead;
        if (known == null || known.itemsCarryKind() == null && head.itemsCarryKind() != null) {
            listHead = head;
        }
    }

    private void failWaiting(Throwable cause) {
        List<Promise<FeedState>> waiting = new ArrayList<>(waitingForState);
        waitingForState.clear();
        waiting.forEach(promise -> promise.fail(cause));
    }

    private void wake() {
        for (FeedListener listener : listeners) {
            listener.onFeedChanged();
        }
    }

    /**
     * The API server ends the watches of a custom type when its definition changes, and all of them when it is another
     * release; objects may then have other bytes, or other defaults, under the versions that are known. So whenever an
     * upstream watch has ended, the definition is looked at: where it has changed the state is listed anew, and where bytes
     * have changed that begins a new epoch. Another type of the same name is the end of the feed.
     */
    private void checkDefinition() {
        definitions
                .of(resource)
                .onComplete(found -> context.runOnContext(v -> {
                    TypeDefinition before = definition;
                    TypeDefinition now = found.result();
                    if (ended != null || isUnknown(now, before)) {
                        return;
                    }
                    if (!now.isOtherThan(before)) {
                        // But a release may be known that was not before.
                        definition = now;
                        return;
                    }
                    LOG.info(
                            "definition changed resource={} release={} generation={} before={}",
                            key,
                            now.server(),
                            now.generation(),
                            before.generation());
                    if (now.isAnotherTypeThan(before)) {
                        reflector.stop();
                        end(new IllegalStateException("the definition of " + key + " has changed"));
                    } else {
                        definition = now;
                        reflector.relist("definition changed");
                    }
                }));
    }

    /** Whether the definition could not be read just now, where it could before. */
    private static boolean isUnknown(TypeDefinition now, TypeDefinition before) {
        return now.server().isEmpty() && !before.server().isEmpty()
                || now.uid().isEmpty() && !before.uid().isEmpty();
    }

    private void end(Throwable cause) {
        ended = cause;
        failWaiting(cause);
        wake();
    }

    /** Hears the reflector. */
    private final class ReflectorEars implements ReflectorListener {
        @Override
        public void onListed(FeedWriter.Repair outcome, String cause, long begunNanos) {
            lastTrouble = null;
            listedSinceNanos = begunNanos;
            metrics.relist(key.toString(), cause.replace(' ', '_'));
            if (outcome == FeedWriter.Repair.REPAIRED) {
                metrics.gapRepaired();
            }
        }

        @Override
        public void onPublished() {
            publishedNanos = System.nanoTime();
            FeedState state = state();
            if (!waitingForState.isEmpty()) {
                List<Promise<FeedState>> waiting = new ArrayList<>(waitingForState);
                waitingForState.clear();
                waiting.forEach(promise -> promise.complete(state));
            }
            if (!waitingForVersion.isEmpty()) {
                long version = state.position().resourceVersion();
                List<WaitingForVersion> there = new ArrayList<>();
                for (Iterator<WaitingForVersion> i = waitingForVersion.iterator(); i.hasNext(); ) {
                    WaitingForVersion waiting = i.next();
                    if (waiting.version() <= version) {
                        i.remove();
                        there.add(waiting);
                    }
                }
                for (WaitingForVersion waiting : there) {
                    vertx.cancelTimer(waiting.timer());
                    waiting.promise().tryComplete(true);
                }
            }
            wake();
        }

        @Override
        public void onListHead(ListHead head) {
            learn(head);
        }

        @Override
        public void onWarnings(List<String> texts) {
            warnings = texts.stream()
                    .filter(text -> text.length() <= MOST_WARNING_CHARS)
                    .limit(MOST_WARNINGS)
                    .toList();
        }

        @Override
        public void onBookmark(byte[] object) {
            BookmarkTemplate template = BookmarkTemplate.like(key.encoding(), object);
            if (template != null) {
                bookmarks = template;
            }
        }

        @Override
        public void onWatching(boolean open) {
            if (watching && !open) {
                checkDefinition();
            }
            watching = open;
        }

        @Override
        public void onEvents(int count) {
            eventsIn.increment(count);
        }

        @Override
        public void onTrouble(Throwable cause) {
            boolean isFirst = !isExpired(lastTrouble);
            lastTrouble = cause;
            metrics.upstreamTrouble(key.toString());
            if (!isExpired(cause) || !isFirst) {
                failWaiting(cause);
            }
        }

        @Override
        public void onEnded(Throwable cause) {
            end(cause);
        }
    }

    /** Whether it says that our own list or watch has expired, of which who waits need not hear: the next list helps. */
    private static boolean isExpired(Throwable cause) {
        return cause instanceof UpstreamStatusException refusal && refusal.code() == 410;
    }

    /** What the last attempt failed of; null when it did not. For the status page. */
    public String trouble() {
        Throwable trouble = lastTrouble;
        return trouble == null ? null : trouble.getMessage();
    }
}
