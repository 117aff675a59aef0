package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.proxy.upstream.ListHead;
import io.watchfan.proxy.wire.Envelope;
import io.watchfan.proxy.wire.WireWriter;

/** Metadata alone in protobuf: PartialObjectMetadata, a message of one field. */
final class ProtobufMetadata extends ProtobufMessages {
    private static final int METADATA = 1;

    private final DroppedAnnotations dropped;
    private final Envelope listEnvelope;
    private final int listMetadataField;
    private final int listItemsField;

    ProtobufMetadata(String apiVersion, DroppedAnnotations dropped) {
        super(apiVersion, "PartialObjectMetadata");
        this.dropped = dropped;
        this.listEnvelope = new Envelope(apiVersion, "PartialObjectMetadataList");
        // The two versions have their fields the other way round.
        boolean beta = apiVersion.endsWith("beta1");
        this.listMetadataField = beta ? 2 : 1;
        this.listItemsField = beta ? 1 : 2;
    }

    @Override
    long messageLength(StoredObject object) {
        return dropped.isEmpty()
                ? WireWriter.sizeOfField(object.metadataLength())
                : message(object, object.resourceVersion()).length;
    }

    @Override
    byte[] message(StoredObject object, long version) {
        byte[] metadata = MetadataMessage.withVersion(object, version);
        if (!dropped.isEmpty()) {
            metadata = MetadataMessage.without(metadata, dropped);
        }
        return new WireWriter().bytes(METADATA, metadata).toBytes();
    }

    @Override
    public ListForm list(
            ListHead form, long resourceVersion, String continueToken, long remaining, ListContents contents) {
        return list(
                listEnvelope,
                listMetadata(form, resourceVersion, continueToken, remaining),
                listMetadataField,
                listItemsField,
                contents);
    }
}
