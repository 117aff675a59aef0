package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.upstream.ListHead;
import io.watchfan.proxy.upstream.ObjectEncoding;
import io.watchfan.proxy.upstream.UpstreamStatusException;
import io.watchfan.proxy.wire.Envelope;
import io.watchfan.proxy.wire.WireFormatException;
import io.watchfan.proxy.wire.WireWriter;
import java.io.ByteArrayOutputStream;

/** What all protobuf has in common: events are {@code metav1.WatchEvent}s (W-106), all else is in envelopes (W-107). */
abstract class ProtobufMessages implements Representation {
    private static final byte[] NOTHING = {};
    private static final int EVENT_TYPE = 1;
    private static final int EVENT_OBJECT = 2;
    private static final int RAW = 1;
    /** More than an event and an envelope take, whatever they are of, and without its apiVersion and kind. */
    private static final int MOST_OVERHEAD = 96;

    private final Envelope envelope;
    private final int mostOverhead;

    ProtobufMessages(String apiVersion, String kind) {
        envelope = new Envelope(apiVersion, kind);
        mostOverhead = MOST_OVERHEAD + apiVersion.length() + kind.length();
    }

    /** The message that an object is shown as, with this version in it. */
    abstract byte[] message(StoredObject object, long version);

    /** How long {@link #message} is, at the object's own version. */
    abstract long messageLength(StoredObject object);

    @Override
    public String contentType() {
        return ObjectEncoding.PROTOBUF_TYPE;
    }

    @Override
    public String watchContentType() {
        return ObjectEncoding.PROTOBUF_TYPE + ";stream=watch";
    }

    @Override
    public boolean isBinary() {
        return true;
    }

    @Override
    public int mostBytes(Line line) {
        return line.source().bytes().length + mostOverhead;
    }

    @Override
    public byte[][] pieces(Line line) {
        byte[] message = message(line.source(), line.resourceVersion());
        long inEnvelope = envelope.length(message.length);
        WireWriter head = event(line.type().name(), inEnvelope);
        return new byte[][] {envelope.begin(head, message.length).toBytes(), message, envelope.tail()};
    }

    private static WireWriter event(String type, long envelopeLength) {
        return new WireWriter()
                .text(EVENT_TYPE, type)
                .begin(EVENT_OBJECT, WireWriter.sizeOfField(envelopeLength))
                .begin(RAW, envelopeLength);
    }

    @Override
    public ListSurvey listSurvey() {
        return ListSurvey.BYTES;
    }

    @Override
    public long itemBytes(StoredObject object) {
        return WireWriter.sizeOfField(messageLength(object));
    }

    @Override
    public byte[] error(StatusBody status) {
        return error(status.protobuf());
    }

    @Override
    public byte[] error(UpstreamStatusException refusal) {
        byte[] body = refusal.body().getBytes();
        try {
            return Envelope.open(body, 0, body.length).kind().equals("Status")
                    ? error(body)
                    : error(StatusBody.unknownError(refusal.getMessage()));
        } catch (WireFormatException e) {
            return error(StatusBody.unknownError(refusal.getMessage()));
        }
    }

    private static byte[] error(byte[] status) {
        return event("ERROR", status.length).raw(status).toBytes();
    }

    @Override
    public byte[][] object(StoredObject object) {
        byte[] message = message(object, object.resourceVersion());
        return new byte[][] {envelope.begin(new WireWriter(), message.length).toBytes(), message, envelope.tail()};
    }

    /**
     * A list whose items are written as {@link #message} says.
     *
     * @param of the list's envelope
     * @param metadata its metadata
     * @param metadataField the number of the metadata; what is below that of the items comes before them
     * @param itemsField the number of the items
     * @param contents how long the items are
     */
    final ListForm list(Envelope of, WireWriter metadata, int metadataField, int itemsField, ListContents contents) {
        long length = WireWriter.sizeOfField(metadata.length()) + contents.bytes();
        boolean metadataFirst = metadataField < itemsField;
        WireWriter head = of.begin(new WireWriter(), length);
        WireWriter tail = new WireWriter();
        (metadataFirst ? head : tail).message(metadataField, metadata);
        byte[] begin = head.toBytes();
        byte[] end = tail.raw(of.tail()).toBytes();
        return new ListForm(begin, NOTHING, (object, into) -> append(itemsField, object, into), end);
    }

    private void append(int field, StoredObject object, ByteArrayOutputStream into) {
        byte[] message = message(object, object.resourceVersion());
        into.writeBytes(new WireWriter().begin(field, message.length).toBytes());
        into.writeBytes(message);
    }

    /** {@code metav1.ListMeta}, with its empty texts if {@code form} has them. */
    static WireWriter listMetadata(ListHead form, long resourceVersion, String continueToken, long remaining) {
        WireWriter metadata = new WireWriter();
        if (form.spelledOut()) {
            metadata.text(1, "");
        }
        metadata.text(2, Long.toString(resourceVersion));
        if (form.spelledOut() || !continueToken.isEmpty()) {
            metadata.text(3, continueToken);
        }
        if (remaining >= 0) {
            metadata.number(4, remaining);
        }
        return metadata;
    }
}
