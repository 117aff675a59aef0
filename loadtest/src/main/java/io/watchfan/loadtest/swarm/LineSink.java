package io.watchfan.loadtest.swarm;

/** Takes the lines of a stream. */
@FunctionalInterface
interface LineSink {
    /**
     * One line without its newline. The bytes are only lent for the call.
     *
     * @param from the first byte
     * @param to behind the last byte
     */
    void onLine(byte[] bytes, int from, int to);
}
