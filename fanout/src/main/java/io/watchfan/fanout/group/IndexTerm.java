package io.watchfan.fanout.group;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.Requirement;
import io.watchfan.fanout.selector.WatchScope;

/**
 * A term that whatever a scope matches must have, by which the scope's events and objects are found among others: its name,
 * else an equality of a field, else an equality of a label, else its namespace. Immutable.
 *
 * @param axis what the term is about
 * @param value what it must be
 */
public record IndexTerm(Axis axis, String value) {
    /** What a term can be about. */
    public enum Kind {
        /** The object's name. */
        NAME,
        /** One of the kind's selectable fields. */
        FIELD,
        /** One label. */
        LABEL,
        /** The object's namespace. */
        NAMESPACE
    }

    /**
     * What a term is about.
     *
     * @param kind of what kind it is
     * @param label the label's key, for a label; else empty
     * @param field the field's index, for a field; else -1
     */
    public record Axis(Kind kind, String label, int field) {
        private static final Axis NAME = new Axis(Kind.NAME, "", -1);
        private static final Axis NAMESPACE = new Axis(Kind.NAMESPACE, "", -1);

        /** The value of {@code object} on this axis; null when it has none. */
        public String valueOf(StoredObject object) {
            return switch (kind) {
                case NAME -> object.name();
                case FIELD -> object.fieldValues()[field];
                case LABEL -> object.labels().get(label);
                case NAMESPACE -> object.namespace();
            };
        }
    }

    /** The term of {@code scope}, or null when there is none: then every event may concern it. */
    public static IndexTerm of(WatchScope scope) {
        if (scope.name() != null) {
            return new IndexTerm(Axis.NAME, scope.name());
        }
        for (FieldSelector.Term term : scope.fields().terms()) {
            if (term.isIndexedEquality()) {
                return new IndexTerm(new Axis(Kind.FIELD, "", term.index()), term.value());
            }
        }
        for (Requirement requirement : scope.labels().requirements()) {
            if (requirement.operator() == Requirement.Operator.EQUALS) {
                return new IndexTerm(
                        new Axis(Kind.LABEL, requirement.key(), -1),
                        requirement.values().get(0));
            }
        }
        return scope.namespace() == null ? null : new IndexTerm(Axis.NAMESPACE, scope.namespace());
    }
}
