package io.watchfan.loadtest.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What grew between two readings, class by class. */
final class MemoryTable {
    private static final int MOST_ROWS = 40;
    private static final double LEAST_BYTES = 4;

    private record Growth(String name, double instances, double bytes) {}

    private MemoryTable() {}

    /**
     * The classes whose instances grew most.
     *
     * @param watches how many more watches there were at the second reading
     */
    static ScenarioReport.Table of(String title, MemoryProbe.Reading first, MemoryProbe.Reading second, int watches) {
        List<Growth> growths = new ArrayList<>();
        second.classes().forEach((name, use) -> {
            MemoryProbe.ClassUse before = first.classes().getOrDefault(name, new MemoryProbe.ClassUse(0, 0));
            growths.add(new Growth(
                    name,
                    (use.instances() - before.instances()) / (double) watches,
                    (use.bytes() - before.bytes()) / (double) watches));
        });
        List<List<String>> rows = growths.stream()
                .filter(growth -> growth.bytes >= LEAST_BYTES)
                .sorted((a, b) -> Double.compare(b.bytes, a.bytes))
                .limit(MOST_ROWS)
                .map(growth -> List.of(
                        growth.name,
                        String.format(Locale.ROOT, "%.2f", growth.instances),
                        String.format(Locale.ROOT, "%.0f", growth.bytes)))
                .toList();
        return new ScenarioReport.Table(title, List.of("class", "instances each", "bytes each"), rows);
    }
}
