package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.swarm.Sabotage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a demo or a soak is to do.
 *
 * @param churn changes per second; on average, in a soak
 * @param expire whether the API server of a demo forgets its history once, half way through
 * @param sabotage null for none
 * @param proxyCommand empty for watchers straight at the API server
 */
record RunOptions(
        int watchers,
        Duration duration,
        double churn,
        int pods,
        long seed,
        boolean expire,
        Sabotage sabotage,
        List<String> proxyCommand) {

    /** As they stand in a report. */
    Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("seed", seed);
        map.put("duration", duration.toString());
        map.put("watchers", watchers);
        map.put("churn", churn);
        map.put("pods", pods);
        map.put("proxy", proxyCommand.isEmpty() ? "none" : String.join(" ", proxyCommand));
        if (expire) {
            map.put("expire", true);
        }
        if (sabotage != null) {
            map.put("sabotage", sabotage.toString());
        }
        return map;
    }
}
