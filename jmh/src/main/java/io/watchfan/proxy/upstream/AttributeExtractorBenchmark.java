package io.watchfan.proxy.upstream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchfan.jmh.Fixtures;
import java.io.IOException;
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

/** One line of a watch to a stored object, beside Jackson's tree of the same line. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2, jvmArgsAppend = "-Xmx1g")
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class AttributeExtractorBenchmark {
    /** What the pod holds. */
    @Param({"SMALL", "LARGE"})
    public Fixtures.Size size;

    /** How many labels it has. */
    @Param({"1", "10", "50"})
    public int labels;

    private final AttributeExtractor extractor = new AttributeExtractor(Fixtures.POD_FIELDS);
    private final ObjectMapper mapper = new ObjectMapper();
    private byte[] line;

    /** Writes the line. */
    @Setup
    public void write() {
        line = Fixtures.modifiedLine(Fixtures.pod(1, size, labels, 123456789));
    }

    /** The streaming pass, and the copy of the object's bytes. */
    @Benchmark
    public DecodedEvent extract() throws MalformedObjectException {
        return extractor.event(line, 0, line.length);
    }

    /** A tree, of which nothing has been taken yet. */
    @Benchmark
    public JsonNode databindTree() throws IOException {
        return mapper.readTree(line);
    }
}
