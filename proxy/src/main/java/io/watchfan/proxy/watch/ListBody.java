package io.watchfan.proxy.watch;

import io.vertx.core.buffer.Buffer;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ListHead;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;

/**
 * The bytes of a list, in the form that the API server's own lists of the resource have (W-235 to W-238), portion by portion.
 */
final class ListBody implements PortionSource {
    private static final int PORTION_BYTES = 64 << 10;

    private final byte[] head;
    private final byte[] tail;
    private final byte[] stripped;
    private final Iterator<StoredObject> items;
    private boolean begun;
    private boolean done;

    /**
     * @param form how lists of the resource are written
     * @param resource the resource
     * @param resourceVersion the list's version
     * @param continueToken where the next page begins; empty for none
     * @param remaining how many objects follow the page; -1 when it is not told
     * @param items the objects of the page, all of them in scope
     */
    ListBody(
            ListHead form,
            ApiResource resource,
            long resourceVersion,
            String continueToken,
            long remaining,
            Iterator<StoredObject> items) {
        this.items = items;
        String version = "\"resourceVersion\":\"" + resourceVersion + "\"";
        String rest = remaining < 0 ? "" : "\"remainingItemCount\":" + remaining;
        if (form.kindFirst()) {
            String metadata = version
                    + (continueToken.isEmpty() ? "" : ",\"continue\":\"" + continueToken + "\"")
                    + (rest.isEmpty() ? "" : "," + rest);
            head = bytes("{\"kind\":\"" + form.kind() + "\",\"apiVersion\":\"" + form.apiVersion() + "\",\"metadata\":{"
                    + metadata + "},\"items\":[");
            tail = bytes("]}\n");
        } else {
            String metadata = "\"continue\":\"" + continueToken + "\"," + (rest.isEmpty() ? "" : rest + ",") + version;
            head = bytes("{\"apiVersion\":\"" + form.apiVersion() + "\",\"items\":[");
            tail = bytes("],\"kind\":\"" + form.kind() + "\",\"metadata\":{" + metadata + "}}\n");
        }
        boolean strip = form.itemsCarryKind() == null ? form.kindFirst() : !form.itemsCarryKind();
        stripped = strip
                ? bytes("{\"kind\":\"" + resource.kind() + "\",\"apiVersion\":\""
                        + resource.gvr().apiVersion() + "\",")
                : null;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean isDone() {
        return done;
    }

    @Override
    public Buffer next() {
        Buffer portion = Buffer.buffer(PORTION_BYTES + 4096);
        if (!begun) {
            portion.appendBytes(head);
        }
        while (items.hasNext() && portion.length() < PORTION_BYTES) {
            if (begun) {
                portion.appendByte((byte) ',');
            }
            begun = true;
            append(portion, items.next().bytes());
        }
        begun = true;
        if (!items.hasNext()) {
            portion.appendBytes(tail);
            done = true;
        }
        return portion;
    }

    /** Items of built-in types go without the kind and apiVersion that events of them carry (W-236). */
    private void append(Buffer portion, byte[] json) {
        if (stripped != null
                && json.length > stripped.length
                && Arrays.equals(json, 0, stripped.length, stripped, 0, stripped.length)) {
            portion.appendByte((byte) '{');
            portion.appendBytes(json, stripped.length, json.length - stripped.length);
        } else {
            portion.appendBytes(json);
        }
    }
}
