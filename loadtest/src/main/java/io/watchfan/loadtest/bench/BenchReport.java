package io.watchfan.loadtest.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchfan.loadtest.report.RunEnvironment;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that a benchmark found. Immutable.
 *
 * @param loadBefore the machine's load average at the start
 * @param loadAfter the same at the end
 */
public record BenchReport(
        BenchPlan plan,
        RunEnvironment environment,
        String loadBefore,
        String loadAfter,
        List<ScenarioReport> scenarios) {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Whether all scenarios came to their end, and no figure is other than it must be. */
    public boolean passed() {
        return scenarios.stream().allMatch(ScenarioReport::passed);
    }

    /** One JSON object. */
    public String toJson() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("command", "bench");
        all.put("passed", passed());
        Map<String, Object> options = new LinkedHashMap<>();
        options.put("scenarios", plan.scenarios());
        options.put("rounds", plan.rounds());
        options.put("watchers", plan.watchers());
        options.put("seed", plan.seed());
        options.put("proxy", String.join(" ", plan.proxyCommand()));
        all.put("options", options);
        all.put("environment", environment);
        all.put("loadBefore", loadBefore);
        all.put("loadAfter", loadAfter);
        all.put("scenarios", scenarios);
        try {
            return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(all);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A summary to read. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        text.append("machine     ").append(environment).append('\n');
        text.append("load        ")
                .append(loadBefore)
                .append(" before, ")
                .append(loadAfter)
                .append(" after\n");
        for (ScenarioReport scenario : scenarios) {
            text.append('\n').append(scenario.toText());
        }
        text.append('\n')
                .append("result      ")
                .append(passed() ? "passed" : "FAILED")
                .append('\n');
        return text.toString();
    }
}
