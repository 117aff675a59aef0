package io.watchfan.k8s;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A body that is there from its first byte on, and can be waited on while it comes. */
abstract class OpenBody<T> implements HttpResponse.BodySubscriber<T>, AutoCloseable {
    private Flow.Subscription subscription;
    private boolean closed;
    private boolean ended;
    private Throwable trouble;

    /** Keeps what has come. Called with the lock of this object, as all that waits is asked. */
    abstract void keep(byte[] bytes);

    /** What is wrong with an end here; null when nothing is. Called with the lock of this object. */
    Throwable faultOfEnd() {
        return null;
    }

    @Override
    @SuppressWarnings("unchecked") // a subclass is its own T
    public final CompletionStage<T> getBody() {
        return CompletableFuture.completedFuture((T) this);
    }

    @Override
    public final synchronized void onSubscribe(Flow.Subscription opened) {
        subscription = opened;
        if (closed) {
            opened.cancel();
        } else {
            opened.request(Long.MAX_VALUE);
        }
    }

    @Override
    public final synchronized void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            keep(bytes);
        }
        notifyAll();
    }

    @Override
    public final synchronized void onError(Throwable cause) {
        trouble = cause;
        ended = true;
        notifyAll();
    }

    @Override
    public final synchronized void onComplete() {
        trouble = faultOfEnd();
        ended = true;
        notifyAll();
    }

    /** Whether nothing more will come. */
    final synchronized boolean isOver() {
        return ended;
    }

    /** Why it ended otherwise than it should; null if it did not. */
    final synchronized Throwable trouble() {
        return trouble;
    }

    /** Waits until this holds, which is asked again after all that comes; tells whether it does in the end. */
    final synchronized boolean await(Duration most, BooleanSupplier condition) throws InterruptedException {
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
    final boolean awaitEnd(Duration most) throws InterruptedException {
        return await(most, () -> ended);
    }

    /** Cuts the connection, if it is still open. */
    @Override
    public final synchronized void close() {
        closed = true;
        if (subscription != null) {
            subscription.cancel();
        }
    }
}
