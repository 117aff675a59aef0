package io.watchfan.loadtest.naive;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpContent;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/** The clients of one event loop that watch. Confined to it. */
final class LoopClients {
    /** Who has so much still to take is let go, as the API server does. */
    private static final long MAX_PENDING_BYTES = 32 << 20;

    private final EventLoop loop;
    private final ObjectMapper mapper;
    private final Set<Channel> watching = new LinkedHashSet<>();

    LoopClients(EventLoop loop, ObjectMapper mapper) {
        this.loop = loop;
        this.mapper = mapper;
    }

    EventLoop loop() {
        return loop;
    }

    void add(Channel client) {
        watching.add(client);
    }

    void remove(Channel client) {
        watching.remove(client);
    }

    /** Encodes an event for each client, and sends it. */
    void tell(JsonNode event) {
        // One that is let go leaves the set at once.
        for (Channel client : watching.toArray(new Channel[0])) {
            tell(client, event);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, which is noticed there
    private void tell(Channel client, JsonNode event) {
        if (client.unsafe().outboundBuffer() == null
                || client.unsafe().outboundBuffer().totalPendingWriteBytes() > MAX_PENDING_BYTES) {
            client.close();
            return;
        }
        try {
            byte[] encoded = mapper.writeValueAsBytes(event);
            byte[] line = Arrays.copyOf(encoded, encoded.length + 1);
            line[encoded.length] = '\n';
            client.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(line)));
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
