package io.watchfan.loadtest.apiserver;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The body of a list: an envelope and items, produced piece by piece. Confined to the server's event loop.
 */
final class ListBody implements StreamedResponse {
    /** Lists up to this many items go out in one piece, with a length. */
    private static final int MAX_SMALL_ITEMS = 64;

    private final ResourceType type;
    private final List<StoredObject> items;
    private final byte[] head;
    private final byte[] tail;
    private final int strippedPrefix;
    private int next = -1;

    /**
     * A list of objects.
     *
     * @param continueToken empty when there is no further page
     * @param remaining how many objects are left after this page; 0 when that is not told
     */
    ListBody(ResourceType type, List<StoredObject> items, long version, String continueToken, long remaining) {
        this.type = type;
        this.items = items;
        String listKind = type.kind() + "List";
        String left = remaining > 0 ? ",\"remainingItemCount\":" + remaining : "";
        if (type.custom()) {
            head = utf8("{\"apiVersion\":\"" + type.apiVersion() + "\",\"items\":[");
            tail = utf8("],\"kind\":\"" + listKind + "\",\"metadata\":{\"continue\":\"" + continueToken + "\"" + left
                    + ",\"resourceVersion\":\"" + version + "\"}}\n");
            strippedPrefix = 0;
        } else {
            String token = continueToken.isEmpty() ? "" : ",\"continue\":\"" + continueToken + "\"";
            head = utf8("{\"kind\":\"" + listKind + "\",\"apiVersion\":\"" + type.apiVersion()
                    + "\",\"metadata\":{\"resourceVersion\":\"" + version + "\"" + token + left + "},\"items\":[");
            tail = utf8("]}\n");
            strippedPrefix =
                    utf8("{\"kind\":\"" + type.kind() + "\",\"apiVersion\":\"" + type.apiVersion() + "\",").length;
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The whole body at once when it is small; null when it is better streamed. */
    byte[] small() {
        if (items.size() > MAX_SMALL_ITEMS) {
            return null;
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream(4096);
        body.writeBytes(head);
        for (int i = 0; i < items.size(); i++) {
            body.writeBytes(piece(i));
        }
        body.writeBytes(tail);
        return body.toByteArray();
    }

    /** An item as it stands in the list, with the comma before it. */
    private byte[] piece(int index) {
        byte[] json = items.get(index).json();
        int comma = index == 0 ? 0 : 1;
        int brace = type.custom() ? 0 : 1;
        byte[] piece = new byte[comma + brace + json.length - strippedPrefix];
        if (comma == 1) {
            piece[0] = ',';
        }
        if (brace == 1) {
            piece[comma] = '{';
        }
        System.arraycopy(json, strippedPrefix, piece, comma + brace, json.length - strippedPrefix);
        return piece;
    }

    @Override
    public boolean pump(StreamWriter writer) {
        if (next < 0) {
            writer.append(head, 0, head.length);
            next = 0;
        }
        while (next < items.size() && writer.hasRoom()) {
            byte[] piece = piece(next++);
            writer.append(piece, 0, piece.length);
        }
        if (next < items.size()) {
            return false;
        }
        writer.append(tail, 0, tail.length);
        return true;
    }

    @Override
    public void onClosed() {
        next = items.size();
    }
}
