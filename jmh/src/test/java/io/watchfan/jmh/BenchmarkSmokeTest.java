package io.watchfan.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Every benchmark runs; what it measures here means nothing. */
class BenchmarkSmokeTest {
    @Test
    void shouldRunEveryBenchmarkOnce() throws RunnerException {
        // The lock would make this wait for a benchmark that runs elsewhere on the machine.
        System.setProperty("jmh.ignoreLock", "true");
        Options options = new OptionsBuilder()
                .forks(0)
                .warmupIterations(0)
                .measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(10))
                .param("scopes", "100")
                .param("objects", "1000")
                .param("labels", "10")
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();

        Collection<RunResult> results = new Runner(options).run();

        Set<String> ran = results.stream()
                .map(result -> result.getParams().getBenchmark())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(ran).isEqualTo(all());
    }

    private static Set<String> all() {
        return BenchmarkList.defaultList()
                .getAll(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT), List.of())
                .stream()
                .map(BenchmarkListEntry::getUsername)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
