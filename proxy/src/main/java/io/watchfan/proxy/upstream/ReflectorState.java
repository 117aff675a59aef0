package io.watchfan.proxy.upstream;

/** What a {@link Reflector} is doing. */
sealed interface ReflectorState {
    /** Nothing: not started yet, or stopped for good. */
    record Stopped() implements ReflectorState {}

    /** Fetching the state anew, by a streaming list or in pages. */
    record Listing(String cause) implements ReflectorState {}

    /** An upstream watch is being opened or is open. */
    record Watching() implements ReflectorState {}

    /** Pausing before the next attempt. */
    record Pausing(long timer) implements ReflectorState {}
}
