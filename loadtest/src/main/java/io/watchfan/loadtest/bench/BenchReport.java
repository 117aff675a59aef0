package io.watchfan.loadtest.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchfan.loadtest.report.RunEnvironment;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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
            append(text, scenario);
        }
        text.append('\n')
                .append("result      ")
                .append(passed() ? "passed" : "FAILED")
                .append('\n');
        return text.toString();
    }

    private static void append(StringBuilder text, ScenarioReport scenario) {
        text.append(String.format(
                Locale.ROOT,
                "%n%s: %,d watchers, %d rounds, %.0f s; others kept %.2f processors busy%n",
                scenario.name(),
                scenario.watchers(),
                scenario.rounds(),
                scenario.seconds(),
                scenario.othersCores()));
        for (Figure figure : scenario.figures()) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %-44s %10s %-10s (%s to %s)%s%n",
                    figure.name(),
                    number(figure.median()),
                    figure.unit(),
                    number(figure.lowerQuartile()),
                    number(figure.upperQuartile()),
                    verdict(figure)));
        }
        for (String note : scenario.notes()) {
            text.append("  note: ").append(note).append('\n');
        }
        if (scenario.failure() != null) {
            text.append("  FAILED: ").append(scenario.failure()).append('\n');
        }
        for (ScenarioReport.Table table : scenario.tables()) {
            append(text, table);
        }
    }

    private static void append(StringBuilder text, ScenarioReport.Table table) {
        text.append("  ").append(table.title()).append(":\n");
        for (List<String> row : table.rows()) {
            text.append("   ");
            for (int i = row.size() - 1; i >= 0; i--) {
                text.append(i == 0 ? " " + row.get(0) : String.format(Locale.ROOT, "%10s", row.get(i)));
            }
            text.append('\n');
        }
    }

    /** A number with as many digits as it is worth. */
    static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 1000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    /** What a figure must be, and whether it is; empty when nothing is asked of it. */
    static String verdict(Figure figure) {
        if (figure.must() == null) {
            return "";
        }
        String must = " must be at " + (figure.must().kind() == Bound.Kind.AT_MOST ? "most " : "least ")
                + number(figure.must().limit());
        return must
                + switch (figure.verdict()) {
                    case MET -> ": met";
                    case MISSED -> ": MISSED";
                    case NOT_JUDGED -> ": not judged, too few watchers";
                    case NONE -> "";
                };
    }
}
