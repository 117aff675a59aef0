package io.watchfan.loadtest.contract;

import java.util.ArrayList;
import java.util.List;

/**
 * Spans of versions of which a proxy was told the outcome only: its watch at the API server had expired, and it listed.
 * What it then tells is the difference: single events may be left out or have another type, and deletions come at the version
 * that the proxy had come to, again to who goes on from there. Where that is not known for sure, a gap begins at what it had
 * come to at least.
 *
 * <p>Written by one thread at a time, always before the proxy can have been told; read by any. Immutable arrays behind one
 * volatile reference.
 */
public final class Gaps {
    /** The end of a gap that is still open. */
    private static final long OPEN = Long.MAX_VALUE;

    /**
     * Versions above {@code from} and up to {@code to}.
     *
     * @param fromAtMost where it really begins at most, as the proxy may have come further than is known
     */
    public record Gap(long from, long fromAtMost, long to) {
        @Override
        public String toString() {
            return from + ".." + (to == OPEN ? "" : to);
        }
    }

    private volatile List<Gap> gaps = List.of();

    /** Opens a gap above a version. */
    public void open(long from) {
        open(from, from);
    }

    /** Opens a gap above a version, or one that is greater by an unknown number, but {@code fromAtMost} at most. */
    public synchronized void open(long from, long fromAtMost) {
        close(from);
        List<Gap> next = new ArrayList<>(gaps);
        next.add(new Gap(from, Math.max(from, fromAtMost), OPEN));
        gaps = List.copyOf(next);
    }

    /** Ends the open gap, if there is one, at a version; one without a version in it is forgotten. */
    public synchronized void close(long to) {
        if (!isOpen()) {
            return;
        }
        List<Gap> next = new ArrayList<>(gaps);
        Gap open = next.remove(next.size() - 1);
        if (to > open.from) {
            next.add(new Gap(open.from, open.fromAtMost, to));
        }
        gaps = List.copyOf(next);
    }

    /** Whether the last gap has no end yet. */
    public boolean isOpen() {
        Gap last = last();
        return last != null && last.to == OPEN;
    }

    /** The latest gap; null when there was none. */
    public Gap last() {
        List<Gap> all = gaps;
        return all.isEmpty() ? null : all.get(all.size() - 1);
    }

    /** All gaps so far, in the order in which they opened. */
    public List<Gap> all() {
        return gaps;
    }

    /** Whether the event of a version may have been left out. */
    public boolean contains(long version) {
        return gaps.stream().anyMatch(gap -> gap.from < version && version <= gap.to);
    }

    /** Whether a version is one of which it is not known what a client that holds it has seen. */
    public boolean isStrictlyInside(long version) {
        return gaps.stream().anyMatch(gap -> gap.from < version && version < gap.to);
    }

    /** Whether a gap begins at a version, or may, so that deletions may be told at it. */
    public boolean isStart(long version) {
        return gaps.stream().anyMatch(gap -> gap.from <= version && version <= gap.fromAtMost);
    }
}
