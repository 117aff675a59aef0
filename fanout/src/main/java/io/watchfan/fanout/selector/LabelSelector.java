package io.watchfan.fanout.selector;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Requirements on the labels of an object, all of which must hold (W-158, W-159). In canonical form: sorted by key,
 * operator and values, without duplicates. Selectors that say the same in another order, with other spaces or with the
 * other spelling of an operator are equal.
 *
 * <p>Immutable and safe for all threads.
 */
public final class LabelSelector {
    /** No requirement: matches every object. */
    public static final LabelSelector EVERYTHING = new LabelSelector(new Requirement[0]);

    private final Requirement[] requirements;
    /** Null where the requirements are few. */
    private final Many many;

    private LabelSelector(Requirement[] requirements) {
        this.requirements = requirements;
        this.many = requirements.length <= Conjunction.FEW ? null : Many.of(requirements);
    }

    /** The selector of these requirements, in any order; none means {@link #EVERYTHING}. The collection is copied. */
    public static LabelSelector of(Collection<Requirement> requirements) {
        return requirements.isEmpty()
                ? EVERYTHING
                : new LabelSelector(requirements.stream()
                        .sorted(Requirement.CANONICAL_ORDER)
                        .distinct()
                        .toArray(Requirement[]::new));
    }

    /**
     * Many requirements, by key: an object has few labels, and each is looked up once. What a client writes into a selector is
     * up to it, and an event loop must not stand still for that.
     *
     * @param keys the keys, ascending
     * @param conditions of the key at the same place, where the label is there
     * @param needed the keys that must be there
     */
    private record Many(List<String> keys, List<Conjunction> conditions, List<String> needed) {
        static Many of(Requirement[] sorted) {
            Map<String, Conjunction> byKey = new TreeMap<>();
            Set<String> needed = new TreeSet<>();
            for (Requirement requirement : sorted) {
                byKey.computeIfAbsent(requirement.key(), key -> new Conjunction())
                        .add(requirement.operator(), requirement.values());
                if (!requirement.matches(null)) {
                    needed.add(requirement.key());
                }
            }
            return new Many(List.copyOf(byKey.keySet()), List.copyOf(byKey.values()), List.copyOf(needed));
        }

        boolean matches(Labels labels) {
            if (needed.size() > labels.size()) {
                return false;
            }
            for (int i = 0; i < needed.size(); i++) {
                if (labels.get(needed.get(i)) == null) {
                    return false;
                }
            }
            for (int i = 0; i < labels.size(); i++) {
                int at = Collections.binarySearch(keys, labels.key(i));
                if (at >= 0 && !conditions.get(at).accepts(labels.value(i))) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Whether an object with these labels fits. Allocates nothing. */
    public boolean matches(Labels labels) {
        if (many != null) {
            return many.matches(labels);
        }
        for (Requirement requirement : requirements) {
            if (!requirement.matches(labels.get(requirement.key()))) {
                return false;
            }
        }
        return true;
    }

    /** Whether there is no requirement, so that every object fits. */
    public boolean isEmpty() {
        return requirements.length == 0;
    }

    /** The requirements in canonical order; immutable. */
    public List<Requirement> requirements() {
        return List.of(requirements);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LabelSelector selector && Arrays.equals(requirements, selector.requirements);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(requirements);
    }

    /** The canonical text, which parses to an equal selector; empty for {@link #EVERYTHING}. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        for (Requirement requirement : requirements) {
            out.append(out.isEmpty() ? "" : ",").append(requirement);
        }
        return out.toString();
    }
}
