package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * Random faults on every side of the proxy, with a new seed each time: {@code watchfan soak}, for two minutes with
 * {@code CI=true}, or for as long as {@code -Dwatchfan.soak} says; {@code -Dwatchfan.seed} repeats one.
 */
class SoakST {
    private static final String LENGTH =
            System.getProperty("watchfan.soak", "true".equals(System.getenv("CI")) ? "2m" : null);
    private static final int MAX_SEED = 1_000_000_000;

    @Test
    void shouldTellNobodyAnythingWrong() throws IOException, InterruptedException {
        assumeTrue(LENGTH != null, "the soak runs with CI=true or -Dwatchfan.soak=DURATION");
        String seed = System.getProperty(
                "watchfan.seed", Integer.toString(ThreadLocalRandom.current().nextInt(MAX_SEED)));
        System.out.println("soak with seed " + seed);
        Path folder = Checkout.leftovers("soak");
        Path report = folder.resolve("report.json");
        Path log = folder.resolve("log.txt");
        ProcessBuilder builder = new ProcessBuilder(
                        List.of(Checkout.LAUNCHER.toString(), "soak", "--json", "--seed", seed, "--duration", LENGTH))
                .redirectOutput(report.toFile())
                .redirectError(log.toFile());
        // For this process and for the proxy that it starts.
        builder.environment().putIfAbsent("WATCHFAN_JAVA_OPTS", "-Xmx512m");
        Process soak = builder.start();
        Thread hook = new Thread(soak::destroy, "soak-end");
        Runtime.getRuntime().addShutdownHook(hook);
        int status = soak.waitFor();
        Runtime.getRuntime().removeShutdownHook(hook);

        String said = Files.readString(report);
        assertThat(status)
                .as("seed " + seed + ": " + said + Files.readString(log))
                .isZero();
        JsonNode result = new ObjectMapper().readTree(said);
        System.out.println("soak: " + result.path("soak"));
        assertThat(result.at("/soak/rounds").asInt()).isPositive();
        assertThat(result.at("/watchers/events").asLong()).isPositive();
    }
}
