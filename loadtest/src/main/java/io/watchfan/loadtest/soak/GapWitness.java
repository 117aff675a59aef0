package io.watchfan.loadtest.soak;

import io.watchfan.loadtest.apiserver.RequestListener;
import io.watchfan.loadtest.contract.Gaps;

/**
 * Sees, from what the proxy asks the API server for, of which versions the proxy can know the outcome only. It takes nobody's
 * word for it: whoever lists after a watch has not seen what was between.
 *
 * <p>A proxy that watches from a version says exactly how far it is; one that is sent something knows that, unless the
 * connection breaks before it has come. So one that lists after a broken watch has come to what it watched from at least, and
 * to what it was sent at most; and a list that was sent counts only once the next request shows that it has come:
 * another list without a watch in between begins where the first did. Called on the API server's event loop, and for restarts
 * by one other thread; each call holds the lock.
 */
public final class GapWitness implements RequestListener {
    private static final long NO_VERSION = -1;

    private final String resource;
    private final String clients;
    private final Gaps gaps;

    /** What the proxy has come to for sure. */
    private long position = NO_VERSION;
    /** The last version that it was sent. */
    private long sent = NO_VERSION;
    /** Where the gap begins that a list closes of which it is not known yet whether it came. */
    private long unconfirmed = NO_VERSION;
    /** Whether the proxy has not been seen to watch, so that it may have no state that there is a gap behind. */
    private boolean fresh = true;
    /** The first state that a fresh proxy was sent, and may have come to: the watch after it may have failed unseen. */
    private long first = NO_VERSION;
    /** The stream that is the proxy's watch now, so that late words of others do not count. */
    private FeedStream current;

    private volatile long floor;

    /**
     * A witness that has seen nothing.
     *
     * @param resource plural name of the resource
     * @param clients the user agent of clients, whose requests the proxy only passes through
     * @param gaps written by this
     * @param floor the version that the API server's own knowledge begins at
     */
    public GapWitness(String resource, String clients, Gaps gaps, long floor) {
        this.resource = resource;
        this.clients = clients;
        this.gaps = gaps;
        this.floor = floor;
    }

    /** The version that the present proxy's knowledge begins at: of what was before, it may say that it has expired. */
    public long floor() {
        return floor;
    }

    /** The proxy's process is gone, and the next is not there yet. */
    public synchronized void onProxyGone(long knownVersion) {
        // Whether it had told anyone of the difference yet, nobody knows.
        gaps.close(knownVersion);
        fresh = true;
        first = NO_VERSION;
        position = NO_VERSION;
        sent = NO_VERSION;
        unconfirmed = NO_VERSION;
        current = null;
    }

    @Override
    public synchronized Stream onWatch(String userAgent, String of, long fromVersion) {
        if (!of.equals(resource) || userAgent.equals(clients)) {
            return Stream.NONE;
        }
        if (fromVersion < 0) {
            beginList();
        } else {
            gaps.close(fromVersion);
            fresh = false;
            unconfirmed = NO_VERSION;
            position = fromVersion;
            sent = fromVersion;
        }
        current = new FeedStream(fromVersion < 0);
        return current;
    }

    @Override
    public synchronized void onList(String userAgent, String of, long version, boolean exact) {
        if (of.equals(resource) && !userAgent.equals(clients) && (current == null || current.over)) {
            beginList();
            if (fresh) {
                begun(version);
            }
        }
    }

    /** A proxy that has no state yet can say no more of a version than the API server does. */
    @Override
    public synchronized void onExpired(String of, long version) {
        if (of.equals(resource) && fresh && first == NO_VERSION) {
            floor = Math.max(floor, version + 1);
        }
    }

    /** A fresh proxy is sent a state: it begins with that, or has begun with one before, and finds the difference. */
    private void begun(long version) {
        floor = Math.max(floor, version);
        if (first == NO_VERSION) {
            first = version;
        } else if (version > first) {
            gaps.open(first, sent);
            gaps.close(version);
        }
        sent = Math.max(sent, version);
    }

    private void beginList() {
        if (!fresh && !gaps.isOpen()) {
            gaps.open(unconfirmed == NO_VERSION ? position : unconfirmed, sent);
        }
    }

    private final class FeedStream implements Stream {
        private boolean initial;
        private boolean over;

        FeedStream(boolean initial) {
            this.initial = initial;
        }

        @Override
        public void onSent(long version, boolean endsInitialEvents) {
            synchronized (GapWitness.this) {
                if (over || current != this) {
                    return;
                }
                if (endsInitialEvents) {
                    onState(version);
                    initial = false;
                }
                sent = version;
            }
        }

        private void onState(long version) {
            if (fresh) {
                begun(version);
            } else {
                unconfirmed = gaps.isOpen() ? gaps.last().from() : NO_VERSION;
                gaps.close(version);
            }
        }

        @Override
        public void onLastWord() {
            synchronized (GapWitness.this) {
                if (current == this && !initial) {
                    // It was sent in order, so all before it has come.
                    fresh = false;
                    unconfirmed = NO_VERSION;
                    position = sent;
                }
                over = true;
            }
        }

        @Override
        public void onClosed() {
            synchronized (GapWitness.this) {
                over = true;
            }
        }
    }
}
