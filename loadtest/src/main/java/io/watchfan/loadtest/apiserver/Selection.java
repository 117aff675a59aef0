package io.watchfan.loadtest.apiserver;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The objects a request is about: a namespace, label requirements, field requirements, all of which must hold.
 * Immutable.
 */
final class Selection {
    private enum Operator {
        EQUALS,
        NOT_EQUALS,
        IN,
        NOT_IN,
        EXISTS,
        ABSENT
    }

    private record Requirement(String key, Operator operator, Set<String> values) {
        /** Whether a value meets it; null is absent. */
        boolean matches(String value) {
            return switch (operator) {
                case EQUALS, IN -> value != null && values.contains(value);
                case NOT_EQUALS, NOT_IN -> value == null || !values.contains(value);
                case EXISTS -> value != null;
                case ABSENT -> value == null;
            };
        }
    }

    private final String namespace;
    private final List<Requirement> labels;
    private final List<Requirement> fields;

    private Selection(String namespace, List<Requirement> labels, List<Requirement> fields) {
        this.namespace = namespace;
        this.labels = List.copyOf(labels);
        this.fields = List.copyOf(fields);
    }

    /**
     * Parses selectors as the API server does in the common cases.
     *
     * @param namespace empty for all
     * @throws ApiException 400 when a selector cannot be understood or names a field that is not selectable
     */
    static Selection parse(ResourceType type, String namespace, String labelSelector, String fieldSelector) {
        return new Selection(namespace, parseLabels(labelSelector), parseFields(type, fieldSelector));
    }

    boolean matches(StoredObject object) {
        if (!namespace.isEmpty() && !namespace.equals(object.namespace())) {
            return false;
        }
        for (Requirement requirement : labels) {
            if (!requirement.matches(object.labels().get(requirement.key))) {
                return false;
            }
        }
        for (Requirement requirement : fields) {
            if (!requirement.matches(object.field(requirement.key))) {
                return false;
            }
        }
        return true;
    }

    boolean hasSelectors() {
        return !labels.isEmpty() || !fields.isEmpty();
    }

    private static List<Requirement> parseLabels(String text) {
        List<Requirement> requirements = new ArrayList<>();
        int start = 0;
        int depth = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i == text.length() ? ',' : text.charAt(i);
            if (c == ',' && depth == 0) {
                String term = text.substring(start, i).strip();
                start = i + 1;
                if (!term.isEmpty()) {
                    requirements.add(parseLabel(term));
                }
            } else if (c == '(') {
                depth++;
            } else if (c == ')') {
                depth--;
            }
        }
        if (depth != 0) {
            throw ApiException.badRequest("unable to parse requirement: found '', expected: ',' or ')'");
        }
        return requirements;
    }

    private static Requirement parseLabel(String term) {
        if (term.startsWith("!")) {
            return new Requirement(term.substring(1).strip(), Operator.ABSENT, Set.of());
        }
        if (term.endsWith(")")) {
            return parseSet(term);
        }
        int equals = term.indexOf('=');
        if (equals < 0) {
            if (term.indexOf(' ') >= 0) {
                throw ApiException.badRequest(
                        "unable to parse requirement: found '" + term + "', expected: in, notin, =, ==, !=, gt, lt");
            }
            return new Requirement(term, Operator.EXISTS, Set.of());
        }
        return parseEquality(term, equals);
    }

    private static Requirement parseSet(String term) {
        int open = term.indexOf('(');
        String head = term.substring(0, open).strip();
        boolean negated = head.endsWith(" notin");
        if (!negated && !head.endsWith(" in")) {
            throw ApiException.badRequest(
                    "unable to parse requirement: found '" + term + "', expected: in, notin, =, ==, !=, gt, lt");
        }
        Set<String> values = new HashSet<>();
        for (String value : term.substring(open + 1, term.length() - 1).split(",", -1)) {
            values.add(value.strip());
        }
        String key = head.substring(0, head.length() - (negated ? 6 : 3)).strip();
        return new Requirement(key, negated ? Operator.NOT_IN : Operator.IN, values);
    }

    private static Requirement parseEquality(String term, int equals) {
        boolean negated = equals > 0 && term.charAt(equals - 1) == '!';
        boolean doubled = equals + 1 < term.length() && term.charAt(equals + 1) == '=';
        return new Requirement(
                term.substring(0, negated ? equals - 1 : equals).strip(),
                negated ? Operator.NOT_EQUALS : Operator.EQUALS,
                Set.of(term.substring(equals + (doubled ? 2 : 1)).strip()));
    }

    private static List<Requirement> parseFields(ResourceType type, String text) {
        List<Requirement> requirements = new ArrayList<>();
        for (String term : text.split(",", -1)) {
            if (term.isEmpty()) {
                continue;
            }
            int equals = term.indexOf('=');
            if (equals < 0) {
                throw ApiException.badRequest("invalid selector: '" + text + "'; can't understand '" + term + "'");
            }
            Requirement requirement = parseEquality(term, equals);
            requirements.add(new Requirement(field(type, requirement.key), requirement.operator, requirement.values));
        }
        return requirements;
    }

    private static String field(ResourceType type, String path) {
        String field = type.equals(ResourceType.PODS) && path.equals("spec.host") ? "spec.nodeName" : path;
        if (!type.fields().contains(field)) {
            boolean defaults = type.equals(ResourceType.CONFIG_MAPS);
            throw ApiException.badRequest(
                    defaults
                            ? "\"" + path
                                    + "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
                            : "field label not supported: " + path);
        }
        return field;
    }
}
