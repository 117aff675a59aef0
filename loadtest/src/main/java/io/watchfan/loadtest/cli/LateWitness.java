package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.RequestListener;

/** Passes on what it hears once it is known to whom. */
final class LateWitness implements RequestListener {
    private volatile RequestListener witness = RequestListener.NONE;

    /** Whom to tell from now on. */
    void begin(RequestListener listener) {
        witness = listener;
    }

    @Override
    public Stream onWatch(String userAgent, String resource, long fromVersion) {
        return witness.onWatch(userAgent, resource, fromVersion);
    }

    @Override
    public void onList(String userAgent, String resource, long version, boolean exact) {
        witness.onList(userAgent, resource, version, exact);
    }

    @Override
    public void onExpired(String resource, long version) {
        witness.onExpired(resource, version);
    }
}
