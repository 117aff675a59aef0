package io.watchfan.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryProbeTest {
    private static final String HISTOGRAM = """
            4711:
             num     #instances         #bytes  class name (module)
            -------------------------------------------------------
               1:          1000         640000  [B (java.base@17.0.15)
               2:           200           9600  io.watchfan.Some
               3:             1             16  io.watchfan.Some
            Total          1201         649616
            """;

    @Test
    void shouldReadTheSumAndEachClass() throws IOException {
        MemoryProbe.Reading reading = MemoryProbe.parse(HISTOGRAM, 5000);

        assertThat(reading.heapBytes()).isEqualTo(649_616);
        assertThat(reading.bytes()).isEqualTo(654_616);
        assertThat(reading.classes())
                .containsEntry("[B", new MemoryProbe.ClassUse(1000, 640_000))
                .containsEntry("io.watchfan.Some", new MemoryProbe.ClassUse(201, 9616));
    }

    @Test
    void shouldSayWhatItGotInsteadOfAHistogram() {
        assertThatThrownBy(() -> MemoryProbe.parse("4711:\nno such process", 0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no such process");
    }

    @Test
    void shouldTellWhatGrewForEachWatch() throws IOException {
        MemoryProbe.Reading first = MemoryProbe.parse("Total 0 0", 0);
        MemoryProbe.Reading second = MemoryProbe.parse(HISTOGRAM, 0);

        ScenarioReport.Table table = MemoryTable.of("growth", first, second, 100);

        assertThat(table.rows())
                .containsExactly(List.of("[B", "10.00", "6400"), List.of("io.watchfan.Some", "2.01", "96"));
    }
}
