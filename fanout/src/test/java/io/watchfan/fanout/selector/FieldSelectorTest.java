package io.watchfan.fanout.selector;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.watchfan.fanout.selector.FieldSelector.Term;
import io.watchfan.fanout.selector.Requirement.Operator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What field selectors mean, and what is none (W-160 to W-165). */
class FieldSelectorTest {
    private static final SelectableFields PLAIN = SelectableFields.forBuiltIn("", "v1", "ConfigMap");
    private static final SelectableFields CUSTOM = SelectableFields.forCustom(true, List.of("spec.color", "spec.size"));

    private record Thing(String namespace, String name, String color, String size) {
        boolean fits(FieldSelector selector) {
            return selector.matches(namespace, name, new String[] {color, size});
        }
    }

    private static final List<Thing> THINGS = List.of(
            new Thing("blue", "a", "red", "10"),
            new Thing("red", "b", "", "7"),
            new Thing("red", "c", "a,b", "="),
            new Thing(null, "d", "x\\y", ""));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // W-160: terms, operators, no trimming
                "''                                      | abcd",
                ",                                       | abcd",
                ",,,                                     | abcd",
                "metadata.name=a                         | a",
                "metadata.name==a                        | a",
                "metadata.name!=a                        | bcd",
                "metadata.name=a,                        | a",
                "',,metadata.name!=a,,metadata.name!=b'  | cd",
                "metadata.name= a                        | ''",
                "metadata.name!==a                       | error",
                "spec.color!=!                           | abcd",
                // W-161: escapes
                "spec.color=a\\,b                        | c",
                "spec.size=\\=                           | c",
                "spec.color=x\\\\y                       | d",
                "spec.color!=a\\,b,spec.size!=\\=        | abd",
                // W-163: strings, the empty one for what is absent, all terms hold
                "metadata.name=A                         | ''",
                "spec.color=                             | b",
                "spec.color==                            | b",
                "spec.color!=                            | acd",
                "spec.color!=red                         | bcd",
                "spec.size=10                            | a",
                "spec.size=010                           | ''",
                "spec.color=red,metadata.name!=a         | ''",
                "spec.color!=red,metadata.name!=b        | cd",
                "metadata.name=a,metadata.name=b         | ''",
                "metadata.name=                          | ''",
                // W-165
                "metadata.namespace=red                  | bc",
                "metadata.namespace!=red                 | ad",
                "metadata.namespace=                     | d",
                "metadata.namespace=red,metadata.name!=b | c",
                // A lone operator compares nothing with nothing and is dropped.
                "=                                       | abcd",
                "'!=,==,metadata.name=b'                 | b",
            })
    void shouldSelectWhatTheApiServerSelects(String text, String names) throws SelectorSyntaxException {
        if (names.equals("error")) {
            assertThat(errorOf(text, CUSTOM)).isNotNull();
            return;
        }
        FieldSelector selector = SelectorParser.parseFields(text, CUSTOM);

        assertThat(THINGS.stream()
                        .filter(thing -> thing.fits(selector))
                        .map(Thing::name)
                        .collect(joining()))
                .isEqualTo(names);
    }

    static Stream<Arguments> errors() {
        String notUnderstood = "invalid selector: '%s'; can't understand '%s'";
        String escape = "invalid field selector: invalid escape sequence: ";
        String equals = "invalid field selector: unescaped character in value: 61";
        return Stream.of(
                arguments(
                        "metadata.name", notUnderstood.formatted("metadata.name", "metadata.name"), 0, "metadata.name"),
                arguments("metadata.name=a,x", notUnderstood.formatted("metadata.name=a,x", "x"), 16, "x"),
                arguments(
                        "metadata.name in (a)",
                        notUnderstood.formatted("metadata.name in (a)", "metadata.name in (a)"),
                        0,
                        "metadata.name in (a)"),
                arguments(
                        "!metadata.name",
                        notUnderstood.formatted("!metadata.name", "!metadata.name"),
                        0,
                        "!metadata.name"),
                arguments(" ", notUnderstood.formatted(" ", " "), 0, " "),
                arguments("a\\,b", notUnderstood.formatted("a\\,b", "a\\,b"), 0, "a\\,b"),
                arguments("metadata.name=a=b", equals, 15, "="),
                arguments("metadata.name===b", equals, 15, "="),
                arguments("metadata.name!==b", equals, 15, "="),
                arguments("metadata.name=a\\b", escape + "\\b", 15, "\\b"),
                arguments("metadata.name=a\\😀", escape + "\\😀", 15, "\\😀"),
                arguments("metadata.name=a\\", escape + "\\", 15, "\\"),
                arguments("metadata.name=\\\\\\", escape + "\\", 16, "\\"),
                // Terms are read in bytewise order, whatever their order in the text.
                arguments("z=\\z,b", notUnderstood.formatted("z=\\z,b", "b"), 5, "b"),
                arguments("b,z=\\z", notUnderstood.formatted("b,z=\\z", "b"), 0, "b"),
                arguments("c,a=\\z", escape + "\\z", 4, "\\z"),
                arguments("😀,\ue000", notUnderstood.formatted("😀,\ue000", "\ue000"), 3, "\ue000"),
                // Syntax comes before labels.
                arguments("a=b,metadata.name=a=b", equals, 19, "="),
                arguments("spec.size=1,b=x,a=x", "field label not supported: a", 16, "a"),
                arguments("=x", "field label not supported: ", 0, ""));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void shouldRefuseInTheApiServersWords(String text, String message, int offset, String token) {
        SelectorSyntaxException error = errorOf(text, CUSTOM);

        assertThat(error).hasMessage(message);
        assertThat(error.offset()).isEqualTo(offset);
        assertThat(error.token()).isEqualTo(token);
    }

    @Test
    void shouldRefuseLabelsOfOtherKinds() {
        assertThat(errorOf("metadata.name=a,spec.nodeName=x", PLAIN))
                .hasMessage(
                        "\"spec.nodeName\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
        assertThat(errorOf("status.active=1", SelectableFields.forBuiltIn("batch", "v1", "Job")))
                .hasMessage("field label \"status.active\" not supported for Job");
    }

    @Test
    void shouldSelectEverythingWithoutAnyTerm() throws SelectorSyntaxException {
        for (String nothing : new String[] {null, "", ",", "=,!="}) {
            FieldSelector selector = SelectorParser.parseFields(nothing, PLAIN);

            assertThat(selector).isSameAs(FieldSelector.EVERYTHING).hasToString("");
            assertThat(selector.isEmpty()).isTrue();
            assertThat(selector.terms()).isEmpty();
            assertThat(selector.exactName()).isNull();
            assertThat(selector.exactNamespace()).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec.size==1,spec.color!=x        | spec.color!=x,spec.size=1",
                "spec.size=1,spec.size==1          | spec.size=1",
                "spec.size!=2,spec.size=1          | spec.size=1,spec.size!=2",
                "spec.size=2,spec.size=1           | spec.size=1,spec.size=2",
                "metadata.name=a\\,b\\=c\\\\       | metadata.name=a\\,b\\=c\\\\",
                "spec.color=,metadata.namespace!=n | metadata.namespace!=n,spec.color=",
            })
    void shouldHaveOneCanonicalText(String text, String canonical) throws SelectorSyntaxException {
        FieldSelector selector = SelectorParser.parseFields(text, CUSTOM);

        assertThat(selector).hasToString(canonical);
        assertThat(SelectorParser.parseFields(canonical, CUSTOM))
                .isEqualTo(selector)
                .hasSameHashCodeAs(selector);
    }

    @Test
    void shouldRewriteLabelsThatStandForOthers() throws SelectorSyntaxException {
        SelectableFields pods = SelectableFields.forBuiltIn("", "v1", "Pod");

        assertThat(SelectorParser.parseFields("spec.host=n", pods))
                .isEqualTo(SelectorParser.parseFields("spec.nodeName=n", pods))
                .hasToString("spec.nodeName=n");
    }

    @Test
    void shouldTellSelectorsOfDifferentKindsApart() throws SelectorSyntaxException {
        SelectableFields other = SelectableFields.forCustom(true, List.of("spec.size", "spec.color"));

        assertThat(SelectorParser.parseFields("spec.color=x", CUSTOM))
                .isNotEqualTo(SelectorParser.parseFields("spec.color=x", other));
    }

    @Test
    void shouldSayWhereTheValueOfATermStands() throws SelectorSyntaxException {
        List<Term> terms = SelectorParser.parseFields("spec.size=1,spec.color!=x,metadata.name=a", CUSTOM)
                .terms();

        assertThat(terms).extracting(Term::label).containsExactly("metadata.name", "spec.color", "spec.size");
        assertThat(terms.get(0).index()).isNegative();
        assertThat(terms.get(1).index()).isEqualTo(CUSTOM.indexOf("spec.color"));
        assertThat(terms.get(2).index()).isEqualTo(CUSTOM.indexOf("spec.size"));
        assertThat(terms).extracting(Term::isIndexedEquality).containsExactly(false, false, true);
    }

    /** W-005, W-136. The API server takes the first exact term in bytewise order of the terms' text. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "null",
            value = {
                "metadata.name=a                           | a    | null",
                "metadata.name==a                          | a    | null",
                "spec.color=red,metadata.name==a           | a    | null",
                "metadata.name!=a                          | null | null",
                "metadata.name=                            | ''   | null",
                "metadata.name=a\\,b                       | a,b  | null",
                "metadata.name=../x                        | ../x | null",
                "metadata.namespace==n                     | null | n",
                "metadata.namespace=n,metadata.name=a      | a    | n",
                "metadata.namespace!=n                     | null | null",
                "metadata.name!=a,metadata.name=b          | b    | null",
                "metadata.name=b,metadata.name=a           | a    | null",
                "metadata.name=a,metadata.name==b          | b    | null",
            })
    void shouldTellTheExactNameAndNamespace(String text, String name, String namespace) throws SelectorSyntaxException {
        FieldSelector selector = SelectorParser.parseFields(text, CUSTOM);

        assertThat(selector.exactName()).isEqualTo(name);
        assertThat(selector.exactNamespace()).isEqualTo(namespace);
    }

    @Test
    void shouldRefuseTermsThatTheKindOrFieldsCannotHave() {
        assertThatThrownBy(() -> Term.of(PLAIN, "spec.size", Operator.EQUALS, "1"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Term.of(CUSTOM, "spec.size", Operator.GREATER_THAN, "1"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static SelectorSyntaxException errorOf(String text, SelectableFields fields) {
        return catchThrowableOfType(SelectorSyntaxException.class, () -> SelectorParser.parseFields(text, fields));
    }
}
