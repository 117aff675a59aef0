package io.watchfan.loadtest.bench;

import java.time.Duration;
import java.util.List;

/**
 * What to run. Immutable.
 *
 * @param scenarios by name, in this order
 * @param rounds of each; at least 1
 * @param watchers 0 for as many as each scenario is meant for
 * @param seed fixes what is chosen at random
 * @param patience how long to wait for anything before the scenario is given up
 * @param proxyCommand what starts the proxy
 * @param mainClass the class that has the command {@code sim}
 */
public record BenchPlan(
        List<String> scenarios,
        int rounds,
        int watchers,
        long seed,
        Duration patience,
        List<String> proxyCommand,
        String mainClass) {}
