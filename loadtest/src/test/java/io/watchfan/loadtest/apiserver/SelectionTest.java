package io.watchfan.loadtest.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectionTest {
    private static final StoredObject POD = new StoredObject(
            "a/x", "a", "x", Map.of("app", "web", "tier", ""), Map.of("spec.nodeName", "n1"), 1, new byte[0]);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|true",
                "app=web|true",
                "app==web|true",
                "app = web , tier|true",
                "app!=web|false",
                "other!=web|true",
                "app in (api, web)|true",
                "app notin (api,web)|false",
                "other notin (api,web)|true",
                "app,!other|true",
                "!app|false",
                "tier=|true",
                "app=web,app=api|false",
            })
    void shouldSelectByLabels(String selector, boolean selected) {
        assertThat(Selection.parse(ResourceType.PODS, "", selector, "").matches(POD))
                .isEqualTo(selected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec.nodeName=n1|true",
                "spec.host=n1|true",
                "spec.nodeName!=n1|false",
                "status.phase=|true",
                "metadata.name!=y,spec.nodeName==n1|true",
            })
    void shouldSelectByFields(String selector, boolean selected) {
        assertThat(Selection.parse(ResourceType.PODS, "", "", selector).matches(POD))
                .isEqualTo(selected);
    }

    @Test
    void shouldSelectByNamespace() {
        assertThat(Selection.parse(ResourceType.PODS, "a", "", "").matches(POD)).isTrue();
        assertThat(Selection.parse(ResourceType.PODS, "b", "", "").matches(POD)).isFalse();
    }

    @Test
    void shouldRefuseFieldsThatAreNotSelectable() {
        assertThatThrownBy(() -> Selection.parse(ResourceType.PODS, "", "", "spec.x=1"))
                .isInstanceOf(ApiException.class)
                .hasMessage("field label not supported: spec.x");
        assertThatThrownBy(() -> Selection.parse(ResourceType.CONFIG_MAPS, "", "", "data.x=1"))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith("\"data.x\" is not a known field selector");
    }

    @Test
    void shouldRoundTripContinueTokens() {
        ContinueToken token = new ContinueToken(1234, "a/x");

        assertThat(token.encode()).doesNotContain("=");
        assertThat(ContinueToken.decode(token.encode())).isEqualTo(token);
        assertThatThrownBy(() -> ContinueToken.decode("?"))
                .isInstanceOf(ApiException.class)
                .hasMessageStartingWith("invalid continue token");
    }
}
