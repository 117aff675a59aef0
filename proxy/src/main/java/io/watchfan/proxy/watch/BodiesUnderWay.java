package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.metrics.ProxyMetrics;

/** How many bodies are being sent on one event loop, portion by portion. Confined to it. */
final class BodiesUnderWay {
    private final ProxyMetrics metrics;
    private int count;

    BodiesUnderWay(ProxyMetrics metrics) {
        this.metrics = metrics;
    }

    /** How many there are. */
    int count() {
        return count;
    }

    /** {@code portions}, counted until they are closed, by whomever and however often that is. */
    PortionSource begin(PortionSource portions) {
        return new Counted(portions);
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
