package io.watchfan.fanout.selector;

import io.watchfan.fanout.selector.Requirement.Operator;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Any number of conditions on one value that is there, all of which must hold, judged at the cost of a few. Written by the one
 * who makes it, and not changed once others see it.
 */
final class Conjunction {
    /** So many conditions, and fewer, are judged one by one: then nothing is gained. */
    static final int FEW = 16;

    /** Null for any. */
    private Set<String> allowed;

    private final Set<String> excluded = new HashSet<>();
    private boolean absent;
    private boolean isNumber;
    private long least = Long.MIN_VALUE;
    private long most = Long.MAX_VALUE;
    /** Whether a bound is beyond all numbers. */
    private boolean isNone;

    /** One condition more. */
    void add(Operator operator, List<String> values) {
        switch (operator) {
            case EXISTS -> {}
            case DOES_NOT_EXIST -> absent = true;
            case EQUALS, IN -> allow(values);
            case NOT_EQUALS, NOT_IN -> excluded.addAll(values);
            case GREATER_THAN -> {
                long bound = Int64.parse(values.get(0));
                isNumber = true;
                isNone |= bound == Long.MAX_VALUE;
                least = Math.max(least, bound + 1);
            }
            case LESS_THAN -> {
                long bound = Int64.parse(values.get(0));
                isNumber = true;
                isNone |= bound == Long.MIN_VALUE;
                most = Math.min(most, bound - 1);
            }
        }
    }

    private void allow(Collection<String> values) {
        if (allowed == null) {
            allowed = new HashSet<>(values);
        } else {
            allowed.retainAll(values);
        }
    }

    /** Whether all hold. Allocates nothing. */
    boolean accepts(String value) {
        return !absent
                && !isNone
                && (allowed == null || allowed.contains(value))
                && !excluded.contains(value)
                && (!isNumber || Int64.isValid(value) && isBetween(Int64.parse(value)));
    }

    private boolean isBetween(long number) {
        return least <= number && number <= most;
    }
}
