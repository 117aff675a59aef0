package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.StoredObject;
import java.io.ByteArrayOutputStream;

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
        void write(StoredObject object, ByteArrayOutputStream into);
    }

    /** Appends an item. */
    public void item(StoredObject object, ByteArrayOutputStream into) {
        items.write(object, into);
    }
}
