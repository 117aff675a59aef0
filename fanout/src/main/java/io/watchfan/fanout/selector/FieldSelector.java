package io.watchfan.fanout.selector;

import io.watchfan.fanout.selector.Requirement.Operator;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Conditions on the selectable fields of one kind, all of which must hold (W-160 to W-165). In canonical form: sorted
 * by label, operator and value, without duplicates, and with labels that stand for others rewritten.
 *
 * <p>Immutable and safe for all threads.
 */
public final class FieldSelector {
    /** No condition: matches every object of every kind. */
    public static final FieldSelector EVERYTHING = new FieldSelector(List.of(), null, null);

    /**
     * One condition. A field that is absent has the value "" (W-163). Nothing is null.
     *
     * @param label the field's label
     * @param operator {@link Operator#EQUALS} or {@link Operator#NOT_EQUALS}
     * @param value what the field is compared with, without escapes; may be empty
     * @param index where the field stands among an object's values; negative when it is in the object's key
     */
    public record Term(String label, Operator operator, String value, int index) {
        static final int IN_NAME = -1;
        static final int IN_NAMESPACE = -2;

        /** @throws IllegalArgumentException when the operator is another */
        public Term {
            Objects.requireNonNull(label);
            Objects.requireNonNull(value);
            if (operator != Operator.EQUALS && operator != Operator.NOT_EQUALS) {
                throw new IllegalArgumentException("fields have no operator " + operator);
            }
        }

        /**
         * A condition on a field of a kind.
         *
         * @throws IllegalArgumentException when the kind does not support the label, or the operator is none of the two
         */
        public static Term of(SelectableFields fields, String label, Operator operator, String value) {
            int index = fields.indexOf(label);
            if (index < 0) {
                throw new IllegalArgumentException(fields.unsupportedMessage(label));
            }
            String meaning = fields.label(index);
            return switch (meaning) {
                case SelectableFields.NAME -> new Term(meaning, operator, value, IN_NAME);
                case SelectableFields.NAMESPACE -> new Term(meaning, operator, value, IN_NAMESPACE);
                default -> new Term(meaning, operator, value, index);
            };
        }

        /** Whether only objects with exactly this text at {@link #index()} of their values can match. */
        public boolean isIndexedEquality() {
            return operator == Operator.EQUALS && index >= 0;
        }

        boolean accepts(String actual) {
            return (operator == Operator.EQUALS) == value.equals(actual);
        }

        boolean isExact(int wantedIndex) {
            return operator == Operator.EQUALS && index == wantedIndex;
        }

        /** The canonical text, with escapes in the value (W-161). */
        @Override
        public String toString() {
            String escaped = value.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=");
            return label + operator.symbol() + escaped;
        }
    }

    private static final Comparator<Term> CANONICAL_ORDER =
            Comparator.comparing(Term::label).thenComparing(Term::operator).thenComparing(Term::value);

    private final List<Term> terms;
    private final String exactName;
    private final String exactNamespace;
    /** By the index of the field; null where the terms are few. */
    private final Map<Integer, Conjunction> many;

    private FieldSelector(List<Term> terms, String exactName, String exactNamespace) {
        this.terms = terms;
        this.exactName = exactName;
        this.exactNamespace = exactNamespace;
        this.many = terms.size() <= Conjunction.FEW ? null : many(terms);
    }

    private static Map<Integer, Conjunction> many(List<Term> terms) {
        Map<Integer, Conjunction> byIndex = new HashMap<>();
        for (Term term : terms) {
            byIndex.computeIfAbsent(term.index, index -> new Conjunction()).add(term.operator, List.of(term.value));
        }
        return Map.copyOf(byIndex);
    }

    /**
     * The selector of these terms, which belong to one kind; none means {@link #EVERYTHING}. The collection is copied.
     * Its order matters to {@link #exactName()} and {@link #exactNamespace()} only.
     */
    public static FieldSelector of(Collection<Term> terms) {
        if (terms.isEmpty()) {
            return EVERYTHING;
        }
        return new FieldSelector(
                terms.stream().sorted(CANONICAL_ORDER).distinct().toList(),
                firstExact(terms, Term.IN_NAME),
                firstExact(terms, Term.IN_NAMESPACE));
    }

    /**
     * Whether an object fits. Allocates nothing where the terms are few.
     *
     * @param namespace the object's namespace; null or empty when it has none
     * @param name the object's name
     * @param values the object's values, as {@link SelectableFields#finish} makes them for the fields of this selector;
     *     only read
     */
    public boolean matches(String namespace, String name, String[] values) {
        if (many != null) {
            for (Map.Entry<Integer, Conjunction> field : many.entrySet()) {
                if (!field.getValue().accepts(actual(field.getKey(), namespace, name, values))) {
                    return false;
                }
            }
            return true;
        }
        for (int i = 0; i < terms.size(); i++) {
            Term term = terms.get(i);
            if (!term.accepts(actual(term.index, namespace, name, values))) {
                return false;
            }
        }
        return true;
    }

    private static String actual(int index, String namespace, String name, String[] values) {
        return switch (index) {
            case Term.IN_NAME -> name;
            case Term.IN_NAMESPACE -> namespace == null ? "" : namespace;
            default -> values[index];
        };
    }

    /** Whether there is no condition, so that every object fits. */
    public boolean isEmpty() {
        return terms.isEmpty();
    }

    /** The terms in canonical order; immutable. */
    public List<Term> terms() {
        return terms;
    }

    /**
     * The name that an exact term on {@code metadata.name} asks for, which the right to a single object covers (W-005);
     * null without such a term. It may be empty or no legal name. Of several, the one that the API server takes; such a
     * selector matches nothing unless they agree, and this choice is no part of its equality.
     */
    public String exactName() {
        return exactName;
    }

    /**
     * The namespace that an exact term on {@code metadata.namespace} asks for (W-136, W-165); null without such a term.
     * It may be empty or no legal name. Of several, the one that the API server takes.
     */
    public String exactNamespace() {
        return exactNamespace;
    }

    /**
     * This selector for objects whose name or namespace is known: without the terms that then hold.
     *
     * @param namespace the namespace of all objects; null when it is not known
     * @param name the name of all objects; null when it is not known
     * @return null when no such object fits
     */
    FieldSelector given(String namespace, String name) {
        for (Term term : terms) {
            String known = known(term, namespace, name);
            if (known != null && !term.accepts(known)) {
                return null;
            }
        }
        return of(terms.stream()
                .filter(term -> known(term, namespace, name) == null)
                .toList());
    }

    private static String known(Term term, String namespace, String name) {
        return term.index == Term.IN_NAME ? name : term.index == Term.IN_NAMESPACE ? namespace : null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldSelector selector && terms.equals(selector.terms);
    }

    @Override
    public int hashCode() {
        return terms.hashCode();
    }

    /** The canonical text, which parses to an equal selector; empty for {@link #EVERYTHING}. */
    @Override
    public String toString() {
        StringBuilder out = new StringBuilder();
        for (Term term : terms) {
            out.append(out.isEmpty() ? "" : ",").append(term);
        }
        return out.toString();
    }

    private static String firstExact(Collection<Term> terms, int index) {
        for (Term term : terms) {
            if (term.isExact(index)) {
                return term.value;
            }
        }
        return null;
    }
}
