package io.watchfan.fanout.store;

import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.jmh.Fixtures;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Changes of a snapshot, and reads of it, by the number of objects. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class StoreSnapshotBenchmark {
    private static final int PAGE = 500;

    /** How many objects there are. */
    @Param({"1000", "100000"})
    public int objects;

    private List<StoredObject> pods;
    private StoreSnapshot snapshot;
    private int next;

    /** Fills the snapshot. */
    @Setup
    public void fill() {
        pods = Fixtures.pods(objects, Fixtures.Size.SMALL, 1, 1);
        snapshot = StoreSnapshot.ofSorted(pods);
    }

    private StoredObject any() {
        // A step that is prime to every size visits all objects, far apart.
        next = (next + 7919) % objects;
        return pods.get(next);
    }

    /** Replaces one object. */
    @Benchmark
    public StoreSnapshot update() {
        snapshot = snapshot.with(any());
        return snapshot;
    }

    /** Removes one object and adds it again. */
    @Benchmark
    public StoreSnapshot removeAndAdd() {
        StoredObject pod = any();
        snapshot = snapshot.without(pod.key()).with(pod);
        return snapshot;
    }

    /** Looks one object up. */
    @Benchmark
    public StoredObject get() {
        return snapshot.get(any().key());
    }

    /** Visits every object; the time is that of all. */
    @Benchmark
    public long list() {
        long bytes = 0;
        for (Iterator<StoredObject> all = snapshot.iterator(); all.hasNext(); ) {
            bytes += all.next().bytes().length;
        }
        return bytes;
    }

    /** Visits 500 objects from somewhere on, and counts those that remain. */
    @Benchmark
    public long page() {
        ObjectKey after = any().key();
        long bytes = snapshot.countAfter(after, false);
        Iterator<StoredObject> page = snapshot.iteratorAfter(after);
        for (int i = 0; i < PAGE && page.hasNext(); i++) {
            bytes += page.next().bytes().length;
        }
        return bytes;
    }
}
