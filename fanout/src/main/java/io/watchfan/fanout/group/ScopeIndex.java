package io.watchfan.fanout.group;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.Requirement;
import io.watchfan.fanout.selector.WatchScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * From an event to the scopes that it may concern. A scope is kept under one term that whatever it matches must have: its
 * name, else an equality of a field, else an equality of a label, else its namespace. An event is looked up by the terms that
 * its object has, and had before; only scopes without any such term are candidates of every event.
 *
 * <p>A candidate may turn out not to match; a scope that matches is always a candidate. Look-ups allocate nothing. Confined to
 * one thread.
 *
 * @param <G> what is kept for a scope
 */
final class ScopeIndex<G> {
    private final Places<G> byName = new Places<>();
    private final Places<G> byNamespace = new Places<>();
    private final Map<String, Places<G>> byLabel = new HashMap<>();

    /** By the index of the field. */
    private final List<Places<G>> byField = new ArrayList<>();

    private final List<G> everywhere = new ArrayList<>();

    /** The groups kept under each value of one kind of term. */
    private static final class Places<G> {
        private final Map<String, List<G>> groups = new HashMap<>();

        void add(String value, G group) {
            groups.computeIfAbsent(value, v -> new ArrayList<>(1)).add(group);
        }

        void remove(String value, G group) {
            List<G> there = groups.get(value);
            if (there != null && there.remove(group) && there.isEmpty()) {
                groups.remove(value);
            }
        }

        void collect(String value, List<G> into) {
            List<G> there = groups.isEmpty() ? null : groups.get(value);
            if (there != null) {
                addEach(there, into);
            }
        }
    }

    void add(WatchScope scope, G group) {
        FieldSelector.Term field = indexedField(scope);
        Requirement label = indexedLabel(scope);
        if (scope.name() != null) {
            byName.add(scope.name(), group);
        } else if (field != null) {
            while (byField.size() <= field.index()) {
                byField.add(new Places<>());
            }
            byField.get(field.index()).add(field.value(), group);
        } else if (label != null) {
            byLabel.computeIfAbsent(label.key(), k -> new Places<>())
                    .add(label.values().get(0), group);
        } else if (scope.namespace() != null) {
            byNamespace.add(scope.namespace(), group);
        } else {
            everywhere.add(group);
        }
    }

    void remove(WatchScope scope, G group) {
        FieldSelector.Term field = indexedField(scope);
        Requirement label = indexedLabel(scope);
        if (scope.name() != null) {
            byName.remove(scope.name(), group);
        } else if (field != null) {
            byField.get(field.index()).remove(field.value(), group);
        } else if (label != null) {
            Places<G> places = byLabel.get(label.key());
            places.remove(label.values().get(0), group);
            if (places.groups.isEmpty()) {
                byLabel.remove(label.key());
            }
        } else if (scope.namespace() != null) {
            byNamespace.remove(scope.namespace(), group);
        } else {
            everywhere.remove(group);
        }
    }

    /** Adds the groups that {@code event} may concern to {@code into}; one may be added more than once. */
    void find(WatchEvent event, List<G> into) {
        StoredObject object = event.object();
        StoredObject previous = event.previous();
        addEach(everywhere, into);
        byNamespace.collect(object.namespace(), into);
        byName.collect(object.name(), into);
        if (!byLabel.isEmpty()) {
            collectLabels(object.labels(), into);
            if (previous != null && !previous.labels().equals(object.labels())) {
                collectLabels(previous.labels(), into);
            }
        }
        if (!byField.isEmpty()) {
            collectFields(object.fieldValues(), null, into);
            if (previous != null) {
                collectFields(previous.fieldValues(), object.fieldValues(), into);
            }
        }
    }

    private void collectLabels(Labels labels, List<G> into) {
        for (int i = 0; i < labels.size(); i++) {
            Places<G> places = byLabel.get(labels.key(i));
            if (places != null) {
                places.collect(labels.value(i), into);
            }
        }
    }

    private void collectFields(String[] values, String[] otherThan, List<G> into) {
        for (int i = 0; i < byField.size(); i++) {
            if (otherThan == null || !Objects.equals(values[i], otherThan[i])) {
                byField.get(i).collect(values[i], into);
            }
        }
    }

    /** As addAll, which would copy the groups into an array first. */
    private static <G> void addEach(List<G> groups, List<G> into) {
        for (int i = 0; i < groups.size(); i++) {
            into.add(groups.get(i));
        }
    }

    private static FieldSelector.Term indexedField(WatchScope scope) {
        for (FieldSelector.Term term : scope.fields().terms()) {
            if (term.isIndexedEquality()) {
                return term;
            }
        }
        return null;
    }

    private static Requirement indexedLabel(WatchScope scope) {
        for (Requirement requirement : scope.labels().requirements()) {
            if (requirement.operator() == Requirement.Operator.EQUALS) {
                return requirement;
            }
        }
        return null;
    }
}
