package io.watchfan.fanout.selector;

import java.util.ArrayList;
import java.util.List;

/** What label keys and values may look like, and what the API server says of those that do not (W-156, W-157). */
final class LabelSyntax {
    private static final int NAME_LIMIT_BYTES = 63;
    private static final int PREFIX_LIMIT_BYTES = 253;

    private static final String NAME_PATTERN = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final String NAME_RULE = "must consist of alphanumeric characters, '-', '_' or '.', "
            + "and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
            + "regex used for validation is '" + NAME_PATTERN + "')";
    private static final String VALUE_RULE = "a valid label must be an empty string or consist of alphanumeric "
            + "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  "
            + "or 'my_value',  or '12345', regex used for validation is '(" + NAME_PATTERN + ")?')";
    private static final String PREFIX_RULE = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
            + "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
            + "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

    private LabelSyntax() {}

    /** What is wrong with a label key; empty when nothing is. */
    static String keyProblem(String key) {
        int slash = key.indexOf('/');
        if (key.indexOf('/', slash + 1) >= 0) {
            return "a valid label key " + NAME_RULE
                    + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
        }
        List<String> problems = new ArrayList<>();
        if (slash >= 0) {
            addPrefixProblems(key.substring(0, slash), problems);
        }
        String name = key.substring(slash + 1);
        if (name.isEmpty()) {
            problems.add("name part must be non-empty");
        } else if (GoText.byteLength(name) > NAME_LIMIT_BYTES) {
            problems.add("name part " + tooLong(NAME_LIMIT_BYTES));
        }
        if (!isName(name)) {
            problems.add("name part " + NAME_RULE);
        }
        return String.join("; ", problems);
    }

    /** What is wrong with a label value; empty when nothing is. */
    static String valueProblem(String value) {
        List<String> problems = new ArrayList<>();
        if (GoText.byteLength(value) > NAME_LIMIT_BYTES) {
            problems.add(tooLong(NAME_LIMIT_BYTES));
        }
        if (!value.isEmpty() && !isName(value)) {
            problems.add(VALUE_RULE);
        }
        return String.join("; ", problems);
    }

    private static void addPrefixProblems(String prefix, List<String> problems) {
        if (prefix.isEmpty()) {
            problems.add("prefix part must be non-empty");
            return;
        }
        if (GoText.byteLength(prefix) > PREFIX_LIMIT_BYTES) {
            problems.add("prefix part " + tooLong(PREFIX_LIMIT_BYTES));
        }
        if (!isSubdomain(prefix)) {
            problems.add("prefix part " + PREFIX_RULE);
        }
    }

    private static String tooLong(int limitBytes) {
        return "must be no more than " + limitBytes + " bytes";
    }

    private static boolean isName(String text) {
        if (text.isEmpty() || !isAlphanumeric(text.charAt(0)) || !isAlphanumeric(text.charAt(text.length() - 1))) {
            return false;
        }
        for (int i = 1; i < text.length() - 1; i++) {
            char c = text.charAt(i);
            if (!isAlphanumeric(c) && c != '-' && c != '_' && c != '.') {
                return false;
            }
        }
        return true;
    }

    /** Parts between dots, each of which starts and ends with a letter or digit. By hand: a regex recurses per part. */
    private static boolean isSubdomain(String text) {
        char before = '.';
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean fits = switch (c) {
                case '.' -> before != '.' && before != '-';
                case '-' -> before != '.';
                default -> isAlphanumeric(c) && !(c >= 'A' && c <= 'Z');
            };
            if (!fits) {
                return false;
            }
            before = c;
        }
        return before != '.' && before != '-';
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
}
