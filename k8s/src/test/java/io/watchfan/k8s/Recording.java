package io.watchfan.k8s;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** An answer as it comes: its head, and so much of its body as there is by now. */
final class Recording implements HttpResponse.BodySubscriber<Recording>, AutoCloseable {
    private final HttpResponse.ResponseInfo head;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private Flow.Subscription subscription;
    private boolean ended;
    private boolean closed;
    private Throwable trouble;

    Recording(HttpResponse.ResponseInfo head) {
        this.head = head;
    }

    @Override
    public CompletionStage<Recording> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription opened) {
        subscription = opened;
        if (closed) {
            opened.cancel();
        } else {
            opened.request(Long.MAX_VALUE);
        }
    }

    @Override
    public synchronized void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            body.writeBytes(bytes);
        }
        notifyAll();
    }

    @Override
    public synchronized void onError(Throwable cause) {
        trouble = cause;
        ended = true;
        notifyAll();
    }

    @Override
    public synchronized void onComplete() {
        ended = true;
        notifyAll();
    }

    int status() {
        return head.statusCode();
    }

    /** All values of a header, as one text; empty without any. */
    String header(String name) {
        return String.join(" | ", head.headers().allValues(name));
    }

    /** What has come so far. */
    synchronized byte[] body() {
        return body.toByteArray();
    }

    /** Whether nothing more will come. */
    synchronized boolean isOver() {
        return ended;
    }

    /** Why it ended otherwise than a whole answer does; null if it did not. */
    synchronized Throwable trouble() {
        return trouble;
    }

    /** Waits until this holds, which is asked again after all that comes; tells whether it does in the end. */
    synchronized boolean await(Duration most, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        while (!condition.getAsBoolean()) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (millis <= 0) {
                return false;
            }
            wait(millis);
        }
        return true;
    }

    /** Waits for the end; tells whether it has come. */
    boolean awaitEnd(Duration most) throws InterruptedException {
        return await(most, () -> ended);
    }

    /** Cuts the connection, if it is still open. */
    @Override
    public synchronized void close() {
        closed = true;
        if (subscription != null) {
            subscription.cancel();
        }
    }
}
