package io.watchfan.loadtest.apiserver;

/**
 * Hears of every change before any client does. Called on the server's event loop, except for {@link #onLoaded}, which
 * is called while the server is being made.
 */
public interface ChangeListener {
    /** Hears nothing. */
    ChangeListener NONE = new ChangeListener() {
        @Override
        public void onLoaded(String resource, StoredObject object) {}

        @Override
        public void onChange(String resource, long version, StoredObject before, StoredObject after) {}
    };

    /**
     * An object that is there from the start.
     *
     * @param resource plural name of the resource
     */
    void onLoaded(String resource, StoredObject object);

    /**
     * One change.
     *
     * @param resource plural name of the resource
     * @param version the version of the change
     * @param before the object before; null when it was created
     * @param after the object after; null when it was deleted
     */
    void onChange(String resource, long version, StoredObject before, StoredObject after);
}
