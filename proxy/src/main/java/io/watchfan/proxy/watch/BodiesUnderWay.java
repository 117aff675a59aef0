package io.watchfan.proxy.watch;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.metrics.ProxyMetrics;

/** The bodies that are being sent on one event loop: how many portion by portion, and for the drain all. Confined to it. */
final class BodiesUnderWay {
    private final ProxyMetrics metrics;
    private int count;

    BodiesUnderWay(ProxyMetrics metrics) {
        this.metrics = metrics;
    }

    /** How many are being sent portion by portion. */
    int count() {
        return count;
    }

    /** {@code portions}, counted until they are closed, by whomever and however often that is. */
    PortionSource begin(PortionSource portions) {
        return new Counted(portions);
    }

    /** A body that has been handed over whole is waited for by a drain until its client has taken it. */
    void handedOver(Future<Void> sent) {
        if (!sent.isComplete()) {
            metrics.listStarted();
            sent.onComplete(done -> metrics.listEnded());
        }
    }

    private final class Counted implements PortionSource {
        private final PortionSource portions;
        private boolean isClosed;

        Counted(PortionSource portions) {
            this.portions = portions;
            count++;
            metrics.listStarted();
        }

        @Override
        public Buffer next() {
            return portions.next();
        }

        @Override
        public boolean isDone() {
            return portions.isDone();
        }

        @Override
        public void close() {
            if (!isClosed) {
                isClosed = true;
                count--;
                metrics.listEnded();
                portions.close();
            }
        }
    }
}
