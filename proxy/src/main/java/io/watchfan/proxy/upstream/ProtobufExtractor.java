package io.watchfan.proxy.upstream;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.ResourceVersions;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.proxy.wire.Envelope;
import io.watchfan.proxy.wire.WireFormatException;
import io.watchfan.proxy.wire.WireReader;
import io.watchfan.proxy.wire.WireWriter;
import java.util.Arrays;
import java.util.TreeMap;

/**
 * As {@link AttributeExtractor}, of messages: takes from an object what selectors judge, in one pass, and keeps its bytes as
 * they came. Confined to its feed's thread.
 */
final class ProtobufExtractor {
    // ---- metav1.WatchEvent, runtime.RawExtension
    private static final int EVENT_TYPE = 1;
    private static final int EVENT_OBJECT = 2;
    private static final int RAW = 1;

    // ---- every object, metav1.ObjectMeta
    private static final int METADATA = 1;
    private static final int NAME = 1;
    private static final int NAMESPACE = 3;
    private static final int UID = 5;
    private static final int VERSION = 6;
    private static final int LABELS = 11;
    private static final int ANNOTATIONS = 12;
    private static final int KEY = 1;
    private static final int VALUE = 2;

    private final SelectableFields fields;
    private final FieldNumbers numbers;
    private final StringCache strings = new StringCache();
    private final TreeMap<String, String> labels = new TreeMap<>();
    private final WireReader reader = new WireReader();
    private final WireReader inner = new WireReader();

    // ---- of the object at hand
    private String name;
    private String namespace;
    private String uid;
    private String version;
    private int versionOffset;
    private int metadataOffset;
    private int metadataLength;
    private boolean endsInitialEvents;
    private final String[] values;

    /** An extractor for objects with these selectable fields, which stand at these numbers. */
    ProtobufExtractor(SelectableFields fields, FieldNumbers numbers) {
        this.fields = fields;
        this.numbers = numbers;
        this.values = new String[fields.paths().size()];
    }

    /** Reads one event of a watch. */
    DecodedEvent event(byte[] bytes, int offset, int length) throws MalformedObjectException {
        try {
            String type = "";
            int rawAt = -1;
            int rawLength = 0;
            reader.open(bytes, offset, length);
            while (reader.hasNext()) {
                int field = reader.next();
                if (field == EVENT_TYPE && reader.isLength()) {
                    type = reader.text();
                } else if (field == EVENT_OBJECT && reader.isLength()) {
                    int outer = reader.enter();
                    while (reader.hasNext()) {
                        if (reader.next() == RAW && reader.isLength()) {
                            rawLength = reader.length();
                            rawAt = reader.position();
                            reader.skip(rawLength);
                        } else {
                            reader.skip();
                        }
                    }
                    reader.leave(outer);
                } else {
                    reader.skip();
                }
            }
            if (type.isEmpty() || rawAt < 0) {
                throw new MalformedObjectException("an event without type or object");
            }
            Envelope.Content content = Envelope.open(bytes, rawAt, rawLength);
            return switch (type) {
                case "ADDED", "MODIFIED", "DELETED" ->
                    DecodedEvent.change(EventType.valueOf(type), object(bytes, content.offset(), content.length()));
                case "BOOKMARK" -> {
                    byte[] object = copy(bytes, content.offset(), content.length());
                    read(object);
                    yield DecodedEvent.bookmark(object, version, endsInitialEvents);
                }
                case "ERROR" -> {
                    StatusMessage status = StatusMessage.read(bytes, content.offset(), content.length());
                    yield DecodedEvent.error(
                            copy(bytes, rawAt, rawLength), status.code(), status.reason(), status.message());
                }
                default -> throw new MalformedObjectException("an event of unknown type " + type);
            };
        } catch (WireFormatException e) {
            throw new MalformedObjectException("not protobuf: " + e.getMessage(), e);
        }
    }

    private static byte[] copy(byte[] bytes, int offset, int length) {
        return Arrays.copyOfRange(bytes, offset, offset + length);
    }

    /** Reads the object that these bytes are, and takes a copy of them. */
    StoredObject object(byte[] bytes, int offset, int length) throws MalformedObjectException {
        byte[] object = copy(bytes, offset, length);
        try {
            read(object);
        } catch (WireFormatException e) {
            throw new MalformedObjectException("not protobuf: " + e.getMessage(), e);
        }
        long resourceVersion = ResourceVersions.parse(version);
        if (name.isEmpty()) {
            throw new MalformedObjectException("an object without a name");
        }
        if (resourceVersion <= 0) {
            throw new UnversionedException("an object without a resourceVersion: " + name);
        }
        return new StoredObject(
                new ObjectKey(strings.unify(namespace), name),
                uid,
                resourceVersion,
                Labels.copyOf(labels),
                fields.valueCount() == 0 ? null : unified(fields.finish(values)),
                object,
                versionOffset,
                version.length(),
                metadataOffset,
                metadataLength);
    }

    private String[] unified(String[] finished) {
        for (int i = 0; i < finished.length; i++) {
            finished[i] = strings.unify(finished[i]);
        }
        return finished;
    }

    private void read(byte[] object) throws WireFormatException, MalformedObjectException {
        name = "";
        namespace = "";
        uid = "";
        version = "";
        endsInitialEvents = false;
        labels.clear();
        Arrays.fill(values, null);
        boolean hasMetadata = false;
        WireReader of = inner;
        of.open(object, 0, object.length);
        while (of.hasNext()) {
            int field = of.next();
            if (field == METADATA && of.isLength()) {
                if (hasMetadata) {
                    throw new MalformedObjectException("an object with metadata twice");
                }
                hasMetadata = true;
                int before = of.position();
                int outer = of.enter();
                metadataOffset = of.position();
                readMetadata(of);
                metadataLength = of.position() - metadataOffset;
                of.leave(outer);
                // Where other digits are put in, its length is written anew: in its place, and as short as can be.
                if (metadataOffset - before != WireWriter.sizeOf(metadataLength)) {
                    throw new MalformedObjectException("metadata behind a length that is longer than it need be");
                }
            } else {
                readField(of, numbers.next(field));
            }
        }
        if (!hasMetadata) {
            throw new MalformedObjectException("an object without metadata");
        }
    }

    private void readMetadata(WireReader of) throws WireFormatException, MalformedObjectException {
        while (of.hasNext()) {
            int field = of.next();
            if (!of.isLength()) {
                of.skip();
                continue;
            }
            switch (field) {
                case NAME -> name = of.text();
                case NAMESPACE -> namespace = of.text();
                case UID -> uid = of.text();
                case VERSION -> {
                    int before = of.position();
                    version = of.text();
                    versionOffset = of.position() - version.length();
                    if (versionOffset - before != 1) {
                        throw new MalformedObjectException("a resourceVersion that is not written in plain digits");
                    }
                }
                case LABELS -> readEntry(of, true);
                case ANNOTATIONS -> readEntry(of, false);
                default -> of.skip();
            }
        }
    }

    private void readEntry(WireReader of, boolean ofLabels) throws WireFormatException {
        String key = "";
        String value = "";
        int outer = of.enter();
        while (of.hasNext()) {
            int field = of.next();
            if (field == KEY && of.isLength()) {
                key = of.text();
            } else if (field == VALUE && of.isLength() && (ofLabels || key.equals(DecodedEvent.INITIAL_EVENTS_END))) {
                value = of.text();
            } else {
                of.skip();
            }
        }
        of.leave(outer);
        if (ofLabels) {
            labels.put(strings.unify(key), strings.unify(value));
        } else if (key.equals(DecodedEvent.INITIAL_EVENTS_END)) {
            endsInitialEvents = value.equals("true");
        }
    }

    /** Reads the value that the reader is at, as far as selectable fields lie within it. */
    private void readField(WireReader of, FieldNumbers at) throws WireFormatException {
        if (at == null) {
            of.skip();
        } else if (at.isLeaf()) {
            String value = of.isLength() ? of.text() : of.isVarint() ? at.text(of.varint()) : null;
            if (value == null) {
                of.skip();
            } else {
                values[at.path()] = value;
            }
        } else if (of.isLength() && !(at.isFirstOnly() && at.isFound(values))) {
            int outer = of.enter();
            while (of.hasNext()) {
                readField(of, at.next(of.next()));
            }
            of.leave(outer);
        } else {
            of.skip();
        }
    }
}
