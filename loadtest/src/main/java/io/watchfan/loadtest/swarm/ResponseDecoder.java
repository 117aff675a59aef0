package io.watchfan.loadtest.swarm;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads one HTTP/1.1 response from bytes as they come: status, headers, and the body out of its chunks, its length, or
 * up to the end of the connection. The body is handed on where it lies. Confined to one thread.
 *
 * <pre>
 *   HEAD -> BODY (until close) | LENGTH -> DONE
 *        -> CHUNK_SIZE -> CHUNK_DATA -> CHUNK_END -> CHUNK_SIZE ... -> TRAILER -> DONE
 * </pre>
 */
final class ResponseDecoder {
    private static final int MAX_HEAD_BYTES = 32 << 10;
    private static final int MAX_CHUNK_DIGITS = 8;

    /** Takes the parts of a response. */
    interface Listener {
        /** The head has been read. */
        void onHead(int status);

        /** Some of the body; the bytes are only lent for the call. */
        void onBody(byte[] bytes, int from, int to);

        /** The response is complete: it ended properly. */
        void onEnd();
    }

    private enum State {
        HEAD,
        BODY,
        LENGTH,
        CHUNK_SIZE,
        CHUNK_DATA,
        CHUNK_END,
        TRAILER,
        DONE
    }

    private final Listener listener;
    private final StringBuilder head = new StringBuilder();
    private State state = State.HEAD;
    private long remaining;
    private int digits;
    private boolean extension;
    private boolean trailerLineEmpty;

    ResponseDecoder(Listener listener) {
        this.listener = listener;
    }

    /** Whether the response is complete. */
    boolean isDone() {
        return state == State.DONE;
    }

    /**
     * Takes the next bytes of the connection.
     *
     * @throws IllegalStateException when they are no HTTP response
     */
    void feed(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && state != State.DONE) {
            at = switch (state) {
                case HEAD -> feedHead(bytes, at, to);
                case BODY -> feedBody(bytes, at, to);
                case LENGTH, CHUNK_DATA -> feedCounted(bytes, at, to);
                case CHUNK_SIZE -> feedChunkSize(bytes[at], at);
                case CHUNK_END -> feedChunkEnd(bytes[at], at);
                case TRAILER -> feedTrailer(bytes[at], at);
                case DONE -> throw new AssertionError("the loop has ended");
            };
        }
    }

    private int feedHead(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            head.append((char) (bytes[i] & 0xff));
            int length = head.length();
            if (bytes[i] == '\n' && length >= 4 && head.charAt(length - 3) == '\n') {
                onHead(head.toString());
                head.setLength(0);
                head.trimToSize();
                return i + 1;
            }
        }
        if (head.length() > MAX_HEAD_BYTES) {
            throw new IllegalStateException("a response head of more than " + MAX_HEAD_BYTES + " bytes");
        }
        return to;
    }

    private void onHead(String text) {
        if (!text.startsWith("HTTP/1.") || text.length() < 12) {
            throw new IllegalStateException(
                    "no HTTP response: " + text.lines().findFirst().orElse(""));
        }
        int status = Integer.parseInt(text.substring(9, 12));
        String lower = text.toLowerCase(Locale.ROOT);
        int length = lower.indexOf("\r\ncontent-length:");
        if (lower.contains("\r\ntransfer-encoding: chunked\r\n")
                || lower.contains("\r\ntransfer-encoding:chunked\r\n")) {
            nextChunk();
        } else if (length >= 0) {
            int valueFrom = length + "\r\ncontent-length:".length();
            remaining = Long.parseLong(
                    text.substring(valueFrom, text.indexOf('\r', valueFrom)).strip());
            state = State.LENGTH;
        } else {
            state = State.BODY;
        }
        listener.onHead(status);
        if (state == State.LENGTH && remaining == 0) {
            done();
        }
    }

    private int feedBody(byte[] bytes, int from, int to) {
        listener.onBody(bytes, from, to);
        return to;
    }

    private int feedCounted(byte[] bytes, int from, int to) {
        int count = (int) Math.min(remaining, to - from);
        remaining -= count;
        boolean chunked = state == State.CHUNK_DATA;
        listener.onBody(bytes, from, from + count);
        if (remaining == 0) {
            if (chunked) {
                state = State.CHUNK_END;
            } else {
                done();
            }
        }
        return from + count;
    }

    private void nextChunk() {
        state = State.CHUNK_SIZE;
        remaining = 0;
        digits = 0;
        extension = false;
    }

    private int feedChunkSize(byte next, int at) {
        if (next == '\n') {
            if (digits == 0) {
                throw new IllegalStateException("a chunk without a size");
            }
            trailerLineEmpty = true;
            state = remaining == 0 ? State.TRAILER : State.CHUNK_DATA;
        } else if (next == ';' || next == '\r') {
            extension = true;
        } else if (!extension) {
            int digit = Character.digit(next, 16);
            if (digit < 0 || ++digits > MAX_CHUNK_DIGITS) {
                throw new IllegalStateException("no chunk size: "
                        + new String(new byte[] {next}, StandardCharsets.ISO_8859_1) + " after " + digits + " digits");
            }
            remaining = remaining << 4 | digit;
        }
        return at + 1;
    }

    private int feedChunkEnd(byte next, int at) {
        if (next == '\n') {
            nextChunk();
        } else if (next != '\r') {
            throw new IllegalStateException("a chunk is longer than its size says");
        }
        return at + 1;
    }

    private int feedTrailer(byte next, int at) {
        if (next == '\n') {
            if (trailerLineEmpty) {
                done();
            }
            trailerLineEmpty = true;
        } else if (next != '\r') {
            trailerLineEmpty = false;
        }
        return at + 1;
    }

    private void done() {
        state = State.DONE;
        listener.onEnd();
    }
}
