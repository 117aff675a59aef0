package io.watchfan.loadtest.swarm;

/** Takes the lines of a stream. */
interface LineSink {
    /**
     * One line without its newline. The bytes are only lent for the call.
     *
     * @param from the first byte
     * @param to behind the last byte
     */
    void onLine(byte[] bytes, int from, int to);

    /** The line that is expected next, without its newline; null when none is. It is not changed. */
    default byte[] expectedLine() {
        return null;
    }

    /** As {@link #onLine}, of the line that was expected. */
    default void onExpectedLine() {
        throw new IllegalStateException("no line was expected");
    }
}
