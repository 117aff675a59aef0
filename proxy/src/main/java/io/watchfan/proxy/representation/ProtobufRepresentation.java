package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.proxy.upstream.ListHead;
import io.watchfan.proxy.wire.Envelope;
import io.watchfan.proxy.wire.WireWriter;

/** Whole objects in protobuf, as they came. */
final class ProtobufRepresentation extends ProtobufMessages {
    private static final int METADATA = 1;
    private static final int ITEMS = 2;

    ProtobufRepresentation(String apiVersion, String kind) {
        super(apiVersion, kind);
    }

    @Override
    long messageLength(StoredObject object) {
        return object.bytes().length;
    }

    @Override
    byte[] message(StoredObject object, long version) {
        byte[] bytes = object.bytes();
        if (version == object.resourceVersion()) {
            return bytes;
        }
        // With the digits the length of the metadata changes, and with that the length of the length.
        byte[] metadata = MetadataMessage.withVersion(object, version);
        int lengthAt = object.metadataOffset() - WireWriter.sizeOf(object.metadataLength());
        int after = object.metadataOffset() + object.metadataLength();
        return new WireWriter()
                .raw(bytes, 0, lengthAt - 1)
                .bytes(METADATA, metadata)
                .raw(bytes, after, bytes.length - after)
                .toBytes();
    }

    @Override
    public ListForm list(
            ListHead form, long resourceVersion, String continueToken, long remaining, ListContents contents) {
        return list(
                new Envelope(form.apiVersion(), form.kind()),
                listMetadata(form, resourceVersion, continueToken, remaining),
                METADATA,
                ITEMS,
                contents);
    }
}
