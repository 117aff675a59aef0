package io.watchfan.loadtest.bench;

import java.util.List;
import java.util.Locale;

/**
 * What a scenario found. Immutable.
 *
 * @param name of the scenario
 * @param about what it measures, and how
 * @param watchers how many watchers it had
 * @param rounds how many rounds there were
 * @param seconds how long all of them took
 * @param othersCores processors that others than this run kept busy meanwhile, on average; negative when unknown
 * @param figures in the order in which they were found
 * @param tables of the last round
 * @param notes what a reader of the figures should know
 * @param failure why it ended early; null when it did not
 */
public record ScenarioReport(
        String name,
        String about,
        int watchers,
        int rounds,
        double seconds,
        double othersCores,
        List<Figure> figures,
        List<Table> tables,
        List<String> notes,
        String failure) {

    /** A table. Immutable. */
    public record Table(String title, List<String> columns, List<List<String>> rows) {}

    /** Whether it came to its end, and no figure is other than it must be. */
    public boolean passed() {
        return failure == null && figures.stream().noneMatch(figure -> figure.verdict() == Figure.Verdict.MISSED);
    }

    /** A summary to read. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s: %,d watchers, %d rounds, %.0f s; others kept %.2f processors busy%n",
                name,
                watchers,
                rounds,
                seconds,
                othersCores));
        for (Figure figure : figures) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %-44s %10s %-10s (%s to %s)%s%n",
                    figure.name(),
                    Figure.number(figure.median()),
                    figure.unit(),
                    Figure.number(figure.lowerQuartile()),
                    Figure.number(figure.upperQuartile()),
                    figure.verdictText()));
        }
        for (String note : notes) {
            text.append("  note: ").append(note).append('\n');
        }
        if (failure != null) {
            text.append("  FAILED: ").append(failure).append('\n');
        }
        for (Table table : tables) {
            append(text, table);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Table table) {
        text.append("  ").append(table.title()).append(":\n");
        for (List<String> row : table.rows()) {
            text.append("   ");
            for (int i = row.size() - 1; i >= 0; i--) {
                text.append(i == 0 ? " " + row.get(0) : String.format(Locale.ROOT, "%10s", row.get(i)));
            }
            text.append('\n');
        }
    }
}
