package io.watchfan.loadtest.apiserver;

/** Hears what clients ask for and what they are sent of it. Called on the server's event loop, before the bytes leave. */
public interface RequestListener {
    /** Hears nothing. */
    RequestListener NONE = new RequestListener() {};

    /** What becomes of one watch. */
    interface Stream {
        /** Hears nothing. */
        Stream NONE = new Stream() {};

        /**
         * An event that tells a change, or a bookmark, is being sent.
         *
         * @param version the version that the client then knows
         * @param endsInitialEvents whether it is the bookmark that ends the initial events
         */
        default void onSent(long version, boolean endsInitialEvents) {}

        /** Something is being sent that makes the client leave: it will have taken all that was sent before. */
        default void onLastWord() {}

        /** The watch is over. */
        default void onClosed() {}
    }

    /**
     * A watch was asked for.
     *
     * @param userAgent who asks; empty when that is not said
     * @param resource plural name of the resource
     * @param fromVersion where it starts; negative when it begins with initial events
     */
    default Stream onWatch(String userAgent, String resource, long fromVersion) {
        return Stream.NONE;
    }

    /**
     * A list is being answered, or the first page of one.
     *
     * @param version the version of the state
     * @param exact whether just this version was asked for
     */
    default void onList(String userAgent, String resource, long version, boolean exact) {}

    /**
     * A watch from a version, or a list of it, is refused: the API server has forgotten it, and all before it.
     *
     * @param version the version that was asked for
     */
    default void onExpired(String resource, long version) {}
}
