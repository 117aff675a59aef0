package io.watchfan.k8s;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;

/** An open watch, and the bytes that have come of it: lines, or messages behind their lengths. */
final class RawWatch implements HttpResponse.BodySubscriber<RawWatch>, AutoCloseable {
    private final boolean binary;
    private final String contentType;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Flow.Subscription subscription;
    private Throwable broken;
    private boolean ended;

    RawWatch(String contentType) {
        this.contentType = contentType;
        this.binary = contentType.contains("protobuf");
    }

    @Override
    public CompletionStage<RawWatch> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription opened) {
        subscription = opened;
        opened.request(Long.MAX_VALUE);
    }

    @Override
    public synchronized void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            byte[] next = new byte[buffer.remaining()];
            buffer.get(next);
            bytes.writeBytes(next);
        }
        notifyAll();
    }

    @Override
    public synchronized void onError(Throwable cause) {
        broken = cause;
        notifyAll();
    }

    @Override
    public synchronized void onComplete() {
        ended = true;
        notifyAll();
    }

    String contentType() {
        return contentType;
    }

    /** All events that have come whole, without what framed them. */
    synchronized List<byte[]> events() {
        List<byte[]> events = new ArrayList<>();
        byte[] all = bytes.toByteArray();
        int at = 0;
        while (at < all.length) {
            int from = binary ? at + 4 : at;
            int to = from;
            if (!binary) {
                while (to < all.length && all[to] != '\n') {
                    to++;
                }
            } else if (from <= all.length) {
                to = from + ByteBuffer.wrap(all, at, 4).getInt();
            }
            if (from > all.length || to > all.length || !binary && to == all.length) {
                break;
            }
            events.add(Arrays.copyOfRange(all, from, to));
            at = binary ? to : to + 1;
        }
        return events;
    }

    /** All events but plain bookmarks, as soon as so many of them have this text in them. */
    List<byte[]> until(String text, int count) throws InterruptedException {
        long deadline = System.nanoTime() + Watching.PATIENCE.toNanos();
        synchronized (this) {
            while (true) {
                List<byte[]> events = events().stream().filter(RawWatch::counts).toList();
                if (events.stream()
                                .filter(event -> ProtobufText.contains(event, text))
                                .count()
                        >= count) {
                    return events;
                }
                long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (ended || broken != null || millis <= 0) {
                    throw new AssertionError(
                            events.size() + " events came, and not " + count + " of " + text + "; ended: " + ended,
                            broken);
                }
                wait(millis);
            }
        }
    }

    private static boolean counts(byte[] event) {
        return !ProtobufText.contains(event, "BOOKMARK") || ProtobufText.contains(event, "initial-events-end");
    }

    @Override
    public synchronized void close() {
        if (subscription != null) {
            subscription.cancel();
        }
    }
}
