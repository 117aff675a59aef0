package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.proxy.representation.ListForm;
import java.util.Iterator;

/** The bytes of a list, portion by portion. */
final class ListBody implements PortionSource {
    private static final int PORTION_BYTES = 64 << 10;

    private final ListForm form;
    private final Iterator<StoredObject> items;
    private boolean begun;
    private boolean done;

    /**
     * @param form how the list is written
     * @param items the objects of the page, all of them in scope
     */
    ListBody(ListForm form, Iterator<StoredObject> items) {
        this.form = form;
        this.items = items;
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public Buffer next() {
        Buffer portion = Buffer.buffer(PORTION_BYTES + 4096);
        if (!begun) {
            portion.appendBytes(form.head());
        }
        while (items.hasNext() && portion.length() < PORTION_BYTES) {
            if (begun) {
                portion.appendBytes(form.separator());
            }
            begun = true;
            form.item(items.next(), portion);
        }
        begun = true;
        if (!items.hasNext()) {
            portion.appendBytes(form.tail());
            done = true;
        }
        return portion;
    }
}
