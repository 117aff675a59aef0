package io.watchfan.loadtest.soak;

import io.watchfan.loadtest.contract.Gaps;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.ScopeJournal;
import io.watchfan.loadtest.contract.Truth;
import io.watchfan.loadtest.swarm.EndJudge;
import io.watchfan.loadtest.swarm.EndReason;
import io.watchfan.loadtest.swarm.StreamEnd;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Which faults explain what. A stream that has begun may end
 *
 * <ul>
 *   <li>properly: at its deadline, or while the proxy drains, or did since; a client that did not read sees it later;
 *   <li>cut: while the proxy restarts, or after its client had stopped reading;
 *   <li>by 410: where {@link #explainsExpired} says so; or, after trouble upstream, when it was told a state and nothing
 *       since: that may be ahead of what the proxy has been sent, and the window is counted from there;
 *   <li>otherwise not at all, whatever happens upstream.
 * </ul>
 *
 * <p>One that has not begun, and a list, may also fail while something is wrong upstream, or was shortly before. Faults are
 * told before they happen. Any thread; times are in {@link System#nanoTime()} terms, written by the one that runs the soak.
 */
public final class Explanations implements EndJudge {
    /** So long after a fault the proxy may still be pausing, or be waited for in vain. */
    private static final Duration UPSTREAM_GRACE = Duration.ofSeconds(20);

    private static final Duration RESTART_GRACE = Duration.ofSeconds(2);

    private final ScopeJournal everything;
    private final Gaps gaps;
    private final GapWitness witness;
    private final int windowEvents;
    private final Map<EndReason, LongAdder> ends = new EnumMap<>(EndReason.class);

    private volatile boolean restarting;
    private volatile boolean draining;
    private volatile boolean drained;
    private volatile long drainedNanos;
    private volatile long restartedNanos = System.nanoTime() - UPSTREAM_GRACE.toNanos();
    private volatile long upstreamUntilNanos = System.nanoTime();

    /**
     * Knows of no fault yet.
     *
     * @param windowEvents how many events the proxy keeps
     */
    public Explanations(Truth truth, GapWitness witness, int windowEvents) {
        this.everything = truth.journal(Scope.EVERYTHING);
        this.gaps = truth.gaps();
        this.witness = witness;
        this.windowEvents = windowEvents;
        for (EndReason reason : EndReason.values()) {
            ends.put(reason, new LongAdder());
        }
    }

    /** A fault upstream begins and lasts so long. */
    void onUpstreamFault(Duration length) {
        upstreamUntilNanos = Math.max(
                upstreamUntilNanos,
                System.nanoTime() + length.plus(UPSTREAM_GRACE).toNanos());
    }

    /** The proxy is about to be stopped. */
    void onStopping(boolean gracefully) {
        restarting = true;
        draining = gracefully;
    }

    /** The proxy's process is gone. */
    void onStopped() {
        if (draining) {
            drainedNanos = System.nanoTime();
            drained = true;
            draining = false;
        }
    }

    /** The proxy is there again. */
    void onStarted() {
        restartedNanos = System.nanoTime();
        restarting = false;
    }

    /** Whether the last proxy that drained may have ended it; it may have begun after the signal was sent. */
    private boolean isOfDrained(StreamEnd end) {
        return drained && end.beganNanos() - drainedNanos < 0;
    }

    private boolean isSeenInTime(StreamEnd end) {
        return end.heldUp() || isRestart(RESTART_GRACE);
    }

    /** How many streams ended how. */
    public Map<EndReason, LongAdder> ends() {
        return ends;
    }

    private boolean isRestart(Duration grace) {
        return restarting || System.nanoTime() - restartedNanos < grace.toNanos();
    }

    /** Whether the API server, or the proxy, is or was not to be reached, so that new requests may fail. */
    boolean excuseFailures() {
        return isRestart(UPSTREAM_GRACE) || System.nanoTime() - upstreamUntilNanos < 0;
    }

    /**
     * Whether a client that holds a version may be told that it has expired: the proxy's knowledge begins later, or has a gap
     * around it or a new epoch after it, or the events since fill its window. A watch that was told the state at the end of a gap
     * ahead of the feed ends with the others.
     */
    boolean explainsExpired(long version) {
        return version < witness.floor()
                || gaps.isStrictlyInside(version)
                || gaps.all().stream().anyMatch(gap -> version <= gap.to() && isEpochPossible(gap))
                || isLapped(version);
    }

    /** Whether the difference of a gap may be more than half of the window. A change may take two events there. */
    private boolean isEpochPossible(Gaps.Gap gap) {
        return 2 * eventsIn(gap.from(), gap.to()) > windowEvents / 2;
    }

    private boolean isLapped(long version) {
        long events = eventsIn(version, Long.MAX_VALUE);
        for (Gaps.Gap gap : gaps.all()) {
            if (gap.to() > version) {
                events += eventsIn(Math.max(version, gap.from()), gap.to());
            }
        }
        return events >= windowEvents;
    }

    private long eventsIn(long from, long to) {
        return everything.firstAfter(to) - everything.firstAfter(from);
    }

    @Override
    public String objection(StreamEnd end) {
        ends.get(end.reason()).increment();
        boolean explained = switch (end.reason()) {
            case CLEAN -> end.atDeadline() || draining || isOfDrained(end) && isSeenInTime(end);
            case CUT -> end.heldUp() || isRestart(RESTART_GRACE) || !end.established() && excuseFailures();
            case EXPIRED -> end.version() >= 0 && explainsExpired(end.version());
            case ERROR -> !end.established() && excuseFailures();
            case NO_CONNECTION -> isRestart(RESTART_GRACE);
            case LEFT -> true;
        };
        return explained
                ? null
                : "the stream ended and no fault explains it: " + end + "; gaps " + gaps.last() + ", known from "
                        + witness.floor() + " to " + everything.knownVersion();
    }
}
