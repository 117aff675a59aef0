package io.watchfan.fanout.group;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.WatchScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * From an event to the scopes that it may concern. A scope is kept under its {@link IndexTerm}; an event is looked up by the
 * terms that its object has, and had before. Only scopes without a term are candidates of every event.
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
        IndexTerm term = IndexTerm.of(scope);
        if (term == null) {
            everywhere.add(group);
        } else {
            placesOf(term.axis()).add(term.value(), group);
        }
    }

    void remove(WatchScope scope, G group) {
        IndexTerm term = IndexTerm.of(scope);
        if (term == null) {
            everywhere.remove(group);
            return;
        }
        Places<G> places = placesOf(term.axis());
        places.remove(term.value(), group);
        if (places.groups.isEmpty()) {
            byLabel.remove(term.axis().label());
        }
    }

    private Places<G> placesOf(IndexTerm.Axis axis) {
        return switch (axis.kind()) {
            case NAME -> byName;
            case NAMESPACE -> byNamespace;
            case LABEL -> byLabel.computeIfAbsent(axis.label(), key -> new Places<>());
            case FIELD -> {
                while (byField.size() <= axis.field()) {
                    byField.add(new Places<>());
                }
                yield byField.get(axis.field());
            }
        };
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
}
