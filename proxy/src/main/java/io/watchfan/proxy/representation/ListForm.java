package io.watchfan.proxy.representation;

import io.vertx.core.buffer.Buffer;
import io.watchfan.fanout.event.StoredObject;

/**
 * The parts of a list's bytes. They are the form's; nobody writes to them.
 *
 * @param head what comes before the items
 * @param separator what comes between two items
 * @param items writes the items
 * @param tail what comes after the items
 */
public record ListForm(byte[] head, byte[] separator, ItemWriter items, byte[] tail) {
    /** Writes an item. */
    @FunctionalInterface
    interface ItemWriter {
        /** Appends it. */
        void write(StoredObject object, Buffer into);
    }

    /** Appends an item. */
    public void item(StoredObject object, Buffer into) {
        items.write(object, into);
    }
}
