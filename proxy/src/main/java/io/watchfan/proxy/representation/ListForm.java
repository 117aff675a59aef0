package io.watchfan.proxy.representation;

import io.vertx.core.buffer.Buffer;
import io.watchfan.fanout.event.StoredObject;

/** The parts of a list's bytes: the head, its items with the separator between them, the tail. */
public interface ListForm {
    /** What comes before the items. */
    byte[] head();

    /** What comes between two items. */
    byte[] separator();

    /** Appends an item. */
    void item(StoredObject object, Buffer into);

    /** What comes after the items. */
    byte[] tail();
}
