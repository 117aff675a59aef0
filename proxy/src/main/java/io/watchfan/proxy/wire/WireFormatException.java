package io.watchfan.proxy.wire;

import java.io.IOException;

/** Bytes that are no message. */
public final class WireFormatException extends IOException {
    /** @param message what is wrong, for the log */
    public WireFormatException(String message) {
        super(message);
    }
}
