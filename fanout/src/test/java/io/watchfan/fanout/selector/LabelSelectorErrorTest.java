package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is no label selector, in the API server's words (W-154 to W-158). */
class LabelSelectorErrorTest {
    private static final String REQUIREMENT = "unable to parse requirement: ";
    private static final String NAME_PART = "name part must consist of alphanumeric characters, '-', '_' or '.', and "
            + "must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
            + "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
    private static final String PREFIX_PART = "prefix part a lowercase RFC 1123 subdomain must consist of lower case "
            + "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
            + "'example.com', regex used for validation is "
            + "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    private static final String VALUE = "a valid label must be an empty string or consist of alphanumeric characters, "
            + "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
            + "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
    private static final String INTEGER = "for 'Gt', 'Lt' operators, the value must be an integer";

    static SelectorSyntaxException errorOf(String selector) {
        return catchThrowableOfType(SelectorSyntaxException.class, () -> SelectorParser.parseLabels(selector));
    }

    static Stream<Arguments> syntax() {
        return Stream.of(
                arguments("a,", "found '', expected: identifier after ','", 2, ""),
                arguments("a,,b", "found ',', expected: identifier after ','", 2, ","),
                arguments("a,)", "found ')', expected: identifier after ','", 2, ")"),
                arguments(",a", "found ',', expected: !, identifier, or 'end of string'", 0, ","),
                arguments(" =x", "found '=', expected: !, identifier, or 'end of string'", 1, "="),
                arguments("!=x", "found '!=', expected: !, identifier, or 'end of string'", 0, "!="),
                arguments("(a)", "found '(', expected: !, identifier, or 'end of string'", 0, "("),
                arguments("a=b=c", "found '=', expected: ',' or 'end of string'", 3, "="),
                arguments("a=b==c", "found '==', expected: ',' or 'end of string'", 3, "=="),
                arguments("a=b c", "found 'c', expected: ',' or 'end of string'", 4, "c"),
                arguments("a in (b)in", "found 'in', expected: ',' or 'end of string'", 8, "in"),
                arguments("!a=b", "found '=', expected: ',' or 'end of string'", 2, "="),
                arguments("!a in (b)", "found 'in', expected: ',' or 'end of string'", 3, "in"));
    }

    static Stream<Arguments> requirements() {
        return Stream.of(
                arguments("a in b", "found 'b' expected: '('", 5, "b"),
                arguments("a in", "found '' expected: '('", 4, ""),
                arguments("a b", "found 'b', expected: in, notin, =, ==, !=, gt, lt", 2, "b"),
                arguments("a IN (b)", "found 'IN', expected: in, notin, =, ==, !=, gt, lt", 2, "IN"),
                arguments("a !b", "found '!', expected: in, notin, =, ==, !=, gt, lt", 2, "!"),
                arguments("a(b)", "found '(', expected: in, notin, =, ==, !=, gt, lt", 1, "("),
                arguments("a in (b", "found '', expected: ',' or ')'", 7, ""),
                arguments("a in (b c)", "found 'c', expected: ',' or ')'", 8, "c"),
                arguments("a in (b=c)", "found '=', expected: ',' or ')'", 7, "="),
                arguments("a in (", "found '', expected: ',', ')' or identifier", 6, ""),
                arguments("a in (=", "found '=', expected: ',', ')' or identifier", 6, "="),
                arguments("a in (b,", "found '', expected: ',', or identifier", 8, ""),
                arguments("a in (b,!", "found '!', expected: ',', or identifier", 8, "!"),
                arguments("a in (,(", "found '(', expected: ',', or identifier", 7, "("),
                arguments("a=(", "found '(', expected: identifier", 2, "("),
                arguments("a=!b", "found '!', expected: identifier", 2, "!"),
                arguments("a>=1", "found '=', expected: identifier", 2, "="),
                arguments("!", "found '', expected: identifier", 1, ""),
                arguments("!!a", "found '!', expected: identifier", 1, "!"),
                arguments("!,a", "found ',', expected: identifier", 1, ","));
    }

    static Stream<Arguments> keysAndValues() {
        String v63 = "v".repeat(63);
        String v64 = "v".repeat(64);
        String tooLongKey = "name part must be no more than 63 bytes";
        String tooLongValue = "must be no more than 63 bytes";
        return Stream.of(
                arguments("-a=b", "<nil>: Invalid value: \"-a\": " + NAME_PART, 0, "-a"),
                arguments("a_=b", "<nil>: Invalid value: \"a_\": " + NAME_PART, 0, "a_"),
                arguments("b,!é", "<nil>: Invalid value: \"é\": " + NAME_PART, 3, "é"),
                arguments("a\"\u0001", "<nil>: Invalid value: \"a\\\"\\x01\": " + NAME_PART, 0, "a\"\u0001"),
                arguments(v64, "<nil>: Invalid value: \"" + v64 + "\": " + tooLongKey, 0, v64),
                arguments(
                        v63 + "_",
                        "<nil>: Invalid value: \"" + v63 + "_\": " + tooLongKey + "; " + NAME_PART,
                        0,
                        v63 + "_"),
                // Bytes count, not characters: these are 32 characters.
                arguments(
                        "é".repeat(32),
                        "<nil>: Invalid value: \"" + "é".repeat(32) + "\": " + tooLongKey + "; " + NAME_PART,
                        0,
                        "é".repeat(32)),
                arguments("/a", "<nil>: Invalid value: \"/a\": prefix part must be non-empty", 0, "/a"),
                arguments("a/", "<nil>: Invalid value: \"a/\": name part must be non-empty; " + NAME_PART, 0, "a/"),
                arguments("A/b", "<nil>: Invalid value: \"A/b\": " + PREFIX_PART, 0, "A/b"),
                arguments("a..b/c", "<nil>: Invalid value: \"a..b/c\": " + PREFIX_PART, 0, "a..b/c"),
                arguments("a-.b/c", "<nil>: Invalid value: \"a-.b/c\": " + PREFIX_PART, 0, "a-.b/c"),
                arguments("a.-b/c", "<nil>: Invalid value: \"a.-b/c\": " + PREFIX_PART, 0, "a.-b/c"),
                arguments("b-/c", "<nil>: Invalid value: \"b-/c\": " + PREFIX_PART, 0, "b-/c"),
                arguments(
                        "p".repeat(254) + "/n",
                        "<nil>: Invalid value: \"" + "p".repeat(254)
                                + "/n\": prefix part must be no more than 253 bytes",
                        0,
                        "p".repeat(254) + "/n"),
                arguments(
                        "a/b/c",
                        "<nil>: Invalid value: \"a/b/c\": " + NAME_PART.replace("name part ", "a valid label key ")
                                + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                        0,
                        "a/b/c"),
                arguments("a=-b", "values[0][a]: Invalid value: \"-b\": " + VALUE, 2, "-b"),
                arguments("a=x/y", "values[0][a]: Invalid value: \"x/y\": " + VALUE, 2, "x/y"),
                arguments("a=" + v64, "values[0][a]: Invalid value: \"" + v64 + "\": " + tooLongValue, 2, v64),
                arguments(
                        "a=_" + v63,
                        "values[0][a]: Invalid value: \"_" + v63 + "\": " + tooLongValue + "; " + VALUE,
                        2,
                        "_" + v63),
                // W-157: values are counted when they are sorted, and all that are wrong are told.
                arguments("a in (b,ok,-x)", "values[0][a]: Invalid value: \"-x\": " + VALUE, 11, "-x"),
                arguments("x.y/z notin (b,c_,b)", "values[1][x.y/z]: Invalid value: \"c_\": " + VALUE, 15, "c_"),
                arguments(
                        "a in (_,b,-)",
                        "[values[0][a]: Invalid value: \"-\": " + VALUE + ", values[1][a]: Invalid value: \"_\": "
                                + VALUE + "]",
                        10,
                        "-"));
    }

    static Stream<Arguments> integers() {
        return Stream.of(
                arguments("a>x", "values[0]: Invalid value: \"x\": " + INTEGER, 2, "x"),
                arguments("a<", "values[0]: Invalid value: \"\": " + INTEGER, 2, ""),
                arguments("a<,b", "values[0]: Invalid value: \"\": " + INTEGER, 2, ""),
                arguments("a>1.5", "values[0]: Invalid value: \"1.5\": " + INTEGER, 2, "1.5"),
                arguments(
                        "a>9223372036854775808",
                        "values[0]: Invalid value: \"9223372036854775808\": " + INTEGER,
                        2,
                        "9223372036854775808"),
                // A number is a label value too, and those have no sign.
                arguments("a>-1", "values[0][a]: Invalid value: \"-1\": " + VALUE, 2, "-1"),
                arguments(
                        "a<-x",
                        "[values[0]: Invalid value: \"-x\": " + INTEGER + ", values[0][a]: Invalid value: \"-x\": "
                                + VALUE + "]",
                        2,
                        "-x"));
    }

    @ParameterizedTest
    @MethodSource("syntax")
    void shouldReportTheTokenThatDoesNotFit(String selector, String message, int offset, String token) {
        assertRefused(selector, message, offset, token);
    }

    @ParameterizedTest
    @MethodSource({"requirements", "keysAndValues", "integers"})
    void shouldReportWhatIsWrongWithARequirement(String selector, String message, int offset, String token) {
        assertRefused(selector, REQUIREMENT + message, offset, token);
    }

    @Test
    void shouldReportTheFirstErrorFromTheLeft() {
        assertThat(errorOf("a in (-x),b c,")).hasMessage(REQUIREMENT + "values[0][a]: Invalid value: \"-x\": " + VALUE);
        assertThat(errorOf("-a b")).hasMessage(REQUIREMENT + "<nil>: Invalid value: \"-a\": " + NAME_PART);
    }

    @Test
    void shouldAcceptKeysAndValuesUpToTheirLimits() throws SelectorSyntaxException {
        String longest = "p".repeat(253) + "/" + "k".repeat(63) + "=" + "v".repeat(63);

        assertThat(SelectorParser.parseLabels(longest)).hasToString(longest);
        assertThat(SelectorParser.parseLabels("A.b-c_d=E.f-g_h,1=2,x-y.z/w"))
                .hasToString("1=2,A.b-c_d=E.f-g_h,x-y.z/w");
    }

    @Test
    void shouldSurviveSelectorsOfManyParts() throws SelectorSyntaxException {
        String parts = "p.".repeat(100_000) + "p/n";

        assertThat(errorOf(parts).getMessage()).endsWith("\": prefix part must be no more than 253 bytes");
        assertThat(SelectorParser.parseLabels("!a,".repeat(100_000) + "!a")).hasToString("!a");
    }

    private static void assertRefused(String selector, String message, int offset, String token) {
        SelectorSyntaxException error = errorOf(selector);

        assertThat(error).hasMessage(message);
        assertThat(error.offset()).isEqualTo(offset);
        assertThat(error.token()).isEqualTo(token);
    }
}
