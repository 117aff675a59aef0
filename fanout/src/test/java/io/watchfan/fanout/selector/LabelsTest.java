package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class LabelsTest {
    @Test
    void shouldFindEveryLabelAndNoOther() {
        Labels labels = Labels.of("app", "web", "env", "", "tier", "fe");

        assertThat(labels.size()).isEqualTo(3);
        assertThat(labels.get("app")).isEqualTo("web");
        assertThat(labels.get("env")).isEmpty();
        assertThat(labels.get("tier")).isEqualTo("fe");
        for (String absent : new String[] {"", "a", "apq", "b", "env ", "z"}) {
            assertThat(labels.get(absent)).as(absent).isNull();
        }
    }

    @Test
    void shouldListLabelsInOrderOfTheirKeys() {
        Labels labels = Labels.copyOf(new String[] {"b", "2", "a", "1"}, 4);

        assertThat(labels.key(0)).isEqualTo("a");
        assertThat(labels.value(1)).isEqualTo("2");
        assertThat(labels).hasToString("a=1,b=2");
    }

    @Test
    void shouldTakeTheLastValueOfARepeatedKeyWhenUnordered() {
        assertThat(Labels.copyOf(new String[] {"a", "1", "a", "2"}, 4)).isEqualTo(Labels.of("a", "2"));
    }

    @Test
    void shouldReadTheGivenLengthOnlyAndKeepNoReferenceToTheArray() {
        String[] scratch = {"a", "1", "b", "2", "of an earlier object", null};
        Labels labels = Labels.copyOf(scratch, 4);

        scratch[1] = "changed";

        assertThat(labels).isEqualTo(Labels.of("a", "1", "b", "2"));
    }

    @Test
    void shouldShareTheEmptySet() {
        assertThat(Labels.of()).isSameAs(Labels.EMPTY);
        assertThat(Labels.copyOf(Map.of())).isSameAs(Labels.EMPTY);
        assertThat(Labels.EMPTY.get("a")).isNull();
    }

    @Test
    void shouldRefusePairsThatAreNoSortedSet() {
        assertThatThrownBy(() -> Labels.of("a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Labels.of("b", "", "a", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Labels.of("a", "", "a", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Labels.of("a", null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Labels.copyOf(new String[] {"a", "b"}, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldTellSetsApart() {
        assertThat(Labels.of("a", "1"))
                .isNotEqualTo(Labels.of("a", "2"))
                .isNotEqualTo(Labels.of("b", "1"))
                .isNotEqualTo(Labels.EMPTY);
    }

    @Property
    void shouldHoldWhatTheMapHeld(
            @ForAll Map<@AlphaChars @StringLength(max = 2) String, @AlphaChars @StringLength(max = 1) String> map) {
        Labels labels = Labels.copyOf(map);

        Map<String, String> back = new HashMap<>();
        for (int i = 0; i < labels.size(); i++) {
            back.put(labels.key(i), labels.value(i));
        }
        assertThat(back).isEqualTo(map);
        map.forEach((key, value) -> assertThat(labels.get(key)).isEqualTo(value));
        assertThat(labels).isEqualTo(Labels.copyOf(new HashMap<>(map))).hasSameHashCodeAs(Labels.copyOf(back));
    }
}
