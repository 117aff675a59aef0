package io.watchfan.proxy.stream;

import java.util.Objects;

/**
 * All that the bytes of a frame depend on besides its lines: streams of equal formats can be written from one frame.
 *
 * @param framing how lines are wrapped
 * @param lines how they are written; one instance for all that are written alike
 * @param isCompressed whether each unit is a gzip member (W-127); not for WebSockets
 */
public record FrameFormat(Framing framing, LineFormat lines, boolean isCompressed) {
    /** Checks that neither is null, and that they go together. */
    public FrameFormat {
        Objects.requireNonNull(framing);
        Objects.requireNonNull(lines);
        if (isCompressed && framing == Framing.WEBSOCKET) {
            throw new IllegalArgumentException("messages of a WebSocket are not compressed");
        }
    }

    /** A format that is not compressed. */
    public FrameFormat(Framing framing, LineFormat lines) {
        this(framing, lines, false);
    }
}
