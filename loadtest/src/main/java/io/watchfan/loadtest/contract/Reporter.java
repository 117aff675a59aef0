package io.watchfan.loadtest.contract;

/** Where the checkers of one watcher say what is wrong. */
@FunctionalInterface
interface Reporter {
    /**
     * Reports a broken promise.
     *
     * @param version where in the stream
     * @param detail what was wrong
     */
    void report(Guarantee guarantee, long version, String detail);
}
