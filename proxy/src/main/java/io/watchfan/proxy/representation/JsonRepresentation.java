package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.proxy.upstream.ListHead;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** Whole objects in JSON, as they came. */
final class JsonRepresentation extends JsonLines {
    private final byte[] typeMembers;

    JsonRepresentation(String apiVersion, String kind) {
        typeMembers = bytes("{\"kind\":\"" + kind + "\",\"apiVersion\":\"" + apiVersion + "\",");
    }

    @Override
    public byte[][] pieces(Line line) {
        StoredObject object = line.source();
        byte[] json = object.bytes();
        if (!line.isSpliced()) {
            return new byte[][] {head(line), json, end()};
        }
        int after = object.versionOffset() + object.versionLength();
        return new byte[][] {
            head(line),
            Arrays.copyOf(json, object.versionOffset()),
            digits(line.resourceVersion()),
            Arrays.copyOfRange(json, after, json.length),
            end()
        };
    }

    @Override
    public int mostBytes(Line line) {
        return line.source().bytes().length + 64;
    }

    @Override
    public ListSurvey listSurvey() {
        return ListSurvey.NOTHING;
    }

    @Override
    public byte[][] object(StoredObject object) {
        return new byte[][] {object.bytes(), LINE_FEED};
    }

    /** In the form that the API server's own lists of the resource have (W-235 to W-238). */
    @Override
    public ListForm list(
            ListHead form, long resourceVersion, String continueToken, long remaining, ListContents contents) {
        byte[] head;
        byte[] tail;
        if (form.kindFirst()) {
            head = bytes("{\"kind\":\"" + form.kind() + "\",\"apiVersion\":\"" + form.apiVersion() + "\",\"metadata\":"
                    + metadata(resourceVersion, continueToken, remaining) + ",\"items\":[");
            tail = bytes("]}\n");
        } else {
            String rest = remaining < 0 ? "" : "\"remainingItemCount\":" + remaining + ",";
            head = bytes("{\"apiVersion\":\"" + form.apiVersion() + "\",\"items\":[");
            tail = bytes("],\"kind\":\"" + form.kind() + "\",\"metadata\":{\"continue\":\"" + continueToken + "\","
                    + rest + "\"resourceVersion\":\"" + resourceVersion + "\"}}\n");
        }
        boolean bare = form.itemsCarryKind() == null ? form.kindFirst() : !form.itemsCarryKind();
        return new ListForm(head, COMMA, (object, into) -> append(object.bytes(), bare, into), tail);
    }

    /** The metadata of a list whose members are in the order of the type. */
    static String metadata(long resourceVersion, String continueToken, long remaining) {
        return "{\"resourceVersion\":\"" + resourceVersion + "\""
                + (continueToken.isEmpty() ? "" : ",\"continue\":\"" + continueToken + "\"")
                + (remaining < 0 ? "" : ",\"remainingItemCount\":" + remaining) + "}";
    }

    /** Items of built-in types go without the kind and apiVersion that events of them carry (W-236). */
    private void append(byte[] json, boolean bare, ByteArrayOutputStream into) {
        int skipped = typeMembers.length;
        if (bare && json.length > skipped && Arrays.equals(json, 0, skipped, typeMembers, 0, skipped)) {
            into.write('{');
            into.write(json, skipped, json.length - skipped);
        } else {
            into.writeBytes(json);
        }
    }
}
