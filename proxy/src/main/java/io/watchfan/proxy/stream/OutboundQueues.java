package io.watchfan.proxy.stream;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.lang.reflect.Field;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Vert.x gives each connection, and each stream of HTTP/2, a queue of messages that wait to be written, with room for a thousand
 * from the start: 4.7 kB, more than all else of an idle watch together. A watch uses it for little, so it gets one that is as
 * large as what is in it. This reaches into fields of Vert.x; where they are not what they were, nothing is done, and said
 * once.
 */
final class OutboundQueues {
    private static final Logger LOG = LoggerFactory.getLogger(OutboundQueues.class);
    private static final Fields FIELDS = Fields.find();

    /**
     * The way from a connection or a stream to its queue.
     *
     * @param ofConnection the outbound part of a connection
     * @param stream the stream of a request of HTTP/2
     * @param ofStream the outbound part of a stream
     * @param messages the messages of either part
     * @param queue the queue of these
     */
    private record Fields(Field ofConnection, Field stream, Field ofStream, Field messages, Field queue) {
        /** Null where one of them does not exist. */
        static Fields find() {
            try {
                return new Fields(
                        open("io.vertx.core.net.impl.VertxConnection", "outboundMessageQueue"),
                        open("io.vertx.core.http.impl.HttpServerRequestImpl", "stream"),
                        open("io.vertx.core.http.impl.http2.DefaultHttp2Stream", "outboundQueue"),
                        open("io.vertx.core.internal.concurrent.OutboundMessageQueue", "mqp"),
                        open("io.vertx.core.streams.impl.MessagePassingQueue", "queue"));
            } catch (ReflectiveOperationException | RuntimeException e) {
                LOG.info("watches keep large queues, since this Vert.x is not as expected: {}", e.toString());
                return null;
            }
        }

        private static Field open(String of, String name) throws ReflectiveOperationException {
            Field field = Class.forName(of).getDeclaredField(name);
            field.setAccessible(true);
            return field;
        }
    }

    private OutboundQueues() {}

    /** The queue of {@code request}'s stream, or of its connection if that has no streams; null where it is not known. */
    static Queue<?> queueOf(HttpServerRequest request) {
        try {
            return FIELDS == null ? null : (Queue<?>) FIELDS.queue.get(messages(request));
        } catch (IllegalAccessException | RuntimeException e) {
            return null;
        }
    }

    private static Object messages(HttpServerRequest request) throws IllegalAccessException {
        Object outbound = request.version() == HttpVersion.HTTP_2
                ? FIELDS.ofStream.get(FIELDS.stream.get(request))
                : FIELDS.ofConnection.get(request.connection());
        return FIELDS.messages.get(outbound);
    }

    /** Gives {@code request} a small queue, if its own is empty. Call on its event loop, the only thread to write to it. */
    static void shrink(HttpServerRequest request) {
        Queue<?> queue = queueOf(request);
        if (queue == null || queue instanceof ConcurrentLinkedQueue || !queue.isEmpty()) {
            return;
        }
        try {
            FIELDS.queue.set(messages(request), new ConcurrentLinkedQueue<>());
        } catch (IllegalAccessException | RuntimeException e) {
            LOG.debug("a watch keeps its large queue: {}", e.toString());
        }
    }
}
