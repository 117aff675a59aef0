package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who sees what (W-005, W-135, W-136, W-165). */
class WatchScopeTest {
    private static final SelectableFields FIELDS = SelectableFields.forCustom(true, List.of("spec.color"));

    @Test
    void shouldCoverEverythingWithoutAnyCondition() {
        WatchScope scope = WatchScope.of(null, LabelSelector.EVERYTHING, FieldSelector.EVERYTHING);

        assertThat(scope).isEqualTo(WatchScope.ALL).isEqualTo(scope("", "", "")).hasToString("all");
        assertThat(scope.matches("blue", "a", Labels.EMPTY, new String[] {""})).isTrue();
        assertThat(scope.matches(null, "a", Labels.EMPTY, new String[0])).isTrue();
    }

    @Test
    void shouldMatchOnlyWhereAllPartsDo() {
        WatchScope scope = scope("blue", "app=web", "metadata.name=a,spec.color=red");
        Labels web = Labels.of("app", "web");
        String[] red = {"red"};

        assertThat(scope.matches("blue", "a", web, red)).isTrue();
        assertThat(scope.matches("red", "a", web, red)).isFalse();
        assertThat(scope.matches(null, "a", web, red)).isFalse();
        assertThat(scope.matches("blue", "b", web, red)).isFalse();
        assertThat(scope.matches("blue", "a", Labels.EMPTY, red)).isFalse();
        assertThat(scope.matches("blue", "a", web, new String[] {""})).isFalse();
    }

    @Test
    void shouldLiftExactNameAndNamespaceOutOfTheFields() {
        WatchScope scope = scope(null, "", "spec.color!=red,metadata.namespace==blue,metadata.name=a");

        assertThat(scope.namespace()).isEqualTo("blue");
        assertThat(scope.name()).isEqualTo("a");
        assertThat(scope.fields()).hasToString("spec.color!=red");
    }

    /** Pairs of requests that see the same: path namespace, labels, fields, twice. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "blue|''     |''                                       |''  |''       |metadata.namespace=blue",
                "blue|''     |metadata.namespace==blue                 |blue|''       |''",
                "blue|''     |metadata.namespace!=red                  |blue|''       |''",
                "''  |''     |'metadata.name=a,metadata.name!=b'       |''  |''       |metadata.name==a",
                "''  |a in(b)|spec.color==x                            |''  |a==b,a=b |spec.color=x",
                "''  |''     |'metadata.name=a,metadata.name==a,,'     |''  |''       |metadata.name=a",
            })
    void shouldBeEqualForRequestsThatSeeTheSame(
            String path, String labels, String fields, String otherPath, String otherLabels, String otherFields) {
        assertThat(scope(path, labels, fields))
                .isEqualTo(scope(otherPath, otherLabels, otherFields))
                .hasSameHashCodeAs(scope(otherPath, otherLabels, otherFields));
    }

    @Test
    void shouldDifferForRequestsThatSeeSomethingElse() {
        List<WatchScope> different = List.of(
                WatchScope.ALL,
                WatchScope.NOTHING,
                scope("blue", "", ""),
                scope("red", "", ""),
                scope("", "", "metadata.name=blue"),
                scope("", "", "metadata.name!=blue"),
                scope("", "", "metadata.namespace!=blue"),
                scope("", "", "metadata.namespace="),
                scope("", "", "spec.color=blue"),
                scope("", "blue", ""),
                scope("blue", "blue", ""));

        assertThat(different).doesNotHaveDuplicates();
        assertThat(different.stream().map(WatchScope::toString)).doesNotHaveDuplicates();
    }

    /** W-165. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "blue | metadata.namespace=red",
                "blue | metadata.namespace!=blue",
                "blue | metadata.namespace=",
                "''   | 'metadata.namespace=blue,metadata.namespace=red'",
                "''   | 'metadata.namespace=blue,metadata.namespace!=blue'",
                "''   | 'metadata.name=a,metadata.name=b'",
                "''   | 'metadata.name=a,metadata.name!=a'",
                "''   | metadata.name=",
                "blue | metadata.name==",
            })
    void shouldCoverNothingWhenNameOrNamespaceContradict(String path, String fields) {
        WatchScope scope = scope(path, "app", fields);

        assertThat(scope).isEqualTo(WatchScope.NOTHING).hasToString("nothing");
        assertThat(scope.isNothing()).isTrue();
        for (String namespace : new String[] {"blue", "red", "", null}) {
            assertThat(scope.matches(namespace, "a", Labels.of("app", ""), new String[] {""}))
                    .isFalse();
        }
    }

    @Test
    void shouldMatchObjectsWithoutNamespaceByTheEmptyNamespace() {
        WatchScope scope = scope("", "", "metadata.namespace=");

        assertThat(scope.namespace()).isNull();
        assertThat(scope.matches(null, "a", Labels.EMPTY, new String[1])).isTrue();
        assertThat(scope.matches("", "a", Labels.EMPTY, new String[1])).isTrue();
        assertThat(scope.matches("blue", "a", Labels.EMPTY, new String[1])).isFalse();
    }

    @Test
    void shouldPrintOneSafeLine() {
        assertThat(scope("blue", "b,a=1", "metadata.name=x\n,spec.color!=\"\\=\""))
                .hasToString("namespace=\"blue\" name=\"x\\n\" labels=\"a=1,b\" fields=\"spec.color!=\\\"\\\\=\\\"\"");
    }

    @Test
    void shouldRefusePartsThatAreNotCanonical() {
        FieldSelector named = fields("metadata.name=a");
        FieldSelector placed = fields("metadata.namespace=a");
        FieldSelector others = fields("metadata.namespace!=a");
        LabelSelector all = LabelSelector.EVERYTHING;

        assertThatThrownBy(() -> new WatchScope(null, null, all, named)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WatchScope(null, "a", all, named)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WatchScope(null, null, all, placed)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WatchScope("b", null, all, others)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new WatchScope("", null, all, FieldSelector.EVERYTHING))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new WatchScope("b", "a", all, FieldSelector.EVERYTHING))
                .isEqualTo(scope("b", "", "metadata.name=a"));
    }

    private static WatchScope scope(String path, String labels, String fields) {
        try {
            return WatchScope.of(path, SelectorParser.parseLabels(labels), fields(fields));
        } catch (SelectorSyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static FieldSelector fields(String text) {
        try {
            return SelectorParser.parseFields(text, FIELDS);
        } catch (SelectorSyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
