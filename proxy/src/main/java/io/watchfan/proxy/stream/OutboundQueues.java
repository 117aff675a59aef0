package io.watchfan.proxy.stream;

import io.vertx.core.net.impl.ConnectionBase;
import java.lang.reflect.Field;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Vert.x gives each connection a queue of messages that wait to be written, with room for a thousand from the start: 4.7 kB, more
 * than all else of an idle watch together. A stream that is written below the codec uses it for its end alone, so it gets one
 * that is as large as what is in it. This reaches into fields of Vert.x; where they are not what they were, nothing is
 * done, and said once.
 */
final class OutboundQueues {
    private static final Logger LOG = LoggerFactory.getLogger(OutboundQueues.class);
    private static final Fields FIELDS = Fields.find();

    private record Fields(Field channel, Field messages, Field queue) {
        /** Null where one of them does not exist. */
        static Fields find() {
            try {
                Class<?> connection = Class.forName("io.vertx.core.net.impl.VertxConnection");
                Class<?> channel = Class.forName("io.vertx.core.internal.concurrent.OutboundMessageQueue");
                Class<?> messages = Class.forName("io.vertx.core.streams.impl.MessagePassingQueue");
                return new Fields(
                        open(connection, "outboundMessageQueue"), open(channel, "mqp"), open(messages, "queue"));
            } catch (ReflectiveOperationException | RuntimeException e) {
                LOG.info("connections keep their large queues, since this Vert.x is not as expected: {}", e.toString());
                return null;
            }
        }

        private static Field open(Class<?> of, String name) throws NoSuchFieldException {
            Field field = of.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        }
    }

    private OutboundQueues() {}

    /** The queue of {@code connection}; null where it is not known how to find it. */
    static Queue<?> queueOf(ConnectionBase connection) {
        try {
            return FIELDS == null ? null : (Queue<?>) FIELDS.queue.get(messages(connection));
        } catch (IllegalAccessException | RuntimeException e) {
            return null;
        }
    }

    private static Object messages(ConnectionBase connection) throws IllegalAccessException {
        return FIELDS.messages.get(FIELDS.channel.get(connection));
    }

    /** Gives {@code connection} a small queue, if its own is empty. Call on its event loop, the only thread to write to it. */
    static void shrink(ConnectionBase connection) {
        Queue<?> queue = queueOf(connection);
        if (queue == null || queue instanceof ConcurrentLinkedQueue || !queue.isEmpty()) {
            return;
        }
        try {
            FIELDS.queue.set(messages(connection), new ConcurrentLinkedQueue<>());
        } catch (IllegalAccessException | RuntimeException e) {
            LOG.debug("a connection keeps its large queue: {}", e.toString());
        }
    }
}
