package io.watchfan.proxy.stream;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/**
 * A stream through the plain response API of Vert.x: for HTTP/2, and wherever the connection's internals are not what
 * {@link SocketStream} knows. Each unit is copied for the one client, and Vert.x frames it.
 */
final class PlainStream implements ResponseStream {
    private final HttpServerResponse response;
    private Runnable onDrain = () -> {};
    private boolean ending;
    private boolean waiting;
    private long taken;

    PlainStream(HttpServerResponse response) {
        this.response = response;
        response.setWriteQueueMaxSize(2 * FrameBuilder.UNIT_BYTES);
        response.drainHandler(v -> {
            if (waiting) {
                waiting = false;
                onDrain.run();
            }
        });
    }

    @Override
    public Framing framing() {
        return Framing.PLAIN;
    }

    @Override
    public boolean isWritable() {
        return !waiting && !ending && !response.ended() && !response.closed();
    }

    @Override
    public int write(Frame frame, int fromUnit) {
        int unit = fromUnit;
        while (unit < frame.units() && !waiting) {
            byte[] copy = new byte[frame.end(unit) - frame.start(unit)];
            frame.bytes().getBytes(frame.start(unit), copy);
            response.write(Buffer.buffer(copy)).onSuccess(v -> taken += copy.length);
            unit++;
            waiting = response.writeQueueFull();
        }
        return unit;
    }

    @Override
    public void onDrain(Runnable action) {
        onDrain = action;
    }

    @Override
    public void end() {
        if (!ending && !response.ended() && !response.closed()) {
            ending = true;
            response.end();
        }
    }

    @Override
    public void abort() {
        ending = true;
        response.reset();
    }

    @Override
    public long taken() {
        return taken;
    }
}
