package io.watchfan.k8s;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An open watch, and the bytes that have come of it: lines, or messages behind their lengths. */
final class RawWatch extends OpenBody<RawWatch> {
    private final boolean binary;
    private final String contentType;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    RawWatch(String contentType) {
        this.contentType = contentType;
        this.binary = contentType.contains("protobuf");
    }

    @Override
    void keep(byte[] next) {
        bytes.writeBytes(next);
    }

    String contentType() {
        return contentType;
    }

    /** All events that have come whole, without what framed them. */
    synchronized List<byte[]> events() {
        List<byte[]> events = new ArrayList<>();
        byte[] all = bytes.toByteArray();
        int at = 0;
        while (at < all.length) {
            int from = binary ? at + 4 : at;
            int to = from;
            if (!binary) {
                while (to < all.length && all[to] != '\n') {
                    to++;
                }
            } else if (from <= all.length) {
                to = from + ByteBuffer.wrap(all, at, 4).getInt();
            }
            if (from > all.length || to > all.length || !binary && to == all.length) {
                break;
            }
            events.add(Arrays.copyOfRange(all, from, to));
            at = binary ? to : to + 1;
        }
        return events;
    }

    /** All events but plain bookmarks, as soon as so many of them have this text in them. */
    List<byte[]> until(String text, int count) throws InterruptedException {
        await(Watching.PATIENCE, () -> isOver() || count(text) >= count);
        List<byte[]> events = counted();
        if (count(text) < count) {
            throw new AssertionError(
                    events.size() + " events came, and not " + count + " of " + text + "; ended: " + isOver(),
                    trouble());
        }
        return events;
    }

    private long count(String text) {
        return counted().stream()
                .filter(event -> ProtobufText.contains(event, text))
                .count();
    }

    private List<byte[]> counted() {
        return events().stream().filter(RawWatch::counts).toList();
    }

    private static boolean counts(byte[] event) {
        return !ProtobufText.contains(event, "BOOKMARK") || ProtobufText.contains(event, "initial-events-end");
    }
}
