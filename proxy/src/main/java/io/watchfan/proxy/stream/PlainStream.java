package io.watchfan.proxy.stream;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/**
 * A stream through the plain response API of Vert.x: for HTTP/2, and wherever the connection's internals are not what
 * {@link SocketStream} knows. Each unit is copied for the one client, and Vert.x frames it.
 */
final class PlainStream implements ResponseStream {
    private static final int MOST_IN_FLIGHT = 2 * FrameBuilder.UNIT_BYTES;

    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private Runnable onDrain = () -> {};
    private boolean ending;
    private boolean waiting;
    private long inFlight;
    private long taken;

    PlainStream(HttpServerRequest request) {
        this.request = request;
        this.response = request.response();
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
            // Counted here: the response's own mark is of messages, whatever their size.
            inFlight += copy.length;
            waiting = inFlight >= MOST_IN_FLIGHT;
            response.write(Buffer.buffer(copy)).onSuccess(v -> sent(copy.length));
            unit++;
        }
        return unit;
    }

    private void sent(int length) {
        inFlight -= length;
        taken += length;
        if (waiting && inFlight < MOST_IN_FLIGHT) {
            waiting = false;
            if (!ending && !response.closed()) {
                onDrain.run();
            }
        }
    }

    @Override
    public void onDrain(Runnable action) {
        onDrain = action;
    }

    @Override
    public Future<Void> end() {
        if (ending || response.ended() || response.closed()) {
            return Future.succeededFuture();
        }
        ending = true;
        return response.end();
    }

    @Override
    public void abort() {
        ending = true;
        ResponseStreams.cut(request);
    }

    @Override
    public long taken() {
        return taken;
    }
}
