package io.watchfan.fanout.selector;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

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

    private LabelSelector(Requirement[] requirements) {
        this.requirements = requirements;
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

    /** Whether an object with these labels fits. Allocates nothing. */
    public boolean matches(Labels labels) {
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
