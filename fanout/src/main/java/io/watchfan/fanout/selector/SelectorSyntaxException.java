package io.watchfan.fanout.selector;

/**
 * A selector that the API server refuses. The message is the whole message of its 400 answer, word for word (W-158,
 * W-161, W-162, W-164). It has no stack trace: bad input is a client's, not a fault of ours.
 */
public final class SelectorSyntaxException extends Exception {
    private final int offset;
    private final String token;

    SelectorSyntaxException(String message, int offset, String token) {
        super(message, null, false, false);
        this.offset = offset;
        this.token = token;
    }

    /** Where the token begins in the selector, in chars from 0; the length of the text when its end was the trouble. */
    public int offset() {
        return offset;
    }

    /** What could not be understood; empty at the end of the text and for a value that was left out. */
    public String token() {
        return token;
    }
}
