package io.watchfan.proxy.upstream;

import io.watchfan.proxy.wire.WireFormatException;
import io.watchfan.proxy.wire.WireReader;

/**
 * What counts of a {@code metav1.Status} in protobuf.
 *
 * @param code 0 when it says none
 * @param reason empty when it says none
 * @param message empty when it says none
 */
record StatusMessage(int code, String reason, String message) {
    private static final int MESSAGE = 3;
    private static final int REASON = 4;
    private static final int CODE = 6;

    /** Reads the message that these bytes are. */
    static StatusMessage read(byte[] bytes, int offset, int length) throws WireFormatException {
        int code = 0;
        String reason = "";
        String message = "";
        WireReader reader = new WireReader();
        reader.open(bytes, offset, length);
        while (reader.hasNext()) {
            int field = reader.next();
            if (field == MESSAGE && reader.isLength()) {
                message = reader.text();
            } else if (field == REASON && reader.isLength()) {
                reason = reader.text();
            } else if (field == CODE && reader.isVarint()) {
                code = (int) reader.varint();
            } else {
                reader.skip();
            }
        }
        return new StatusMessage(code, reason, message);
    }
}
