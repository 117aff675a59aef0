package io.watchfan.proxy.watch;

/** The client went away before its request was answered. An expected outcome. */
final class ClientGoneException extends RuntimeException {
    ClientGoneException() {
        super("the client has gone", null, false, false);
    }
}
