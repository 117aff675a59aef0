package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.proxy.upstream.ListHead;

/** Metadata alone in JSON: PartialObjectMetadata (W-104, W-119 to W-121). */
final class JsonMetadata extends JsonLines {
    private static final byte[] OBJECT_END = {'}'};

    private final String apiVersion;
    private final DroppedAnnotations dropped;
    private final byte[] head;

    JsonMetadata(String apiVersion, DroppedAnnotations dropped) {
        this.apiVersion = apiVersion;
        this.dropped = dropped;
        this.head = bytes("{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"" + apiVersion + "\",\"metadata\":");
    }

    @Override
    public byte[][] pieces(Line line) {
        byte[] metadata = MetadataJson.of(line.source(), line.resourceVersion(), dropped);
        return new byte[][] {head(line), head, metadata, OBJECT_END, end()};
    }

    @Override
    public int mostBytes(Line line) {
        return line.source().metadataLength() + head.length + 64;
    }

    @Override
    public ListSurvey listSurvey() {
        return ListSurvey.ANY;
    }

    @Override
    public byte[][] object(StoredObject object) {
        return new byte[][] {head, metadata(object), OBJECT_END, LINE_FEED};
    }

    private byte[] metadata(StoredObject object) {
        return MetadataJson.of(object, object.resourceVersion(), dropped);
    }

    @Override
    public ListForm list(
            ListHead form, long resourceVersion, String continueToken, long remaining, ListContents contents) {
        boolean empty = contents.isEmpty();
        byte[] begin = bytes("{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"" + apiVersion
                + "\",\"metadata\":" + JsonRepresentation.metadata(resourceVersion, continueToken, remaining)
                // Nothing is null, unlike in other lists (W-120).
                + ",\"items\":" + (empty ? "null" : "["));
        byte[] tail = bytes(empty ? "}\n" : "]}\n");
        return new ListForm(
                begin,
                COMMA,
                (object, into) -> {
                    into.writeBytes(head);
                    into.writeBytes(metadata(object));
                    into.writeBytes(OBJECT_END);
                },
                tail);
    }
}
