package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Random selectors against a matcher that knows only how they were made. */
class LabelSelectorPropertyTest {
    private static final List<String> KEYS = List.of("a", "b", "in", "notin", "x.y/z");
    private static final List<String> VALUES =
            List.of("", "1", "2", "10", "007", "9223372036854775807", "a", "in", "Z.z");

    /** A condition as the random source made it: its key, how it is spelled, and its values. */
    private record Condition(String key, String operator, List<String> values) {
        boolean holds(Map<String, String> labels) {
            boolean present = labels.containsKey(key);
            String value = labels.get(key);
            return switch (operator) {
                case "" -> present;
                case "!" -> !present;
                case "=", "==" -> present && value.equals(values.get(0));
                case "!=" -> !present || !value.equals(values.get(0));
                case "in" -> present && Set.copyOf(values).contains(value);
                case "notin" -> !present || !Set.copyOf(values).contains(value);
                case ">" -> isNumber(value) && new BigInteger(value).compareTo(new BigInteger(values.get(0))) > 0;
                case "<" -> isNumber(value) && new BigInteger(value).compareTo(new BigInteger(values.get(0))) < 0;
                default -> throw new AssertionError(operator);
            };
        }

        String text(Random random) {
            String operand = switch (operator) {
                case "" -> key;
                case "!" -> "!" + space(random) + key;
                case "in", "notin" -> key + " " + space(random) + operator + space(random) + set(random);
                default -> key + space(random) + operator + space(random) + values.get(0);
            };
            return space(random) + operand + space(random);
        }

        private String set(Random random) {
            List<String> padded = new ArrayList<>();
            for (String value : values) {
                padded.add(space(random) + value + space(random));
            }
            return "(" + String.join(",", padded) + ")";
        }

        private static boolean isNumber(String value) {
            return value != null && value.matches("[0-9]+") && new BigInteger(value).bitLength() < 64;
        }

        private static String space(Random random) {
            return List.of("", "", "", " ", "\t", "\r\n", "  ").get(random.nextInt(7));
        }
    }

    @Property(tries = 5000)
    void shouldMatchWhatTheConditionsSay(
            @ForAll("conditions") List<Condition> conditions,
            @ForAll("labels") Map<String, String> labels,
            @ForAll Random random)
            throws SelectorSyntaxException {
        LabelSelector selector = parse(conditions, random);

        boolean expected = conditions.stream().allMatch(condition -> condition.holds(labels));
        assertThat(selector.matches(Labels.copyOf(labels)))
                .as(selector.toString())
                .isEqualTo(expected);
    }

    /** Most of which hold: of many that do not one always decides. */
    @Property(tries = 3000)
    void shouldMatchWhatManyConditionsSay(
            @ForAll("manyConditions") List<Condition> conditions,
            @ForAll("labels") Map<String, String> labels,
            @ForAll Random random)
            throws SelectorSyntaxException {
        int left = random.nextInt(3);
        List<Condition> most = new ArrayList<>();
        for (Condition condition : conditions) {
            if (condition.holds(labels) || left-- > 0) {
                most.add(condition);
            }
        }
        Collections.shuffle(most, random);
        LabelSelector selector = parse(most, random);

        assertThat(selector.matches(Labels.copyOf(labels)))
                .as(selector.toString())
                .isEqualTo(most.stream().allMatch(condition -> condition.holds(labels)));
    }

    @Property
    void shouldReadItsOwnCanonicalText(@ForAll("conditions") List<Condition> conditions, @ForAll Random random)
            throws SelectorSyntaxException {
        LabelSelector selector = parse(conditions, random);

        LabelSelector again = SelectorParser.parseLabels(selector.toString());

        assertThat(again).isEqualTo(selector).hasSameHashCodeAs(selector).hasToString(selector.toString());
    }

    @Property
    void shouldNotDependOnOrderOrSpaces(@ForAll("conditions") List<Condition> conditions, @ForAll Random random)
            throws SelectorSyntaxException {
        List<Condition> permuted = new ArrayList<>(conditions);
        Collections.shuffle(permuted, random);
        permuted.addAll(conditions.subList(0, conditions.size() / 2));

        assertThat(parse(permuted, random)).isEqualTo(parse(conditions, random));
        assertThat(LabelSelector.of(parse(permuted, random).requirements())).isEqualTo(parse(conditions, random));
    }

    @Property
    void shouldBeEqualExactlyWhenTheCanonicalTextIs(
            @ForAll("conditions") List<Condition> one,
            @ForAll("conditions") List<Condition> other,
            @ForAll Random random)
            throws SelectorSyntaxException {
        LabelSelector first = parse(one.subList(0, Math.min(1, one.size())), random);
        LabelSelector second = parse(other.subList(0, Math.min(1, other.size())), random);

        assertThat(first.equals(second)).isEqualTo(first.toString().equals(second.toString()));
    }

    @Property
    void shouldEitherReadOrRefuseAnyText(@ForAll("soup") String text) {
        try {
            LabelSelector selector = SelectorParser.parseLabels(text);

            assertThat(SelectorParser.parseLabels(selector.toString())).isEqualTo(selector);
        } catch (SelectorSyntaxException refused) {
            assertThat(text.startsWith(refused.token(), refused.offset())).isTrue();
        }
    }

    private static LabelSelector parse(List<Condition> conditions, Random random) throws SelectorSyntaxException {
        return SelectorParser.parseLabels(
                String.join(",", conditions.stream().map(c -> c.text(random)).toList()));
    }

    @Provide
    Arbitrary<List<Condition>> conditions() {
        return condition().list().ofMaxSize(4);
    }

    @Provide
    Arbitrary<List<Condition>> manyConditions() {
        return condition().list().ofMinSize(40).ofMaxSize(120);
    }

    private static Arbitrary<Condition> condition() {
        Arbitrary<String> keys = Arbitraries.of(KEYS);
        Arbitrary<Condition> existence = Combinators.combine(keys, Arbitraries.of("", "!"))
                .as((key, operator) -> new Condition(key, operator, List.of()));
        Arbitrary<Condition> comparison = Combinators.combine(
                        keys, Arbitraries.of("=", "==", "!="), Arbitraries.of(VALUES))
                .as((key, operator, value) -> new Condition(key, operator, List.of(value)));
        Arbitrary<Condition> order = Combinators.combine(
                        keys, Arbitraries.of("<", ">"), Arbitraries.of("0", "1", "5", "010", "9223372036854775807"))
                .as((key, operator, value) -> new Condition(key, operator, List.of(value)));
        Arbitrary<Condition> set = Combinators.combine(
                        keys,
                        Arbitraries.of("in", "notin"),
                        Arbitraries.of(VALUES).list().ofMinSize(1).ofMaxSize(5))
                .as(Condition::new);
        return Arbitraries.oneOf(existence, comparison, order, set);
    }

    @Provide
    Arbitrary<Map<String, String>> labels() {
        return Arbitraries.maps(Arbitraries.of(KEYS), Arbitraries.of(VALUES));
    }

    @Provide
    Arbitrary<String> soup() {
        return Arbitraries.of(
                        "a", "b", "in", "notin", "1", "x", "-", "é", " ", "\t", "\0", "=", "==", "!=", "!", ">", "<",
                        "(", ")", ",")
                .list()
                .ofMaxSize(12)
                .map(parts -> String.join("", parts));
    }
}
