package io.watchfan.fanout.selector;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.fanout.selector.Requirement.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What label selectors mean (W-150 to W-153, W-158, W-159). */
class LabelSelectorTest {
    private static final Map<String, Labels> OBJECTS = new TreeMap<>(Map.of(
            "a", Labels.of("x", "1"),
            "b", Labels.of("x", "2", "y", ""),
            "c", Labels.of("example.com/k", "v", "x", "10"),
            "d", Labels.EMPTY,
            "e", Labels.of("in", "notin", "x", "z")));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // W-150: spaces, and operators' names as keys and values
                "''                      | abcde",
                "' '                     | abcde",
                "' \t\r\n'               | abcde",
                "' x , ! y '             | ace",
                "'x\tin\n(1)'            | a",
                "x in(1)                 | a",
                "x in ( 1 , 2 )          | ab",
                "in                      | e",
                "!in,x                   | abc",
                "in in (notin)           | e",
                "in=notin                | e",
                "in notin (notin,in),x   | abc",
                "notin                   | ''",
                "example.com/k=v         | c",
                "example.com/k           | c",
                // W-151: presence, equality, sets
                "x                       | abce",
                "!x                      | d",
                "x=1                     | a",
                "x==1                    | a",
                "x = 1                   | a",
                "x!=1                    | bcde",
                "x in (1,2)              | ab",
                "x notin (1,2)           | cde",
                "example.com/k notin (v) | abde",
                // W-152: integers
                "x>1                     | bc",
                "x>0                     | abc",
                "x < 10                  | ab",
                "x>-9223372036854775808  | invalid",
                "y>0                     | ''",
                "in>0                    | ''",
                // W-153: the empty value
                "x=                      | ''",
                "y=                      | b",
                "y                       | b",
                "x!=                     | abcde",
                "y!=                     | acde",
                "y in ()                 | b",
                "y in (,)                | b",
                "y in (,,)               | b",
                "y in (a,,)              | b",
                "y in (a,,b)             | b",
                "y notin ()              | acde",
                "x in (1,)               | a",
                "x in (,1)               | a",
                "x in (1,1)              | a",
                // W-158, W-159: all must hold, repeated keys are legal
                "'x,x!=z'                | abc",
                "x=1,x=2                 | ''",
                "x>1,x<10                | b",
                "x,x                     | abce",
            })
    void shouldSelectWhatTheApiServerSelects(String selector, String objects) throws SelectorSyntaxException {
        if (objects.equals("invalid")) {
            assertThat(LabelSelectorErrorTest.errorOf(selector)).isNotNull();
            return;
        }
        LabelSelector parsed = SelectorParser.parseLabels(selector);

        assertThat(OBJECTS.entrySet().stream()
                        .filter(object -> parsed.matches(object.getValue()))
                        .map(Map.Entry::getKey)
                        .collect(joining()))
                .isEqualTo(objects);
    }

    @Test
    void shouldSelectEverythingWithoutAnyText() throws SelectorSyntaxException {
        for (String nothing : new String[] {null, "", "  "}) {
            LabelSelector selector = SelectorParser.parseLabels(nothing);

            assertThat(selector).isEqualTo(LabelSelector.EVERYTHING).hasToString("");
            assertThat(selector.isEmpty()).isTrue();
            assertThat(selector.requirements()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a==b                   | a=b",
                "a in (b)               | a=b",
                "a in (b,b)             | a=b",
                "a notin ( b )          | a!=b",
                "a in ()                | a=",
                "b,a                    | a,b",
                "a,a                    | a",
                "b=1,a in (2,1),!c,a    | a,a in (1,2),b=1,!c",
                "a<5,a>1                | a>1,a<5",
                "a=2,a=1,a==1           | a=1,a=2",
                "a in (c,b),a in (b)    | 'a in (b,c),a=b'",
                "a in (b,c,d),a in (c,b)| 'a in (b,c),a in (b,c,d)'",
            })
    void shouldHaveOneCanonicalText(String selector, String canonical) throws SelectorSyntaxException {
        LabelSelector parsed = SelectorParser.parseLabels(selector);

        assertThat(parsed).hasToString(canonical);
        assertThat(SelectorParser.parseLabels(canonical)).isEqualTo(parsed).hasSameHashCodeAs(parsed);
    }

    @Test
    void shouldTellDifferentSelectorsApart() throws SelectorSyntaxException {
        List<String> different =
                List.of("", "a", "!a", "a=", "a!=", "a=b", "a!=b", "a in (b,c)", "a notin (b,c)", "a>1");

        for (String one : different) {
            for (String other : different) {
                assertThat(SelectorParser.parseLabels(one).equals(SelectorParser.parseLabels(other)))
                        .as("%s and %s", one, other)
                        .isEqualTo(one.equals(other));
            }
        }
    }

    @Test
    void shouldListRequirementsInCanonicalOrder() throws SelectorSyntaxException {
        assertThat(SelectorParser.parseLabels("b!=1,a").requirements())
                .containsExactly(
                        new Requirement("a", Operator.EXISTS, List.of()),
                        new Requirement("b", Operator.NOT_EQUALS, List.of("1")));
    }

    @Test
    void shouldReadNoFurtherThanANulBetweenTokensAsTheApiServerDoes() throws SelectorSyntaxException {
        assertThat(SelectorParser.parseLabels("a \0,!b")).hasToString("a");
        assertThat(SelectorParser.parseLabels("a=\0b,c\0")).hasToString("a=b,c");
    }

    /** Judged one by one, these would take minutes. */
    @Test
    @Timeout(30)
    void shouldCostLittleHoweverManyRequirementsThereAre() {
        List<Requirement> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(new Requirement("x", Operator.NOT_EQUALS, List.of("v" + i)));
            many.add(new Requirement("k" + i, Operator.DOES_NOT_EXIST, List.of()));
        }
        LabelSelector selector = LabelSelector.of(many);
        Labels labels = Labels.of("a", "1", "x", "2");

        int matches = 0;
        for (int i = 0; i < 500_000; i++) {
            matches += selector.matches(labels) ? 1 : 0;
        }

        assertThat(matches).isEqualTo(500_000);
    }
}
