package io.watchfan.loadtest.bench;

import java.util.List;

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
}
