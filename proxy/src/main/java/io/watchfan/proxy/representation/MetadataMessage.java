package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.proxy.wire.WireFormatException;
import io.watchfan.proxy.wire.WireReader;
import io.watchfan.proxy.wire.WireWriter;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** {@code metav1.ObjectMeta} in bytes. */
final class MetadataMessage {
    private static final int VERSION = 6;
    private static final int ANNOTATIONS = 12;
    private static final int KEY = 1;
    /** What stands before the digits of the version: its tag, and its length in a byte. */
    private static final int BEFORE_DIGITS = 2;

    private MetadataMessage() {}

    /** The metadata of an object, with this version in it. The array is the caller's. */
    static byte[] withVersion(StoredObject object, long version) {
        byte[] bytes = object.bytes();
        int start = object.metadataOffset();
        int end = start + object.metadataLength();
        if (version == object.resourceVersion()) {
            return Arrays.copyOfRange(bytes, start, end);
        }
        int after = object.versionOffset() + object.versionLength();
        return new WireWriter()
                .raw(bytes, start, object.versionOffset() - BEFORE_DIGITS - start)
                .text(VERSION, Long.toString(version))
                .raw(bytes, after, end - after)
                .toBytes();
    }

    /** The metadata without these annotations. */
    static byte[] without(byte[] metadata, DroppedAnnotations dropped) {
        try {
            WireWriter kept = new WireWriter();
            WireReader reader = new WireReader();
            reader.open(metadata, 0, metadata.length);
            while (reader.hasNext()) {
                int from = reader.position();
                boolean annotation = reader.next() == ANNOTATIONS && reader.isLength();
                boolean drop = annotation && dropped.contains(key(reader));
                if (!annotation) {
                    reader.skip();
                }
                if (!drop) {
                    kept.raw(metadata, from, reader.position() - from);
                }
            }
            return kept.toBytes();
        } catch (WireFormatException e) {
            // It has been read before.
            throw new UncheckedIOException(e);
        }
    }

    /** The key of the entry that the reader is at, which it goes past. */
    private static String key(WireReader reader) throws WireFormatException {
        String key = "";
        int outer = reader.enter();
        while (reader.hasNext()) {
            if (reader.next() == KEY && reader.isLength()) {
                key = reader.text();
            } else {
                reader.skip();
            }
        }
        reader.leave(outer);
        return key;
    }
}
