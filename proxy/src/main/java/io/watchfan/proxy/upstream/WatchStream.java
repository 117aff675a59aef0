package io.watchfan.proxy.upstream;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.concurrent.TimeUnit;

/**
 * One upstream watch, from its request to its end: finds the events in its bytes, tells them to its phase, and notices when
 * it falls silent. Decides nothing. Confined to its reflector's thread; once it is closed, nothing is told.
 */
final class WatchStream {
    /** A watch shorter than this that said nothing is no progress (W-215). */
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Between two looks whether it is silent, at least. */
    private static final long LEAST_LOOK_MILLIS = 10;

    private final Vertx vertx;
    private final ObjectFormat format;
    private final FrameDecoder decoder;
    private Phase phase;
    private HttpClientRequest request;
    private long silenceTimer;
    private long openedNanos;
    private long heardNanos;
    private boolean said;
    private boolean closed;

    /**
     * @param vertx the upstream instance
     * @param format reads its events
     * @param first what its events are at first
     */
    WatchStream(Vertx vertx, ObjectFormat format, Phase first) {
        this.vertx = vertx;
        this.format = format;
        this.decoder = format.frames(this::onFrame);
        this.phase = first;
    }

    /** Asks for it; once. */
    void open(UpstreamClient client, String pathAndQuery) {
        client.request(HttpMethod.GET, pathAndQuery).onComplete(connected -> {
            if (closed) {
                if (connected.succeeded()) {
                    connected.result().reset();
                }
            } else if (connected.failed()) {
                phase.onBroken(connected.cause());
            } else {
                send(connected.result());
            }
        });
    }

    private void send(HttpClientRequest connected) {
        request = connected;
        openedNanos = System.nanoTime();
        heardNanos = openedNanos;
        silenceTimer = vertx.setPeriodic(Math.max(LEAST_LOOK_MILLIS, phase.patienceMillis() / 4), t -> checkSilence());
        request.exceptionHandler(this::onBroken);
        request.putHeader("Accept", format.encoding().watchAccept())
                .send()
                .onSuccess(this::onResponse)
                .onFailure(this::onBroken);
    }

    /** From the next event on, events are told to {@code next}. */
    void become(Phase next) {
        phase = next;
    }

    /** Ends it, whatever it has come to. May be called again. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (request != null) {
            vertx.cancelTimer(silenceTimer);
            request.reset();
        }
    }

    private void checkSilence() {
        if (System.nanoTime() - heardNanos > TimeUnit.MILLISECONDS.toNanos(phase.patienceMillis())) {
            phase.onSilence();
        }
    }

    private void onResponse(HttpClientResponse response) {
        if (closed) {
            return;
        }
        heardNanos = System.nanoTime();
        try {
            format.encoding().check(response.statusCode(), response.getHeader("Content-Type"));
        } catch (EncodingRefusedException e) {
            phase.onBroken(e);
            return;
        }
        if (response.statusCode() != 200) {
            response.body().onComplete(body -> {
                if (!closed) {
                    phase.onRefused(new UpstreamStatusException(
                            response.statusCode(),
                            response.headers(),
                            body.succeeded() ? body.result() : Buffer.buffer()));
                }
            });
            return;
        }
        phase.onOpened(response.headers());
        response.exceptionHandler(this::onBroken);
        response.endHandler(end -> onEnd());
        response.handler(this::onBytes);
    }

    private void onBytes(Buffer bytes) {
        if (closed) {
            return;
        }
        heardNanos = System.nanoTime();
        boolean whole = decoder.feed(bytes);
        if (closed) {
            return;
        }
        phase.onBufferEnd();
        if (!whole && !closed) {
            phase.onGarbage(new MalformedObjectException("a frame longer than any event"));
        }
    }

    private boolean onFrame(byte[] bytes, int offset, int length) {
        try {
            phase.onEvent(format.event(bytes, offset, length));
            said = true;
            return !closed;
        } catch (MalformedObjectException e) {
            phase.onBufferEnd();
            if (!closed) {
                phase.onGarbage(e);
            }
            return false;
        }
    }

    private void onEnd() {
        if (!closed) {
            phase.onEnd(!said && System.nanoTime() - openedNanos <= SHORT_NANOS);
        }
    }

    private void onBroken(Throwable cause) {
        if (!closed) {
            phase.onBroken(cause);
        }
    }
}
