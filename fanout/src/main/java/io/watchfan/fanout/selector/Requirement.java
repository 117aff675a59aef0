package io.watchfan.fanout.selector;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * One condition of a label selector, in canonical form: values are sorted and distinct, and a set of one value is
 * {@link Operator#EQUALS} or {@link Operator#NOT_EQUALS}, so that {@code a in (b)}, {@code a=b} and {@code a==b} are
 * equal (W-151, W-153).
 *
 * <p>Immutable and safe for all threads. Nothing is null.
 *
 * @param key the label's key; not validated here
 * @param operator how value and values relate
 * @param values none for the two tests of existence, two or more for the two of sets, else exactly one; immutable
 */
public record Requirement(String key, Operator operator, List<String> values) {
    /**
     * How a selector's key or field relates to its values (W-150, W-160). The order of the constants is part of the
     * canonical order of selectors.
     */
    public enum Operator {
        /** The label is there, whatever its value. */
        EXISTS(""),
        /** The label is absent. */
        DOES_NOT_EXIST("!"),
        /** The value is one of several. */
        IN(" in "),
        /** The label is absent, or its value is none of several. */
        NOT_IN(" notin "),
        /** The value is this one; {@code ==} is the same operator. */
        EQUALS("="),
        /** The label is absent, or its value is another. */
        NOT_EQUALS("!="),
        /** The value is a 64-bit integer above this one. */
        GREATER_THAN(">"),
        /** The value is a 64-bit integer below this one. */
        LESS_THAN("<");

        private final String symbol;

        Operator(String symbol) {
            this.symbol = symbol;
        }

        /** What stands between key and value in canonical text, with the spaces that it needs; before the key for absence. */
        String symbol() {
            return symbol;
        }
    }

    static final Comparator<Requirement> CANONICAL_ORDER = Comparator.comparing(Requirement::key)
            .thenComparing(Requirement::operator)
            .thenComparing(Requirement::values, Requirement::compare);

    /**
     * A requirement from values in any order, which are copied.
     *
     * @throws IllegalArgumentException when the operator cannot have so many values, or compares with something that
     *     is no 64-bit integer
     */
    public Requirement {
        Objects.requireNonNull(key);
        values = values.stream().sorted().distinct().toList();
        int count = values.size();
        boolean fits = switch (operator) {
            case EXISTS, DOES_NOT_EXIST -> count == 0;
            case IN, NOT_IN -> count > 0;
            case EQUALS, NOT_EQUALS -> count == 1;
            case GREATER_THAN, LESS_THAN -> count == 1 && Int64.isValid(values.get(0));
        };
        if (!fits) {
            throw new IllegalArgumentException(operator + " of label " + key + " cannot have the values " + values);
        }
        if (count == 1 && operator == Operator.IN) {
            operator = Operator.EQUALS;
        } else if (count == 1 && operator == Operator.NOT_IN) {
            operator = Operator.NOT_EQUALS;
        }
    }

    /**
     * Whether an object with this value of the label fits; null stands for an object without the label (W-151,
     * W-152). Allocates nothing.
     */
    public boolean matches(String valueOrNull) {
        return switch (operator) {
            case EXISTS -> valueOrNull != null;
            case DOES_NOT_EXIST -> valueOrNull == null;
            case EQUALS -> values.get(0).equals(valueOrNull);
            case NOT_EQUALS -> !values.get(0).equals(valueOrNull);
            case IN -> isListed(valueOrNull);
            case NOT_IN -> !isListed(valueOrNull);
            case GREATER_THAN -> isInteger(valueOrNull) && Int64.parse(valueOrNull) > Int64.parse(values.get(0));
            case LESS_THAN -> isInteger(valueOrNull) && Int64.parse(valueOrNull) < Int64.parse(values.get(0));
        };
    }

    /** The canonical text, which parses to an equal requirement. */
    @Override
    public String toString() {
        return switch (operator) {
            case EXISTS -> key;
            case DOES_NOT_EXIST -> operator.symbol() + key;
            case IN, NOT_IN -> key + operator.symbol() + "(" + String.join(",", values) + ")";
            default -> key + operator.symbol() + values.get(0);
        };
    }

    private boolean isListed(String valueOrNull) {
        return valueOrNull != null && Collections.binarySearch(values, valueOrNull) >= 0;
    }

    private static boolean isInteger(String valueOrNull) {
        return valueOrNull != null && Int64.isValid(valueOrNull);
    }

    private static int compare(List<String> a, List<String> b) {
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            int order = a.get(i).compareTo(b.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(a.size(), b.size());
    }
}
