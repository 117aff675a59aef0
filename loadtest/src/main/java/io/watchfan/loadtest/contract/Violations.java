package io.watchfan.loadtest.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All broken promises of a run: counted all, the first ones kept. Thread-safe; rarely written, so simply locked. */
public final class Violations {
    private static final int MAX_KEPT = 100;

    private final List<Violation> kept = new ArrayList<>();
    private final Map<Guarantee, Long> counts = new EnumMap<>(Guarantee.class);

    /** Adds one. */
    public synchronized void add(Violation violation) {
        counts.merge(violation.guarantee(), 1L, Long::sum);
        if (kept.size() < MAX_KEPT) {
            kept.add(violation);
        }
    }

    /** How many there were. */
    public synchronized long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** How many there were of each guarantee; without those that held. */
    public synchronized Map<Guarantee, Long> counts() {
        return new EnumMap<>(counts.isEmpty() ? new EnumMap<>(Guarantee.class) : counts);
    }

    /**
     * Those that there are by now, but for the ones of some guarantees that were noticed lately. Of these guarantees those that
     * were not kept are left out, too, if any is.
     *
     * @param excused the guarantees
     * @param since from when on theirs do not count
     */
    public synchronized Violations without(Set<Guarantee> excused, Instant since) {
        Violations rest = new Violations();
        for (Violation violation : kept) {
            if (!excused.contains(violation.guarantee()) || violation.at().isBefore(since)) {
                rest.add(violation);
            }
        }
        boolean isWhole = rest.kept.size() == kept.size();
        counts.forEach((guarantee, count) -> {
            if (isWhole || !excused.contains(guarantee)) {
                rest.counts.put(guarantee, count);
            }
        });
        return rest;
    }

    /** The first ones. */
    public synchronized List<Violation> first() {
        return List.copyOf(kept);
    }
}
