package io.watchfan.loadtest.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects what the rounds of a scenario find. Confined to one thread. */
public final class Samples {
    private static final int MAX_NOTES = 20;

    private record Series(String unit, List<Double> values) {}

    private final Map<String, Series> series = new LinkedHashMap<>();
    private final Map<String, ScenarioReport.Table> tables = new LinkedHashMap<>();
    private final Set<String> notes = new LinkedHashSet<>();

    /**
     * Adds a round's value of a figure.
     *
     * @throws IllegalStateException when it is no number: a round without it cannot be reported
     */
    public void add(String figure, String unit, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalStateException(figure + " is " + value);
        }
        series.computeIfAbsent(figure, name -> new Series(unit, new ArrayList<>()))
                .values
                .add(value);
    }

    /** Sets a table; that of the last round stays. */
    void table(ScenarioReport.Table table) {
        tables.put(table.title(), table);
    }

    /** Says something once, however often it is found. */
    void note(String note) {
        if (notes.size() < MAX_NOTES) {
            notes.add(note);
        }
    }

    /**
     * What there is so far, in the order in which it was first added.
     *
     * @param judged whether the run was of the size for which the bounds are meant
     */
    public List<Figure> figures(List<Bound> bounds, boolean judged) {
        List<Figure> figures = new ArrayList<>();
        series.forEach((name, found) -> {
            Bound must = bounds.stream()
                    .filter(bound -> bound.figure().equals(name))
                    .findFirst()
                    .orElse(null);
            figures.add(Figure.of(name, found.unit, found.values, must, judged));
        });
        return figures;
    }

    List<ScenarioReport.Table> tables() {
        return List.copyOf(tables.values());
    }

    List<String> notes() {
        return List.copyOf(notes);
    }
}
