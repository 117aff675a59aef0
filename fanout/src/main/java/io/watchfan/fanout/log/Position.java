package io.watchfan.fanout.log;

import io.watchfan.fanout.store.StoreSnapshot;
import java.util.Objects;

/**
 * A point in a feed's history: everything up to {@code sequence} applied gives {@code objects}, which is the state of the
 * resource at {@code resourceVersion}. The three are published together and nothing else may pair them.
 *
 * @param sequence the last event applied; 0 before the first
 * @param resourceVersion the version up to which everything is known; at least that of the last event
 * @param objects the objects at that version
 */
public record Position(long sequence, long resourceVersion, StoreSnapshot objects) {
    /** Checks that there are objects. */
    public Position {
        Objects.requireNonNull(objects, "objects");
    }
}
