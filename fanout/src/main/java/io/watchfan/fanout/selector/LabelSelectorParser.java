package io.watchfan.fanout.selector;

import io.watchfan.fanout.selector.LabelLexer.Kind;
import io.watchfan.fanout.selector.LabelLexer.Token;
import io.watchfan.fanout.selector.Requirement.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** One reading of a label selector, from left to right; the first error ends it (W-150 to W-159). */
final class LabelSelectorParser {
    private final List<Token> tokens;
    private int next;

    LabelSelectorParser(String text) {
        tokens = LabelLexer.tokens(text);
    }

    LabelSelector parse() throws SelectorSyntaxException {
        List<Requirement> requirements = new ArrayList<>();
        if (peek().kind() == Kind.END) {
            return LabelSelector.EVERYTHING;
        }
        if (!startsRequirement(peek())) {
            throw error(peek(), found(peek()) + ", expected: !, identifier, or 'end of string'");
        }
        while (true) {
            requirements.add(requirement());
            Token after = take();
            if (after.kind() == Kind.END) {
                return LabelSelector.of(requirements);
            }
            if (after.kind() != Kind.COMMA) {
                throw error(after, found(after) + ", expected: ',' or 'end of string'");
            }
            if (!startsRequirement(peek())) {
                throw error(peek(), found(peek()) + ", expected: identifier after ','");
            }
        }
    }

    private Requirement requirement() throws SelectorSyntaxException {
        boolean negated = peek().kind() == Kind.NOT;
        if (negated) {
            take();
        }
        String key = key();
        if (negated) {
            return new Requirement(key, Operator.DOES_NOT_EXIST, List.of());
        }
        if (endsRequirement(peek())) {
            return new Requirement(key, Operator.EXISTS, List.of());
        }
        Operator operator = operator();
        boolean isSet = operator == Operator.IN || operator == Operator.NOT_IN;
        NavigableMap<String, Token> values = isSet ? valueSet() : value();
        check(key, operator, values);
        return new Requirement(key, operator, List.copyOf(values.keySet()));
    }

    private String key() throws SelectorSyntaxException {
        Token key = take();
        if (key.kind() != Kind.WORD) {
            throw requirementError(key, found(key) + ", expected: identifier");
        }
        String problem = LabelSyntax.keyProblem(key.text());
        if (!problem.isEmpty()) {
            throw requirementError(key, invalid("<nil>", key.text(), problem));
        }
        return key.text();
    }

    private Operator operator() throws SelectorSyntaxException {
        Token token = take();
        return switch (token.kind()) {
            case EQUALS -> Operator.EQUALS;
            case NOT_EQUALS -> Operator.NOT_EQUALS;
            case GREATER_THAN -> Operator.GREATER_THAN;
            case LESS_THAN -> Operator.LESS_THAN;
            default ->
                switch (token.text()) {
                    case "in" -> Operator.IN;
                    case "notin" -> Operator.NOT_IN;
                    default -> throw requirementError(token, found(token) + ", expected: in, notin, =, ==, !=, gt, lt");
                };
        };
    }

    /** The one value after an operator; one that is left out is the empty string (W-153). */
    private NavigableMap<String, Token> value() throws SelectorSyntaxException {
        NavigableMap<String, Token> values = new TreeMap<>(GoText.BYTE_ORDER);
        if (endsRequirement(peek())) {
            values.put("", leftOutAt(peek()));
            return values;
        }
        Token value = take();
        if (value.kind() != Kind.WORD) {
            throw requirementError(value, found(value) + ", expected: identifier");
        }
        values.put(value.text(), value);
        return values;
    }

    /** The values between brackets, in bytewise order, each with where it stands. */
    private NavigableMap<String, Token> valueSet() throws SelectorSyntaxException {
        Token open = take();
        if (open.kind() != Kind.OPEN) {
            throw requirementError(open, found(open) + " expected: '('");
        }
        NavigableMap<String, Token> values = new TreeMap<>(GoText.BYTE_ORDER);
        Token first = peek();
        switch (first.kind()) {
            case CLOSE -> values.put("", leftOutAt(first));
            case WORD, COMMA -> readList(values);
            default -> throw requirementError(first, found(first) + ", expected: ',', ')' or identifier");
        }
        take();
        return values;
    }

    /** Reads up to the closing bracket. An empty place between commas or brackets is the empty string (W-153). */
    private void readList(NavigableMap<String, Token> values) throws SelectorSyntaxException {
        do {
            Token token = take();
            Token after = peek();
            if (token.kind() == Kind.WORD) {
                values.putIfAbsent(token.text(), token);
                if (after.kind() != Kind.COMMA && after.kind() != Kind.CLOSE) {
                    throw requirementError(after, found(after) + ", expected: ',' or ')'");
                }
            } else if (token.kind() == Kind.COMMA) {
                if (values.isEmpty() || after.kind() == Kind.COMMA || after.kind() == Kind.CLOSE) {
                    values.putIfAbsent("", leftOutAt(after));
                }
            } else {
                throw requirementError(token, found(token) + ", expected: ',', or identifier");
            }
        } while (peek().kind() != Kind.CLOSE);
    }

    /** Checks all values of a requirement and reports all that are wrong, as one error. */
    private static void check(String key, Operator operator, NavigableMap<String, Token> values)
            throws SelectorSyntaxException {
        List<String> problems = new ArrayList<>();
        Token wrong = null;
        if (operator == Operator.GREATER_THAN || operator == Operator.LESS_THAN) {
            String bound = values.firstKey();
            if (!Int64.isValid(bound)) {
                wrong = values.get(bound);
                String problem = "for 'Gt', 'Lt' operators, the value must be an integer";
                problems.add(invalid("values[0]", bound, problem));
            }
        }
        int index = 0;
        for (Map.Entry<String, Token> value : values.entrySet()) {
            String problem = LabelSyntax.valueProblem(value.getKey());
            if (!problem.isEmpty()) {
                wrong = wrong == null ? value.getValue() : wrong;
                problems.add(invalid("values[" + index + "][" + key + "]", value.getKey(), problem));
            }
            index++;
        }
        if (problems.size() == 1) {
            throw requirementError(wrong, problems.get(0));
        }
        if (!problems.isEmpty()) {
            throw requirementError(wrong, "[" + String.join(", ", problems) + "]");
        }
    }

    private Token peek() {
        return tokens.get(next);
    }

    /** The next token, which is consumed unless it is the end. */
    private Token take() {
        Token token = peek();
        next += token.kind() == Kind.END ? 0 : 1;
        return token;
    }

    private static boolean startsRequirement(Token token) {
        return token.kind() == Kind.WORD || token.kind() == Kind.NOT;
    }

    private static boolean endsRequirement(Token token) {
        return token.kind() == Kind.END || token.kind() == Kind.COMMA;
    }

    /** The value that is left out before a token. */
    private static Token leftOutAt(Token token) {
        return new Token(Kind.WORD, "", token.offset());
    }

    private static String found(Token token) {
        return "found '" + token.text() + "'";
    }

    private static String invalid(String place, String value, String problem) {
        return place + ": Invalid value: " + GoText.quote(value) + ": " + problem;
    }

    private static SelectorSyntaxException requirementError(Token token, String message) {
        return error(token, "unable to parse requirement: " + message);
    }

    private static SelectorSyntaxException error(Token token, String message) {
        return new SelectorSyntaxException(message, token.offset(), token.text());
    }
}
