package io.watchfan.proxy.stream;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.group.EventTransition;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.FeedWriter;
import io.watchfan.fanout.log.LogLimits;
import io.watchfan.fanout.selector.SelectorParser;
import io.watchfan.fanout.selector.SelectorSyntaxException;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.jmh.Fixtures;
import io.watchfan.proxy.representation.Representation;
import io.watchfan.proxy.representation.Representations;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.request.MediaTypes.Choice;
import io.watchfan.proxy.request.MediaTypes.Encoding;
import io.watchfan.proxy.request.MediaTypes.Transform;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a scope gets of events, and the frame of that: done once for all clients of a scope, representation and framing on an
 * event loop. Half of the events bring a pod into the scope, half take it out. The times are per event.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class FrameBenchmark {
    private static final int EVENTS = 64;
    private static final Representations PODS = new Representations(
            new ApiResource(new GroupVersionResource("", "v1", "pods"), "Pod", true, Set.of("list", "watch")),
            ObjectEncoding.JSON);

    /** How the lines are wrapped. */
    @Param({"CHUNKED", "WEBSOCKET", "PLAIN"})
    public Framing framing;

    /** What a line has of its pod: all, or the metadata alone. */
    @Param({"whole", "metadata"})
    public String representation;

    /** How large the pods are. */
    @Param({"SMALL", "LARGE"})
    public Fixtures.Size size;

    /** How many labels each has. */
    @Param({"10"})
    public int labels;

    private final Gzip gzip = new Gzip();
    private final FrameBuilder frames = new FrameBuilder(gzip);
    private final EventBatch batch = new EventBatch(EVENTS);
    private final List<Line> lines = new ArrayList<>();
    private WatchScope scope;
    private FrameFormat format;

    /** Writes the events: each pod is on node-0 at first, or comes there. */
    @Setup
    public void open() throws SelectorSyntaxException {
        scope = WatchScope.of(
                null,
                SelectorParser.parseLabels(""),
                SelectorParser.parseFields("spec.nodeName=node-0", Fixtures.POD_FIELDS));
        Representation written = representation.equals("whole")
                ? PODS.whole()
                : PODS.of(new Choice(Encoding.JSON, Transform.PARTIAL_METADATA, "v1", false));
        format = new FrameFormat(framing, written);
        FeedWriter writer = new FeedWriter(new LogLimits(EVENTS, Long.MAX_VALUE, Long.MAX_VALUE));
        List<StoredObject> before = new ArrayList<>();
        for (int i = 0; i < EVENTS; i++) {
            before.add(pod(i, i % 2, 2 + i));
        }
        before.sort((a, b) -> a.key().compareTo(b.key()));
        writer.reset(1 + EVENTS, before);
        for (int i = 0; i < EVENTS; i++) {
            writer.upsert(pod(i, 1 - i % 2, 2 + EVENTS + i), 0);
        }
        writer.publish();
        FeedState state = writer.state();
        state.startAt(1 + EVENTS).poll(state.position().sequence(), batch, Long.MAX_VALUE);
    }

    private StoredObject pod(int number, int node, long version) {
        return Fixtures.pod(new ObjectKey("ns-0", "pod-" + number), node, size, labels, version);
    }

    /** Lets go of what is outside of the heap. */
    @TearDown
    public void close() {
        gzip.close();
    }

    /** What the scope gets of each. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public List<Line> transition() {
        lines.clear();
        for (int i = 0; i < batch.size(); i++) {
            WatchEvent event = batch.get(i);
            lines.add(EventTransition.of(event, scope));
        }
        return lines;
    }

    /** And the frame of it. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public long transitionAndFrame() {
        Frame frame = frames.frame(format, transition());
        int units = frame.units();
        if (frame.linesOf(units) != EVENTS) {
            throw new IllegalStateException(frame.linesOf(units) + " lines");
        }
        frame.release();
        return units;
    }
}
