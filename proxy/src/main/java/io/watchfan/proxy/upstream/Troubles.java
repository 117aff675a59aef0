package io.watchfan.proxy.upstream;

import java.time.Duration;

/**
 * Remembers what has gone wrong lately between a reflector and its API server, and decides what follows on that: patience
 * while it may pass, a list where watching leads nowhere, the end where nothing is to be had. Asks nobody and waits for
 * nothing. Confined to its reflector's thread.
 */
final class Troubles {
    /** What follows on an attempt that has failed. */
    enum Next {
        /** Nothing: the resource is gone, or may not be read, or not in this way. */
        END,
        /** The gap is listed, see {@link #mayListAtOnce()}. */
        LIST_GAP,
        /** The credentials are loaded again, and then as on {@link #RETRY}. */
        RELOAD,
        /** The same is tried again after {@link #pauseMillis(Throwable)}. */
        RETRY
    }

    /** How long a reflector that has a state and is forbidden to read goes on asking. */
    static final Duration FORBIDDEN_PATIENCE = Duration.ofMinutes(5);

    /** So many watches in a row without progress at one version, and the state is listed. */
    private static final int EMPTY_WATCHES = 5;
    /** So many unreadable events in a row at one version, and the state is listed. */
    private static final int GARBAGE = 3;
    /** An older state than the known one is not asked for again sooner than after this. */
    private static final long OLDER_PAUSE_MILLIS = 1000;

    private final Backoff backoff;
    private int silentStarts;
    private int listsWithoutProgress;
    private boolean toldOlder;
    private int emptyWatches;
    private int garbage;
    private long garbageAt;
    private long forbiddenSinceNanos;

    Troubles(Backoff backoff) {
        this.backoff = backoff;
    }

    /** The next pause. */
    long pauseMillis() {
        return backoff.next();
    }

    /** The next pause after this failure: as long as the API server asks for, if it does. */
    long pauseMillis(Throwable cause) {
        return backoff.next(cause instanceof UpstreamStatusException refusal ? refusal.retryAfterMillis() : 0);
    }

    /**
     * What follows on a failed attempt.
     *
     * @param cause what it failed of
     * @param known whether there is a state already
     * @param listing whether the attempt was a list, and not a watch
     * @param nowNanos in {@link System#nanoTime()} terms
     */
    Next onFailure(Throwable cause, boolean known, boolean listing, long nowNanos) {
        if (cause instanceof EncodingRefusedException || !known && cause instanceof UnversionedException) {
            return Next.END;
        }
        return switch (UpstreamStatusException.codeOf(cause)) {
            case 404, 405 -> Next.END;
            case 410 -> listing ? Next.RETRY : Next.LIST_GAP;
            case 401 -> Next.RELOAD;
            case 403 -> known && isPatient(nowNanos) ? Next.RETRY : Next.END;
            default -> Next.RETRY;
        };
    }

    private boolean isPatient(long nowNanos) {
        if (forbiddenSinceNanos == 0) {
            forbiddenSinceNanos = nowNanos;
        }
        return nowNanos - forbiddenSinceNanos <= FORBIDDEN_PATIENCE.toNanos();
    }

    /** Whether a gap may be listed at once: not when the last list has led to nothing, so that nobody asks in circles. */
    boolean mayListAtOnce() {
        return listsWithoutProgress++ == 0;
    }

    /** An event could not be read; whether the state is to be listed rather than watched again from {@code version}. */
    boolean onGarbage(long version) {
        garbage = garbageAt == version ? garbage + 1 : 1;
        garbageAt = version;
        return garbage >= GARBAGE;
    }

    /** A watch ended at once and said nothing; whether the state is to be listed rather than watched again. */
    boolean onEmptyWatch() {
        return ++emptyWatches >= EMPTY_WATCHES;
    }

    /** A streaming list said nothing at all; whether that may pass, so that it is asked for once more. */
    boolean onSilentStart() {
        return ++silentStarts == 1;
    }

    /**
     * A list is older than what is known: one of several API servers may lag; a restored cluster says so twice.
     *
     * @return how long to pause before it is asked again, in milliseconds; 0 when it is to be believed
     */
    long onOlderState() {
        if (toldOlder) {
            return 0;
        }
        toldOlder = true;
        return backoff.next(OLDER_PAUSE_MILLIS);
    }

    /** A state has been taken in. */
    void onListed() {
        toldOlder = false;
        silentStarts = 0;
        forbiddenSinceNanos = 0;
        emptyWatches = 0;
        garbage = 0;
    }

    /** What a watch has told has been published. */
    void onProgress() {
        listsWithoutProgress = 0;
        forbiddenSinceNanos = 0;
        emptyWatches = 0;
        backoff.reset();
    }
}
