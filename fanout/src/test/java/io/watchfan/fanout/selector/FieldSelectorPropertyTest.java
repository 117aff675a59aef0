package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Random field selectors, and the scopes made of them, against a matcher that knows only how they were made. */
class FieldSelectorPropertyTest {
    private static final List<String> LABELS = List.of("metadata.name", "metadata.namespace", "spec.x", "spec.y.z");
    private static final SelectableFields FIELDS = SelectableFields.forCustom(true, LABELS.subList(2, 4));

    private record Condition(String label, String operator, String value) {
        boolean holds(Map<String, String> fields) {
            boolean same = fields.get(label).equals(value);
            return operator.equals("!=") ? !same : same;
        }

        String text() {
            return label + operator + value.replaceAll("[\\\\,=]", "\\\\$0");
        }
    }

    @Property(tries = 5000)
    void shouldMatchWhatTheConditionsSay(
            @ForAll("conditions") List<Condition> conditions,
            @ForAll("objects") Map<String, String> object,
            @ForAll Random random)
            throws SelectorSyntaxException {
        FieldSelector selector = parse(conditions, random);

        assertThat(selector.matches(namespace(object), name(object), values(object)))
                .as(selector.toString())
                .isEqualTo(conditions.stream().allMatch(c -> c.holds(object)));
    }

    @Property(tries = 5000)
    void shouldMatchAlikeAsAScope(
            @ForAll("conditions") List<Condition> conditions,
            @ForAll("objects") Map<String, String> object,
            @ForAll("paths") String path,
            @ForAll Random random)
            throws SelectorSyntaxException {
        WatchScope scope = WatchScope.of(path, LabelSelector.EVERYTHING, parse(conditions, random));

        boolean expected = (path.isEmpty() || path.equals(namespace(object)))
                && conditions.stream().allMatch(c -> c.holds(object));
        assertThat(scope.matches(namespace(object), name(object), Labels.EMPTY, values(object)))
                .as(scope.toString())
                .isEqualTo(expected);
        assertThat(scope.isNothing() && expected).isFalse();
    }

    /** Most of which hold: of many that do not one always decides. */
    @Property(tries = 3000)
    void shouldMatchWhatManyConditionsSay(
            @ForAll("manyConditions") List<Condition> conditions,
            @ForAll("objects") Map<String, String> object,
            @ForAll Random random)
            throws SelectorSyntaxException {
        int left = random.nextInt(3);
        List<Condition> most = new ArrayList<>();
        for (Condition condition : conditions) {
            if (condition.holds(object) || left-- > 0) {
                most.add(condition);
            }
        }
        Collections.shuffle(most, random);
        FieldSelector selector = parse(most, random);

        assertThat(selector.matches(namespace(object), name(object), values(object)))
                .as(selector.toString())
                .isEqualTo(most.stream().allMatch(condition -> condition.holds(object)));
    }

    @Property
    void shouldReadItsOwnCanonicalText(@ForAll("conditions") List<Condition> conditions, @ForAll Random random)
            throws SelectorSyntaxException {
        FieldSelector selector = parse(conditions, random);

        assertThat(SelectorParser.parseFields(selector.toString(), FIELDS))
                .isEqualTo(selector)
                .hasSameHashCodeAs(selector)
                .hasToString(selector.toString());
    }

    @Property
    void shouldNotDependOnOrder(
            @ForAll("conditions") List<Condition> conditions, @ForAll("paths") String path, @ForAll Random random)
            throws SelectorSyntaxException {
        List<Condition> permuted = new ArrayList<>(conditions);
        Collections.shuffle(permuted, random);
        permuted.addAll(conditions.subList(0, conditions.size() / 2));
        FieldSelector one = parse(conditions, random);
        FieldSelector other = parse(permuted, random);

        assertThat(other).isEqualTo(one);
        assertThat(other.exactName()).isEqualTo(one.exactName());
        assertThat(WatchScope.of(path, LabelSelector.EVERYTHING, other))
                .isEqualTo(WatchScope.of(path, LabelSelector.EVERYTHING, one))
                .hasToString(WatchScope.of(path, LabelSelector.EVERYTHING, one).toString());
    }

    @Property
    void shouldEitherReadOrRefuseAnyText(@ForAll("soup") String text) {
        try {
            FieldSelector selector = SelectorParser.parseFields(text, FIELDS);

            assertThat(SelectorParser.parseFields(selector.toString(), FIELDS)).isEqualTo(selector);
        } catch (SelectorSyntaxException refused) {
            assertThat(text.startsWith(refused.token(), refused.offset())).isTrue();
        }
    }

    private static FieldSelector parse(List<Condition> conditions, Random random) throws SelectorSyntaxException {
        StringBuilder text = new StringBuilder(",".repeat(random.nextInt(2)));
        for (Condition condition : conditions) {
            text.append(condition.text()).append(",".repeat(1 + random.nextInt(2)));
        }
        return SelectorParser.parseFields(text.toString(), FIELDS);
    }

    private static String name(Map<String, String> object) {
        return object.get("metadata.name");
    }

    private static String namespace(Map<String, String> object) {
        return object.get("metadata.namespace");
    }

    private static String[] values(Map<String, String> object) {
        return FIELDS.finish(new String[] {object.get("spec.x"), object.get("spec.y.z")});
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
        return Combinators.combine(
                        Arbitraries.of(LABELS),
                        Arbitraries.of("=", "==", "!="),
                        Arbitraries.of("", "a", "b", "a,b", "\\", "=", "é", " a"))
                .as(Condition::new);
    }

    @Provide
    Arbitrary<Map<String, String>> objects() {
        return Combinators.combine(
                        Arbitraries.of("a", "b"),
                        Arbitraries.of("a", "b", ""),
                        Arbitraries.of("", "a", "a,b", "\\"),
                        Arbitraries.of("", "a", "=", "é"))
                .as((name, namespace, x, y) ->
                        Map.of("metadata.name", name, "metadata.namespace", namespace, "spec.x", x, "spec.y.z", y));
    }

    @Provide
    Arbitrary<String> paths() {
        return Arbitraries.of("", "a", "b");
    }

    @Provide
    Arbitrary<String> soup() {
        return Arbitraries.of(
                        "metadata.name",
                        "spec.x",
                        "bad",
                        "=",
                        "==",
                        "!=",
                        "!",
                        ",",
                        "\\",
                        "\\,",
                        "a",
                        "é",
                        "😀",
                        "\ue000",
                        " ")
                .list()
                .ofMaxSize(9)
                .map(parts -> String.join("", parts));
    }
}
