package io.watchfan.proxy.watch;

/** A request turned out not to be answerable from the cache; the reason is a metric label. An expected outcome. */
final class NotServedException extends RuntimeException {
    NotServedException(String reason) {
        super(reason, null, false, false);
    }
}
