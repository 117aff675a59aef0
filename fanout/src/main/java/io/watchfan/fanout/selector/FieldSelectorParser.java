package io.watchfan.fanout.selector;

import io.watchfan.fanout.selector.FieldSelector.Term;
import io.watchfan.fanout.selector.Requirement.Operator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One reading of a field selector (W-160 to W-164). The API server sorts the terms bytewise first and reads them all
 * before it looks at labels, which decides the error that a client gets of several.
 */
final class FieldSelectorParser {
    private final String text;
    private final SelectableFields fields;

    /** A term as it is written, and where it begins. */
    private record Part(String text, int offset) {}

    /** A term as it is understood, whose label may be unknown. */
    private record Condition(Part part, String label, Operator operator, String value) {}

    FieldSelectorParser(String text, SelectableFields fields) {
        this.text = text;
        this.fields = fields;
    }

    FieldSelector parse() throws SelectorSyntaxException {
        List<Condition> conditions = new ArrayList<>();
        for (Part part : split()) {
            conditions.add(condition(part));
        }
        List<Term> terms = new ArrayList<>();
        for (Condition condition : conditions) {
            // The API server drops a lone operator before it looks at labels: nothing compared with nothing.
            if (!condition.label.isEmpty() || !condition.value.isEmpty()) {
                terms.add(term(condition));
            }
        }
        return FieldSelector.of(terms);
    }

    /** The terms between commas that no backslash precedes, without empty ones, in bytewise order. */
    private List<Part> split() {
        List<Part> parts = new ArrayList<>();
        int start = 0;
        boolean escaped = false;
        for (int i = 0; i <= text.length(); i++) {
            boolean ends = i == text.length() || (!escaped && text.charAt(i) == ',');
            if (ends && i > start) {
                parts.add(new Part(text.substring(start, i), start));
            }
            start = ends ? i + 1 : start;
            escaped = i < text.length() && !escaped && text.charAt(i) == '\\';
        }
        parts.sort(Comparator.comparing(Part::text, GoText.BYTE_ORDER));
        return parts;
    }

    /** The first operator from the left divides a term; the longest of those that begin there. */
    private Condition condition(Part part) throws SelectorSyntaxException {
        String term = part.text;
        for (int i = 0; i < term.length(); i++) {
            boolean negative = term.startsWith("!=", i);
            if (negative || term.charAt(i) == '=') {
                Operator operator = negative ? Operator.NOT_EQUALS : Operator.EQUALS;
                int start = i + (negative || term.startsWith("==", i) ? 2 : 1);
                return new Condition(part, term.substring(0, i), operator, unescape(part, start));
            }
        }
        throw new SelectorSyntaxException(
                "invalid selector: '" + text + "'; can't understand '" + term + "'", part.offset, term);
    }

    /** The value that begins at an index of a part, with the escapes of backslash, comma and equals sign resolved. */
    private static String unescape(Part part, int start) throws SelectorSyntaxException {
        String term = part.text;
        StringBuilder value = new StringBuilder(term.length() - start);
        for (int i = start; i < term.length(); i++) {
            char c = term.charAt(i);
            if (c == '\\') {
                int end = i + 1 < term.length() ? term.offsetByCodePoints(i, 2) : i + 1;
                String sequence = term.substring(i, end);
                if (!sequence.equals("\\\\") && !sequence.equals("\\,") && !sequence.equals("\\=")) {
                    String message = "invalid field selector: invalid escape sequence: " + sequence;
                    throw new SelectorSyntaxException(message, part.offset + i, sequence);
                }
                i++;
                c = term.charAt(i);
            } else if (c == '=') {
                String message = "invalid field selector: unescaped character in value: 61";
                throw new SelectorSyntaxException(message, part.offset + i, "=");
            }
            value.append(c);
        }
        return value.toString();
    }

    private Term term(Condition condition) throws SelectorSyntaxException {
        String label = condition.label;
        if (fields.indexOf(label) < 0) {
            throw new SelectorSyntaxException(fields.unsupportedMessage(label), condition.part.offset, label);
        }
        return Term.of(fields, label, condition.operator, condition.value);
    }
}
