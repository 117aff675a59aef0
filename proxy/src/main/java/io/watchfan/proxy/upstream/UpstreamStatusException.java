package io.watchfan.proxy.upstream;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.wire.Envelope;
import io.watchfan.proxy.wire.WireFormatException;

/** The API server answered with another status than success. Carries no stack trace: it is an expected outcome. */
public final class UpstreamStatusException extends RuntimeException {
    private final int code;
    private final transient MultiMap headers;
    private final transient Buffer body;

    /**
     * @param code the status code
     * @param headers the headers of the answer
     * @param body the whole body
     */
    public UpstreamStatusException(int code, MultiMap headers, Buffer body) {
        super("the API server answered " + code + ": " + excerpt(body), null, false, false);
        this.code = code;
        this.headers = headers;
        this.body = body;
    }

    /** The status code. */
    public int code() {
        return code;
    }

    /** The status code that {@code cause} tells of; 0 when it is no answer. */
    static int codeOf(Throwable cause) {
        return cause instanceof UpstreamStatusException refusal ? refusal.code : 0;
    }

    /** The headers of the answer. */
    public MultiMap headers() {
        return headers;
    }

    /** The whole body. */
    public Buffer body() {
        return body;
    }

    /** How long the API server asks to wait, in milliseconds; 0 when it does not say. */
    public long retryAfterMillis() {
        String seconds = headers.get("Retry-After");
        if (seconds == null) {
            return 0;
        }
        try {
            return Math.max(0, Math.min(86_400, Long.parseLong(seconds.trim()))) * 1000;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static String excerpt(Buffer body) {
        String text = text(body).strip();
        return text.length() > 300 ? text.substring(0, 300) + "..." : text;
    }

    /** The body, or the message of a Status in protobuf. */
    private static String text(Buffer body) {
        byte[] bytes = body.getBytes();
        try {
            Envelope.Content content = Envelope.open(bytes, 0, bytes.length);
            return StatusMessage.read(bytes, content.offset(), content.length()).message();
        } catch (WireFormatException e) {
            return body.toString();
        }
    }
}
