package io.watchfan.proxy.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Lets the first so many distinct values be labels, and calls the rest {@link ProxyMetrics#OTHER}. Thread-safe. */
final class BoundedLabels {
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final int most;

    BoundedLabels(int most) {
        this.most = most;
    }

    String label(String value) {
        if (known.contains(value)) {
            return value;
        }
        synchronized (known) {
            return known.size() < most && known.add(value) ? value : known.contains(value) ? value : ProxyMetrics.OTHER;
        }
    }
}
