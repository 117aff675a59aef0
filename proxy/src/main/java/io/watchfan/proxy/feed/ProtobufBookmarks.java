package io.watchfan.proxy.feed;

import io.watchfan.proxy.upstream.DecodedEvent;
import io.watchfan.proxy.wire.WireFormatException;
import io.watchfan.proxy.wire.WireReader;
import io.watchfan.proxy.wire.WireWriter;

/** Bookmarks as messages: the same but for their metadata, in which one annotation is there or is not. */
final class ProtobufBookmarks {
    private static final int METADATA = 1;
    private static final int VERSION = 6;
    private static final int CREATION_TIMESTAMP = 8;
    private static final int ANNOTATIONS = 12;
    private static final int KEY = 1;
    private static final int VALUE = 2;
    private static final WireWriter MARKED =
            new WireWriter().text(KEY, DecodedEvent.INITIAL_EVENTS_END).text(VALUE, "true");

    private ProtobufBookmarks() {}

    /** The least that there is to say: metadata that is empty but for a version, as of an object that is nothing else. */
    static byte[] least() {
        WireWriter metadata = new WireWriter();
        for (int text = 1; text < VERSION; text++) {
            metadata.text(text, "");
        }
        metadata.text(VERSION, "0").number(7, 0).message(CREATION_TIMESTAMP, new WireWriter());
        return new WireWriter().message(METADATA, metadata).toBytes();
    }

    /** A bookmark's message, where its version's digits begin, and where its metadata lies. */
    record Found(byte[] message, String version, int versionOffset, int metadataOffset, int metadataLength) {}

    /** The bookmark {@code message}, with the annotation that ends the initial events if {@code marked}, else without. */
    static Found with(byte[] message, boolean marked) throws WireFormatException {
        WireWriter whole = new WireWriter();
        WireReader reader = new WireReader();
        reader.open(message, 0, message.length);
        String version = null;
        int metadataAt = -1;
        int metadataLength = 0;
        int versionAt = -1;
        while (reader.hasNext()) {
            int from = reader.position();
            if (reader.next() == METADATA && reader.isLength() && metadataAt < 0) {
                int outer = reader.enter();
                WireWriter metadata = new WireWriter();
                boolean isMarkDue = marked;
                while (reader.hasNext()) {
                    int at = reader.position();
                    int field = reader.next();
                    if (field > ANNOTATIONS && isMarkDue) {
                        metadata.message(ANNOTATIONS, MARKED);
                        isMarkDue = false;
                    }
                    if (field == ANNOTATIONS && reader.isLength() && isMark(reader)) {
                        continue;
                    }
                    if (field == VERSION && reader.isLength()) {
                        version = reader.text();
                    } else if (field != ANNOTATIONS || !reader.isLength()) {
                        reader.skip();
                    }
                    metadata.raw(message, at, reader.position() - at);
                    if (field == VERSION && version != null) {
                        versionAt = metadata.length() - version.length();
                    }
                }
                if (isMarkDue) {
                    metadata.message(ANNOTATIONS, MARKED);
                }
                reader.leave(outer);
                whole.message(METADATA, metadata);
                metadataLength = metadata.length();
                metadataAt = whole.length() - metadataLength;
            } else {
                reader.skip();
                whole.raw(message, from, reader.position() - from);
            }
        }
        if (metadataAt < 0 || versionAt < 0) {
            throw new WireFormatException("a bookmark without a version");
        }
        return new Found(whole.toBytes(), version, metadataAt + versionAt, metadataAt, metadataLength);
    }

    /** Whether the entry that the reader is at, and goes past, is the annotation that ends the initial events. */
    private static boolean isMark(WireReader reader) throws WireFormatException {
        boolean mark = false;
        int outer = reader.enter();
        while (reader.hasNext()) {
            if (reader.next() == KEY && reader.isLength()) {
                mark = reader.text().equals(DecodedEvent.INITIAL_EVENTS_END);
            } else {
                reader.skip();
            }
        }
        reader.leave(outer);
        return mark;
    }
}
