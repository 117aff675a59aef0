package io.watchfan.fanout.log;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.jmh.Fixtures;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The event log beside an LMAX Disruptor and a {@link ConcurrentLinkedQueue} of the same capacity.
 *
 * <p>They are not alike: the log's writer never waits and laps slow readers; a Disruptor's producer waits for its slowest
 * reader; a queue serves one reader and is bounded here by the benchmark. So {@code append…} measures the writer alone,
 * {@code handOver…} one thread that writes a batch and reads it, and the groups {@code log}, {@code disruptor} and
 * {@code queue} a writer and a reader on two threads, with what each missed. The times are per event.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class EventLogBenchmark {
    private static final int CAPACITY = 1 << 16;
    private static final int BATCH = 64;

    /** What travels; the log makes an event of its own of it, so the others do as well. */
    private static WatchEvent event(long sequence, StoredObject object) {
        return new WatchEvent(sequence, EventType.MODIFIED, WatchEvent.Part.WHOLE, sequence, sequence, object, null);
    }

    private static StoredObject object() {
        return Fixtures.pod(1, Fixtures.Size.SMALL, 10, 1);
    }

    /** The log behind a state whose root stays empty: the store has a benchmark of its own. */
    @State(Scope.Benchmark)
    public static class Log {
        private final StoredObject object = object();
        private final EventBatch batch = new EventBatch(BATCH);
        private EventLog log;
        private FeedState first;
        private EventCursor cursor;
        private volatile Position position;

        /** A new log. */
        @Setup
        public void open() {
            FeedWriter writer = new FeedWriter(new LogLimits(CAPACITY, Long.MAX_VALUE, Long.MAX_VALUE));
            writer.reset(0, List.of());
            first = writer.state();
            log = first.log();
            cursor = first.startAtEnd();
            position = first.position();
        }

        void append() {
            long version = log.latest() + 1;
            log.append(EventType.MODIFIED, WatchEvent.Part.WHOLE, version, version, object, null, 0);
        }

        void publish() {
            long latest = log.latest();
            position = new Position(latest, latest, first.position().objects());
        }
    }

    /** A Disruptor with one producer and one reader that polls. */
    @State(Scope.Benchmark)
    public static class Disruptor {
        private final StoredObject object = object();
        private RingBuffer<Slot> ring;
        private EventPoller<Slot> poller;
        private long next;

        /** A new ring. */
        @Setup
        public void open() {
            ring = RingBuffer.createSingleProducer(Slot::new, CAPACITY, new YieldingWaitStrategy());
            poller = ring.newPoller();
            ring.addGatingSequences(poller.getSequence());
        }

        void publish(long sequence) {
            ring.get(sequence).event = event(++next, object);
            ring.publish(sequence);
        }
    }

    /** A slot of the Disruptor. */
    public static class Slot {
        private WatchEvent event;
    }

    /** A queue, bounded by what its reader says that it has read. */
    @State(Scope.Benchmark)
    public static class Queue {
        private final StoredObject object = object();
        private final AtomicLong read = new AtomicLong();
        private ConcurrentLinkedQueue<WatchEvent> queue;
        private long written;

        /** A new queue. */
        @Setup
        public void open() {
            queue = new ConcurrentLinkedQueue<>();
            written = 0;
            read.set(0);
        }
    }

    /** What a side of a group could not do. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Misses {
        /** Events read. */
        public long events;
        /** Reads that found nothing. */
        public long empty;
        /** Reads that had been lapped. */
        public long lapped;
        /** Writes that found no room. */
        public long full;
    }

    // ---- the writer alone, into a full ring or queue

    /** Appends to the log and publishes. */
    @Benchmark
    public Position appendLog(Log log) {
        log.append();
        log.publish();
        return log.position;
    }

    /** Publishes to a Disruptor whose reader keeps up. */
    @Benchmark
    public long appendDisruptor(Disruptor disruptor) {
        long sequence = disruptor.ring.next();
        disruptor.publish(sequence);
        disruptor.poller.getSequence().set(sequence);
        return sequence;
    }

    /** Offers to the queue and takes one as soon as it is full. */
    @Benchmark
    public WatchEvent appendQueue(Queue queue) {
        queue.queue.offer(event(++queue.written, queue.object));
        return queue.written > CAPACITY ? queue.queue.poll() : null;
    }

    // ---- one thread writes a batch and reads it

    /** The log, published once per batch. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public int handOverLog(Log log) {
        for (int i = 0; i < BATCH; i++) {
            log.append();
        }
        log.publish();
        log.cursor.poll(log.position.sequence(), log.batch, Long.MAX_VALUE);
        return log.batch.size();
    }

    /** The Disruptor, published once per batch. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public Object handOverDisruptor(Disruptor disruptor, Blackhole blackhole) throws Exception {
        long last = disruptor.ring.next(BATCH);
        for (long s = last - BATCH + 1; s <= last; s++) {
            disruptor.ring.get(s).event = event(++disruptor.next, disruptor.object);
        }
        disruptor.ring.publish(last - BATCH + 1, last);
        return disruptor.poller.poll((slot, sequence, endOfBatch) -> {
            blackhole.consume(slot.event);
            return true;
        });
    }

    /** The queue. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public long handOverQueue(Queue queue, Blackhole blackhole) {
        for (int i = 0; i < BATCH; i++) {
            queue.queue.offer(event(++queue.written, queue.object));
        }
        for (WatchEvent event; (event = queue.queue.poll()) != null; ) {
            blackhole.consume(event);
        }
        return queue.written;
    }

    // ---- a writer and a reader on two threads

    /** Appends to the log and publishes; never waits. */
    @Benchmark
    @Group("log")
    public Position writeLog(Log log) {
        log.append();
        log.publish();
        return log.position;
    }

    /** Polls the log; starts at the end again when it has been lapped. */
    @Benchmark
    @Group("log")
    public PollResult readLog(Log log, Misses misses) {
        long through = log.position.sequence();
        PollResult result = log.cursor.poll(through, log.batch, Long.MAX_VALUE);
        misses.events += log.batch.size();
        if (result == PollResult.EXPIRED) {
            misses.lapped++;
            log.cursor.moveTo(through + 1);
        } else if (result == PollResult.CAUGHT_UP) {
            misses.empty++;
        }
        return result;
    }

    /** Publishes to the Disruptor if there is room. */
    @Benchmark
    @Group("disruptor")
    public long writeDisruptor(Disruptor disruptor, Misses misses) {
        try {
            long sequence = disruptor.ring.tryNext();
            disruptor.publish(sequence);
            return sequence;
        } catch (InsufficientCapacityException e) {
            misses.full++;
            return -1;
        }
    }

    /** Polls the Disruptor. */
    @Benchmark
    @Group("disruptor")
    public EventPoller.PollState readDisruptor(Disruptor disruptor, Misses misses, Blackhole blackhole)
            throws Exception {
        int[] count = {0};
        EventPoller.PollState result = disruptor.poller.poll((slot, sequence, endOfBatch) -> {
            blackhole.consume(slot.event);
            return ++count[0] < BATCH;
        });
        misses.events += count[0];
        misses.empty += count[0] == 0 ? 1 : 0;
        return result;
    }

    /** Offers to the queue if its reader has left room. */
    @Benchmark
    @Group("queue")
    public boolean writeQueue(Queue queue, Misses misses) {
        if (queue.written - queue.read.get() >= CAPACITY) {
            misses.full++;
            return false;
        }
        return queue.queue.offer(event(++queue.written, queue.object));
    }

    /** Takes a batch from the queue. */
    @Benchmark
    @Group("queue")
    public int readQueue(Queue queue, Misses misses, Blackhole blackhole) {
        int count = 0;
        for (WatchEvent event; count < BATCH && (event = queue.queue.poll()) != null; count++) {
            blackhole.consume(event);
        }
        queue.read.setRelease(queue.read.getPlain() + count);
        misses.events += count;
        misses.empty += count == 0 ? 1 : 0;
        return count;
    }
}
