package io.watchfan.proxy.request;

/** A request that is answered with this Status instead. Carries no stack trace: it is an outcome, not a fault. */
public final class StatusException extends RuntimeException {
    private final transient StatusBody body;

    /** An exception that carries {@code body}, whose message becomes its own. */
    public StatusException(StatusBody body) {
        super(body.message(), null, false, false);
        this.body = body;
    }

    /** What to answer. */
    public StatusBody body() {
        return body;
    }
}
