package io.watchfan.fanout.group;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.Requirement;
import io.watchfan.fanout.selector.WatchScope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * From an event to the scopes that it may concern. A scope is kept under one term that whatever it matches must have: its
 * name, else an equality of a field, else an equality of a label, else its namespace. An event is looked up by the terms that
 * its object has, and had before; only scopes without any such term are candidates of every event.
 *
 * <p>A candidate may turn out not to match; a scope that matches is always a candidate. Confined to one thread.
 *
 * @param <G> what is kept for a scope
 */
final class ScopeIndex<G> {
    /** A term that objects have. Field terms carry the field's index, so that equal texts of other fields differ. */
    private record Term(Kind kind, String key, String value) {}

    private enum Kind {
        NAME,
        FIELD,
        LABEL,
        NAMESPACE,
        NONE
    }

    private static final Term NONE = new Term(Kind.NONE, "", "");

    private final Map<Term, List<G>> byTerm = new HashMap<>();
    private final int[] scopesByKind = new int[Kind.values().length];

    /** How many scopes are kept under each field, so that other fields are not looked up. */
    private int[] scopesByField = new int[0];

    void add(WatchScope scope, G group) {
        Term term = termOf(scope);
        byTerm.computeIfAbsent(term, t -> new ArrayList<>(1)).add(group);
        count(term, 1);
    }

    void remove(WatchScope scope, G group) {
        Term term = termOf(scope);
        List<G> groups = byTerm.get(term);
        if (groups != null && groups.remove(group)) {
            count(term, -1);
            if (groups.isEmpty()) {
                byTerm.remove(term);
            }
        }
    }

    /** Adds the groups that {@code event} may concern to {@code into}; one may be added more than once. */
    void find(WatchEvent event, List<G> into) {
        StoredObject object = event.object();
        StoredObject previous = event.previous();
        collect(NONE, into);
        if (scopesByKind[Kind.NAMESPACE.ordinal()] > 0) {
            collect(new Term(Kind.NAMESPACE, "", object.namespace()), into);
        }
        if (scopesByKind[Kind.NAME.ordinal()] > 0) {
            collect(new Term(Kind.NAME, "", object.name()), into);
        }
        if (scopesByKind[Kind.LABEL.ordinal()] > 0) {
            collectLabels(object.labels(), into);
            if (previous != null && !previous.labels().equals(object.labels())) {
                collectLabels(previous.labels(), into);
            }
        }
        if (scopesByKind[Kind.FIELD.ordinal()] > 0) {
            collectFields(object.fieldValues(), into);
            if (previous != null && !Arrays.equals(previous.fieldValues(), object.fieldValues())) {
                collectFields(previous.fieldValues(), into);
            }
        }
    }

    private void collectLabels(Labels labels, List<G> into) {
        for (int i = 0; i < labels.size(); i++) {
            collect(new Term(Kind.LABEL, labels.key(i), labels.value(i)), into);
        }
    }

    private void collectFields(String[] values, List<G> into) {
        int known = Math.min(values.length, scopesByField.length);
        for (int i = 0; i < known; i++) {
            if (scopesByField[i] > 0) {
                collect(new Term(Kind.FIELD, Integer.toString(i), values[i]), into);
            }
        }
    }

    private void collect(Term term, List<G> into) {
        List<G> groups = byTerm.get(term);
        if (groups != null) {
            into.addAll(groups);
        }
    }

    private void count(Term term, int change) {
        scopesByKind[term.kind().ordinal()] += change;
        if (term.kind() == Kind.FIELD) {
            int field = Integer.parseInt(term.key());
            if (field >= scopesByField.length) {
                scopesByField = Arrays.copyOf(scopesByField, field + 1);
            }
            scopesByField[field] += change;
        }
    }

    private static Term termOf(WatchScope scope) {
        if (scope.name() != null) {
            return new Term(Kind.NAME, "", scope.name());
        }
        for (FieldSelector.Term term : scope.fields().terms()) {
            if (term.isIndexedEquality()) {
                return new Term(Kind.FIELD, Integer.toString(term.index()), term.value());
            }
        }
        for (Requirement requirement : scope.labels().requirements()) {
            if (requirement.operator() == Requirement.Operator.EQUALS) {
                return new Term(
                        Kind.LABEL, requirement.key(), requirement.values().get(0));
            }
        }
        return scope.namespace() == null ? NONE : new Term(Kind.NAMESPACE, "", scope.namespace());
    }
}
