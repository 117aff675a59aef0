package io.watchfan.loadtest.apiserver;

/** A response of unknown length, produced as fast as its client takes it. Confined to the server's event loop. */
interface StreamedResponse {
    /**
     * Appends what there is while the writer has room, and returns. Called at the start, when the client has room
     * again, and when there may be more to say.
     *
     * @return whether the response is complete
     */
    boolean pump(StreamWriter writer);

    /** The response is over: it is complete, or its client is gone. Called once. */
    void onClosed();
}
