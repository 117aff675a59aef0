package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The proxy says what the API server says, byte for byte: random changes, random requests and watches at both. What may
 * differ has a name in {@link LeftOpen}, and a row in docs/FIDELITY.md.
 */
@EndToEnd(proxyFlags = {"--feed-idle", "3h"})
class DifferentialST {
    /** How long, as 30m or 90s. */
    private static final Duration DURATION = Duration.parse(
            "PT" + System.getProperty("watchfan.differential", "2m").toUpperCase(Locale.ROOT));

    /** One that is known, so that what fails is what has changed; others are for longer runs. */
    private static final long SEED = Long.getLong("watchfan.seed", 44);

    @Test
    void shouldSayWhatTheApiServerSays(World world, ControlPlane cluster, ProxyProcess proxy) throws Exception {
        System.out.println(
                "differential: -Dwatchfan.seed=" + SEED + " -Dwatchfan.differential=" + DURATION.toSeconds() + "s");
        try (DifferentialRun run = new DifferentialRun(world, cluster, SEED)) {
            try {
                run.run(DURATION);
            } finally {
                System.out.println("differential: " + run.summary());
            }
            assertThat(run.differences()).isEmpty();
        }
        String requests = proxy.admin()
                .get("/metrics")
                .expect(200)
                .text()
                .lines()
                .filter(line -> line.startsWith("watchfan_requests_total"))
                .collect(Collectors.joining("\n"));
        System.out.println(requests);
        assertThat(requests).isNotEmpty();
    }
}
