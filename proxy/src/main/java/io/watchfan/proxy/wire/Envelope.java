package io.watchfan.proxy.wire;

/**
 * What Kubernetes puts a message in, so that it can be told what it is: four magic bytes, and a {@code runtime.Unknown} with
 * apiVersion and kind, the message, and two texts that are empty (W-107). Immutable.
 */
public final class Envelope {
    private static final byte[] MAGIC = {'k', '8', 's', 0};
    private static final int TYPE_META = 1;
    private static final int API_VERSION = 1;
    private static final int KIND = 2;
    private static final int RAW = 2;
    /** contentEncoding and contentType. */
    private static final byte[] TAIL = new WireWriter().text(3, "").text(4, "").toBytes();

    private final byte[] head;

    /** The envelope of messages of this type. */
    public Envelope(String apiVersion, String kind) {
        head = new WireWriter()
                .raw(MAGIC)
                .message(
                        TYPE_META,
                        new WireWriter().text(API_VERSION, apiVersion).text(KIND, kind))
                .toBytes();
    }

    /** How long the whole is, around a message of {@code messageLength} bytes. */
    public long length(long messageLength) {
        return head.length + WireWriter.sizeOfField(messageLength) + TAIL.length;
    }

    /** Appends what comes before a message of {@code messageLength} bytes. */
    public WireWriter begin(WireWriter into, long messageLength) {
        return into.raw(head).begin(RAW, messageLength);
    }

    /** What comes after the message; shared and not to be changed. */
    public byte[] tail() {
        return TAIL;
    }

    /** The whole. */
    public byte[] around(byte[] message) {
        return begin(new WireWriter(), message.length).raw(message).raw(TAIL).toBytes();
    }

    /**
     * What an envelope holds.
     *
     * @param apiVersion the message's; empty when it says none
     * @param kind the message's; empty when it says none
     * @param offset where the message begins
     * @param length how long it is
     */
    public record Content(String apiVersion, String kind, int offset, int length) {}

    /** Opens the envelope that {@code length} bytes from {@code offset} on are. */
    public static Content open(byte[] bytes, int offset, int length) throws WireFormatException {
        for (int i = 0; i < MAGIC.length; i++) {
            if (i >= length || bytes[offset + i] != MAGIC[i]) {
                throw new WireFormatException("a message that does not begin with k8s");
            }
        }
        WireReader reader = new WireReader();
        reader.open(bytes, offset + MAGIC.length, length - MAGIC.length);
        String apiVersion = "";
        String kind = "";
        int messageAt = -1;
        int messageLength = 0;
        while (reader.hasNext()) {
            int field = reader.next();
            if (field == TYPE_META && reader.isLength()) {
                int outer = reader.enter();
                while (reader.hasNext()) {
                    int part = reader.next();
                    if (part == API_VERSION && reader.isLength()) {
                        apiVersion = reader.text();
                    } else if (part == KIND && reader.isLength()) {
                        kind = reader.text();
                    } else {
                        reader.skip();
                    }
                }
                reader.leave(outer);
            } else if (field == RAW && reader.isLength()) {
                int outer = reader.enter();
                messageAt = reader.position();
                reader.leaveUnread(outer);
                messageLength = reader.position() - messageAt;
            } else {
                reader.skip();
            }
        }
        if (messageAt < 0) {
            throw new WireFormatException("an envelope with nothing in it");
        }
        return new Content(apiVersion, kind, messageAt, messageLength);
    }
}
