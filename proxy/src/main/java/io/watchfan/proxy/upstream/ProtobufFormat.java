package io.watchfan.proxy.upstream;

import io.watchfan.fanout.event.ResourceVersions;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.proxy.wire.Envelope;
import io.watchfan.proxy.wire.WireFormatException;
import io.watchfan.proxy.wire.WireReader;
import java.util.List;

/** Protobuf: what comes is in envelopes, and objects are kept without. Every list has its metadata at 1 and items at 2. */
final class ProtobufFormat implements ObjectFormat {
    private static final int METADATA = 1;
    private static final int ITEMS = 2;
    private static final int SELF_LINK = 1;
    private static final int VERSION = 2;
    private static final int CONTINUE = 3;

    private final ObjectEncoding encoding;
    private final ProtobufExtractor extractor;
    private final WireReader reader = new WireReader();

    ProtobufFormat(ObjectEncoding encoding, ProtobufExtractor extractor) {
        this.encoding = encoding;
        this.extractor = extractor;
    }

    @Override
    public ObjectEncoding encoding() {
        return encoding;
    }

    @Override
    public FrameDecoder frames(FrameDecoder.Handler handler) {
        return new LengthFrameDecoder(handler);
    }

    @Override
    public DecodedEvent event(byte[] bytes, int offset, int length) throws MalformedObjectException {
        return extractor.event(bytes, offset, length);
    }

    @Override
    public ListHead list(byte[] body, List<StoredObject> into) throws MalformedObjectException {
        try {
            Envelope.Content content = Envelope.open(body, 0, body.length);
            if (!content.kind().endsWith("List")) {
                throw new MalformedObjectException(
                        "not a list but " + (content.kind().isEmpty() ? "something without a kind" : content.kind()));
            }
            String version = "";
            String continueToken = "";
            boolean spelledOut = false;
            reader.open(body, content.offset(), content.length());
            while (reader.hasNext()) {
                int field = reader.next();
                if (field == METADATA && reader.isLength()) {
                    int outer = reader.enter();
                    while (reader.hasNext()) {
                        int part = reader.next();
                        if (part == VERSION && reader.isLength()) {
                            version = reader.text();
                        } else if (part == CONTINUE && reader.isLength()) {
                            continueToken = reader.text();
                        } else {
                            spelledOut |= part == SELF_LINK;
                            reader.skip();
                        }
                    }
                    reader.leave(outer);
                } else if (field == ITEMS && reader.isLength()) {
                    int itemLength = reader.length();
                    into.add(extractor.object(body, reader.position(), itemLength));
                    reader.skip(itemLength);
                } else {
                    reader.skip();
                }
            }
            return new ListHead(
                    content.kind(),
                    content.apiVersion(),
                    Math.max(0, ResourceVersions.parse(version)),
                    continueToken,
                    true,
                    false,
                    spelledOut);
        } catch (WireFormatException e) {
            throw new MalformedObjectException("not protobuf: " + e.getMessage(), e);
        }
    }
}
