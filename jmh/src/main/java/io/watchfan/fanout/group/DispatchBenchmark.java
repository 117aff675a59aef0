package io.watchfan.fanout.group;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.log.EventBatch;
import io.watchfan.fanout.log.FeedState;
import io.watchfan.fanout.log.FeedWriter;
import io.watchfan.fanout.log.LogLimits;
import io.watchfan.fanout.selector.SelectorParser;
import io.watchfan.fanout.selector.SelectorSyntaxException;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.jmh.Fixtures;
import java.util.ArrayList;
import java.util.List;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Deciding what each scope gets of an event. However many scopes there are, each event concerns exactly one, so the deliveries
 * are the same, and a cost that grows with the scopes is the cost of finding that one. The times are per event.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class DispatchBenchmark {
    private static final int EVENTS = 64;

    /** How many distinct scopes are watched. */
    @Param({"1", "100", "10000"})
    public int scopes;

    /** By what the scopes tell objects apart; a set cannot be looked up. */
    @Param({"namespace", "field", "label", "set"})
    public String selector;

    /** How many labels each object has. */
    @Param({"10"})
    public int labels;

    private final FilterGroups<Object> groups = new FilterGroups<>();
    private final List<FilterGroup<Object>> touched = new ArrayList<>();
    private final EventBatch batch = new EventBatch(EVENTS);

    /** Opens the groups and takes a batch of events: the second half of what it writes, so that every object was known. */
    @Setup
    public void open() throws SelectorSyntaxException {
        for (int i = 0; i < scopes; i++) {
            groups.join(scope(i), this);
        }
        FeedWriter writer = new FeedWriter(new LogLimits(2 * EVENTS, Long.MAX_VALUE, Long.MAX_VALUE));
        writer.reset(1, List.of());
        for (int i = 0; i < 2 * EVENTS; i++) {
            int number = i % EVENTS % scopes;
            ObjectKey key = new ObjectKey("ns-" + number, "pod-" + i % EVENTS);
            StoredObject pod = Fixtures.pod(key, number, Fixtures.Size.SMALL, labels, 2 + i);
            writer.upsert(pod, 0);
        }
        writer.publish();
        FeedState state = writer.state();
        state.startAt(1 + EVENTS).poll(state.position().sequence(), batch, Long.MAX_VALUE);
    }

    private WatchScope scope(int number) throws SelectorSyntaxException {
        String labelSelector = switch (selector) {
            case "label" -> "app=app-" + number;
            case "set" -> "app in (app-" + number + ",none)";
            default -> "";
        };
        return WatchScope.of(
                selector.equals("namespace") ? "ns-" + number : null,
                SelectorParser.parseLabels(labelSelector),
                SelectorParser.parseFields(
                        selector.equals("field") ? "spec.nodeName=node-" + number : "", Fixtures.POD_FIELDS));
    }

    /** Dispatches the batch and takes the lines. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public int dispatch() {
        touched.clear();
        groups.dispatch(batch, touched);
        int lines = 0;
        for (FilterGroup<Object> group : touched) {
            lines += group.pending().size();
            group.clear();
        }
        if (lines != EVENTS) {
            throw new IllegalStateException(lines + " lines");
        }
        return lines;
    }
}
