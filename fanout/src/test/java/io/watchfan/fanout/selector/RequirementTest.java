package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchfan.fanout.selector.Requirement.Operator;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequirementTest {
    @Test
    void shouldSortValuesAndDropRepeatedOnes() {
        Requirement requirement = new Requirement("a", Operator.IN, List.of("c", "b", "c"));

        assertThat(requirement.values()).containsExactly("b", "c").isUnmodifiable();
        assertThat(requirement).isEqualTo(new Requirement("a", Operator.IN, List.of("b", "c")));
    }

    @Test
    void shouldTreatSetsOfOneAsComparisons() {
        assertThat(new Requirement("a", Operator.IN, List.of("b", "b")))
                .isEqualTo(new Requirement("a", Operator.EQUALS, List.of("b")));
        assertThat(new Requirement("a", Operator.NOT_IN, List.of("")))
                .isEqualTo(new Requirement("a", Operator.NOT_EQUALS, List.of("")));
    }

    @ParameterizedTest
    @CsvSource({
        "EXISTS, x",
        "DOES_NOT_EXIST, x",
        "IN, ",
        "NOT_IN, ",
        "EQUALS, ",
        "EQUALS, x y",
        "NOT_EQUALS, x y",
        "GREATER_THAN, 1 2",
        "GREATER_THAN, x",
        "LESS_THAN, 9223372036854775808"
    })
    void shouldRefuseValuesThatTheOperatorCannotHave(Operator operator, String values) {
        List<String> list = values == null ? List.of() : Arrays.asList(values.split(" "));

        assertThatThrownBy(() -> new Requirement("a", operator, list)).isInstanceOf(IllegalArgumentException.class);
    }

    /** W-151, W-152. The value "-" stands for an absent label. */
    @ParameterizedTest
    @CsvSource({
        "EXISTS, , '', true",
        "EXISTS, , -, false",
        "DOES_NOT_EXIST, , '', false",
        "DOES_NOT_EXIST, , -, true",
        "EQUALS, x, x, true",
        "EQUALS, x, X, false",
        "EQUALS, x, -, false",
        "NOT_EQUALS, x, x, false",
        "NOT_EQUALS, x, y, true",
        "NOT_EQUALS, x, -, true",
        "IN, x y, y, true",
        "IN, x y, z, false",
        "IN, x y, -, false",
        "NOT_IN, x y, y, false",
        "NOT_IN, x y, z, true",
        "NOT_IN, x y, -, true",
        "GREATER_THAN, 5, 6, true",
        "GREATER_THAN, 5, 5, false",
        "GREATER_THAN, 5, 10, true",
        "GREATER_THAN, 5, x, false",
        "GREATER_THAN, 5, '', false",
        "GREATER_THAN, 5, -, false",
        "GREATER_THAN, 5, 9223372036854775808, false",
        "LESS_THAN, 5, 4, true",
        "LESS_THAN, 5, 5, false",
        "LESS_THAN, 10, 5, true",
        "LESS_THAN, 5, -1, true",
        "LESS_THAN, 5, 1.5, false",
        "LESS_THAN, 5, -, false"
    })
    void shouldMatchByOperator(Operator operator, String values, String value, boolean matches) {
        List<String> list = values == null ? List.of() : Arrays.asList(values.split(" "));

        assertThat(new Requirement("a", operator, list).matches("-".equals(value) ? null : value))
                .isEqualTo(matches);
    }

    @Test
    void shouldPrintCanonicalText() {
        assertThat(new Requirement("a", Operator.EXISTS, List.of())).hasToString("a");
        assertThat(new Requirement("a", Operator.DOES_NOT_EXIST, List.of())).hasToString("!a");
        assertThat(new Requirement("a", Operator.EQUALS, List.of(""))).hasToString("a=");
        assertThat(new Requirement("a", Operator.NOT_EQUALS, List.of("x"))).hasToString("a!=x");
        assertThat(new Requirement("a", Operator.IN, List.of("y", "", "x"))).hasToString("a in (,x,y)");
        assertThat(new Requirement("a", Operator.NOT_IN, List.of("y", "x"))).hasToString("a notin (x,y)");
        assertThat(new Requirement("a", Operator.GREATER_THAN, List.of("1"))).hasToString("a>1");
        assertThat(new Requirement("a", Operator.LESS_THAN, List.of("1"))).hasToString("a<1");
    }
}
