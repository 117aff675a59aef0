package io.watchfan.proxy.upstream;

/**
 * The resource's objects or lists carry no resourceVersion, or none that is an ordered number, as those of some aggregated
 * API servers: nothing can be resumed or compared, so it is not fed.
 */
public final class UnversionedException extends MalformedObjectException {
    /** @param message what is missing where, for the log */
    public UnversionedException(String message) {
        super(message);
    }
}
