package io.watchfan.proxy.stream;

import java.util.Objects;

/**
 * All that the bytes of a frame depend on besides its lines: streams of equal formats can be written from one frame.
 *
 * @param framing how lines are wrapped
 * @param lines how they are written; one instance for all that are written alike
 */
public record FrameFormat(Framing framing, LineFormat lines) {
    /** Checks that neither is null. */
    public FrameFormat {
        Objects.requireNonNull(framing);
        Objects.requireNonNull(lines);
    }
}
