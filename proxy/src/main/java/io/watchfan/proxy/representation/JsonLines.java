package io.watchfan.proxy.representation;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.proxy.request.StatusBody;
import io.watchfan.proxy.upstream.UpstreamStatusException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;

/** What all JSON has in common: each event is a line (W-090). */
abstract class JsonLines implements Representation {
    static final byte[] LINE_FEED = {'\n'};
    static final byte[] COMMA = {','};

    private static final byte[] LINE_END = {'}', '\n'};
    private static final Map<EventType, byte[]> HEADS = new EnumMap<>(EventType.class);

    static {
        for (EventType type : EventType.values()) {
            HEADS.put(type, bytes("{\"type\":\"" + type + "\",\"object\":"));
        }
    }

    @Override
    public String contentType() {
        return "application/json";
    }

    @Override
    public String watchContentType() {
        return "application/json";
    }

    @Override
    public boolean isBinary() {
        return false;
    }

    @Override
    public long itemBytes(StoredObject object) {
        return 0;
    }

    @Override
    public byte[] error(StatusBody status) {
        return status.errorEventLine();
    }

    @Override
    public byte[] error(UpstreamStatusException refusal) {
        String status = refusal.body().toString(StandardCharsets.UTF_8).strip();
        return status.startsWith("{") && status.indexOf('\n') < 0
                ? bytes("{\"type\":\"ERROR\",\"object\":" + status + "}\n")
                : error(StatusBody.unknownError(refusal.getMessage()));
    }

    static byte[] head(Line line) {
        return HEADS.get(line.type());
    }

    static byte[] end() {
        return LINE_END;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] digits(long version) {
        return Long.toString(version).getBytes(StandardCharsets.US_ASCII);
    }
}
