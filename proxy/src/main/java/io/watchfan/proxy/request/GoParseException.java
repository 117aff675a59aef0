package io.watchfan.proxy.request;

/** Text that Go would refuse; the message is Go's, word for word. */
final class GoParseException extends Exception {
    GoParseException(String message) {
        super(message, null, false, false);
    }
}
