package io.watchfan.proxy.upstream;

/** What came from the API server is not what it should be: not JSON, no name, no version, an unknown type of event. */
public class MalformedObjectException extends Exception {
    /** @param message what is wrong, for the log */
    public MalformedObjectException(String message) {
        super(message);
    }

    /**
     * @param message what is wrong, for the log
     * @param cause the parser's word
     */
    public MalformedObjectException(String message, Throwable cause) {
        super(message, cause);
    }
}
