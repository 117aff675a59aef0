package io.watchfan.loadtest.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchfan.loadtest.LoadTestMain;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SimProcessIT {
    private static final String MAIN = LoadTestMain.class.getName();

    @Test
    void shouldMakeAsManyChangesAsItIsTold() throws Exception {
        try (SimProcess sim = SimProcess.start(MAIN, List.of("--pods", "20"))) {
            long start = sim.version();

            assertThat(sim.burst(2500)).isEqualTo(start + 2500);
            long begun = System.nanoTime();
            assertThat(sim.pace(20, 100)).isEqualTo(start + 2520);
            assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(200_000_000);
            assertThat(sim.version()).isEqualTo(start + 2520);
            assertThat(sim.usage().userAndSystem().total()).isPositive();
        }
        assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void shouldSayWhyItDoesNotStart() {
        assertThatThrownBy(() -> SimProcess.start(MAIN, List.of("--pods", "-1")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("pods must be at least 0");
    }

    @Test
    void shouldRefuseAnOrderThatItDoesNotKnow() throws Exception {
        try (SimProcess sim = SimProcess.start(MAIN, List.of())) {
            assertThatThrownBy(() -> sim.pace(1, 0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no such order: pace 1 0.0");
        }
    }
}
