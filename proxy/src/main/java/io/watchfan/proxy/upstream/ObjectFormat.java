package io.watchfan.proxy.upstream;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.SelectableFields;
import java.util.List;

/** Reads what the API server sends in one encoding, for one resource. Confined to its feed's thread. */
public interface ObjectFormat {
    /** What it reads. */
    ObjectEncoding encoding();

    /** Cuts the bytes of a watch into events; a new one for each watch. */
    FrameDecoder frames(FrameDecoder.Handler handler);

    /** Reads an event. */
    DecodedEvent event(byte[] bytes, int offset, int length) throws MalformedObjectException;

    /** Reads a list, or a page of one, and adds its items to {@code into}. */
    ListHead list(byte[] body, List<StoredObject> into) throws MalformedObjectException;

    /**
     * The format of a resource in an encoding that it {@linkplain #supports has}.
     *
     * @param fields the fields that its objects can be selected by
     */
    static ObjectFormat of(ObjectEncoding encoding, ApiResource resource, SelectableFields fields) {
        return encoding.isProtobuf()
                ? new ProtobufFormat(
                        encoding,
                        new ProtobufExtractor(
                                fields, FieldNumbers.of(resource.gvr().group(), resource.kind(), fields)))
                : new JsonFormat(resource, fields);
    }

    /** Whether all that a resource's objects can be selected by can be read in this encoding. */
    static boolean supports(ObjectEncoding encoding, ApiResource resource, SelectableFields fields) {
        return !encoding.isProtobuf() || FieldNumbers.of(resource.gvr().group(), resource.kind(), fields) != null;
    }
}
