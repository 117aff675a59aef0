package io.watchfan.proxy.passthrough;

import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads an HTTP/1.1 answer from a connection that may stop being HTTP: it knows where the head ends, and leaves what comes
 * after a 101 as it is. Any other answer is taken apart as HTTP has it. One answer only.
 */
final class AnswerReader implements Handler<Buffer> {
    private static final int MOST_HEAD_BYTES = 256 * 1024;
    private static final int MOST_LINE_BYTES = 8 * 1024;
    private static final Pattern STATUS_LINE = Pattern.compile("HTTP/1\\.[01] ([1-9][0-9]{2})(?: (.*))?");
    private static final int SWITCHING_PROTOCOLS = 101;

    /** What becomes of the answer. At most one of {@code end}, {@code switched} and {@code broken} is called, as the last. */
    interface Sink {
        /** An answer that refuses to switch; its body follows. */
        void head(int code, String message, MultiMap headers, boolean hasBody);

        /** A piece of the body. */
        void data(Buffer piece);

        /** The body is complete. */
        void end();

        /** The protocol is another one now: the head as it came, and what has come behind it. */
        void switched(Buffer head, Buffer rest);

        /** This is no HTTP, or it breaks off. */
        void broken(IOException cause);
    }

    private enum State {
        HEAD,
        LENGTH,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILER,
        UNTIL_CLOSED,
        DONE
    }

    private final Sink sink;
    private State state = State.HEAD;
    private Buffer pending = Buffer.buffer();
    /** Bytes still to come of the body or chunk. */
    private long left;

    AnswerReader(Sink sink) {
        this.sink = sink;
    }

    @Override
    public void handle(Buffer bytes) {
        if (state == State.DONE) {
            return;
        }
        pending = pending.length() == 0 ? bytes : pending.appendBuffer(bytes);
        try {
            boolean more = true;
            while (more && state != State.DONE) {
                more = step();
            }
        } catch (IOException e) {
            state = State.DONE;
            sink.broken(e);
        }
    }

    /** The connection is closed. */
    void closed() {
        if (state == State.UNTIL_CLOSED) {
            done();
        } else if (state != State.DONE) {
            state = State.DONE;
            sink.broken(new IOException("the connection was closed"));
        }
    }

    /** Whether the answer, or the protocol, is over. */
    boolean isDone() {
        return state == State.DONE;
    }

    /** Takes one element off what is pending; false if there is not enough. */
    private boolean step() throws IOException {
        return switch (state) {
            case HEAD -> head();
            case LENGTH, CHUNK, UNTIL_CLOSED -> body();
            case CHUNK_SIZE -> chunkSize();
            case CHUNK_END -> chunkEnd();
            case TRAILER -> trailer();
            case DONE -> false;
        };
    }

    private boolean head() throws IOException {
        int end = indexOf("\r\n\r\n");
        if (end < 0) {
            limit(MOST_HEAD_BYTES);
            return false;
        }
        Buffer head = pending.getBuffer(0, end + 4);
        drop(end + 4);
        String[] lines = head.getString(0, end, "ISO-8859-1").split("\r\n", -1);
        Matcher status = STATUS_LINE.matcher(lines[0]);
        if (!status.matches()) {
            throw new IOException("the answer is not HTTP/1.1");
        }
        int code = Integer.parseInt(status.group(1));
        if (code == SWITCHING_PROTOCOLS) {
            state = State.DONE;
            sink.switched(head, pending);
        } else if (code >= 200) {
            begin(code, status.group(2) == null ? "" : status.group(2), headers(lines));
        }
        return true;
    }

    private void begin(int code, String message, MultiMap headers) throws IOException {
        String length = headers.get(HttpHeaders.CONTENT_LENGTH);
        if (code == 204 || code == 304) {
            state = State.LENGTH;
            left = 0;
        } else if (headers.contains(HttpHeaders.TRANSFER_ENCODING, HttpHeaders.CHUNKED, true)) {
            state = State.CHUNK_SIZE;
            headers.remove(HttpHeaders.CONTENT_LENGTH);
        } else if (length != null) {
            state = State.LENGTH;
            left = number(length, 10);
        } else {
            state = State.UNTIL_CLOSED;
            left = Long.MAX_VALUE;
        }
        sink.head(code, message, headers, state != State.LENGTH || left > 0);
        if (state == State.LENGTH && left == 0) {
            done();
        }
    }

    private boolean body() {
        int count = (int) Math.min(left, pending.length());
        if (count == 0) {
            return false;
        }
        Buffer piece = pending.getBuffer(0, count);
        drop(count);
        left -= count;
        sink.data(piece);
        if (left == 0) {
            if (state == State.CHUNK) {
                state = State.CHUNK_END;
            } else {
                done();
            }
        }
        return true;
    }

    private boolean chunkSize() throws IOException {
        String line = line();
        if (line == null) {
            return false;
        }
        int extension = line.indexOf(';');
        left = number(extension < 0 ? line : line.substring(0, extension), 16);
        state = left == 0 ? State.TRAILER : State.CHUNK;
        return true;
    }

    private boolean chunkEnd() throws IOException {
        String line = line();
        if (line != null && !line.isEmpty()) {
            throw new IOException("a chunk is longer than its size");
        }
        state = line == null ? State.CHUNK_END : State.CHUNK_SIZE;
        return line != null;
    }

    private boolean trailer() throws IOException {
        String line = line();
        if (line != null && line.isEmpty()) {
            done();
        }
        return line != null;
    }

    private void done() {
        state = State.DONE;
        sink.end();
    }

    private static MultiMap headers(String[] lines) throws IOException {
        MultiMap headers = HttpHeaders.headers();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon < 1) {
                throw new IOException("the answer has a header without a name");
            }
            try {
                headers.add(
                        lines[i].substring(0, colon),
                        lines[i].substring(colon + 1).strip());
            } catch (IllegalArgumentException e) {
                throw new IOException("the answer has a malformed header", e);
            }
        }
        return headers;
    }

    private static long number(String text, int radix) throws IOException {
        try {
            long number = Long.parseLong(text.strip(), radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new IOException("the answer has a malformed length");
    }

    private String line() throws IOException {
        int end = indexOf("\r\n");
        if (end < 0) {
            limit(MOST_LINE_BYTES);
            return null;
        }
        String line = pending.getString(0, end, "ISO-8859-1");
        drop(end + 2);
        return line;
    }

    private int indexOf(String delimiter) {
        for (int i = 0; i + delimiter.length() <= pending.length(); i++) {
            int matched = 0;
            while (matched < delimiter.length() && pending.getByte(i + matched) == delimiter.charAt(matched)) {
                matched++;
            }
            if (matched == delimiter.length()) {
                return i;
            }
        }
        return -1;
    }

    private void limit(int most) throws IOException {
        if (pending.length() > most) {
            throw new IOException("the answer has no end of head or line");
        }
    }

    private void drop(int count) {
        pending = pending.getBuffer(count, pending.length());
    }
}
