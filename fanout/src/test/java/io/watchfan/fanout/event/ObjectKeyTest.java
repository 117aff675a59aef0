package io.watchfan.fanout.event;

import static io.watchfan.fanout.TestObjects.key;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** The order of the API server's storage (W-141). */
class ObjectKeyTest {
    @Test
    void shouldOrderNamespacesAsPartOfThePath() {
        assertThat(key("a-b/x")).isLessThan(key("a/x"));
        assertThat(key("a/x")).isLessThan(key("ab/a"));
        assertThat(key("a/b")).isLessThan(key("a/b-c")).isLessThan(key("a/b.c"));
        assertThat(key("b")).isLessThan(key("b/a"));
    }

    @Test
    void shouldPutNothingBeforeTheStartOfANamespace() {
        assertThat(ObjectKey.startOf("a")).isLessThan(key("a/-")).isGreaterThan(key("a-b/x"));
    }

    @Test
    void shouldPutSurrogatesBehindTheRestOfTheBasicPlane() {
        assertThat(key("a/\uFFFD")).isLessThan(key("a/\uD83D\uDE00"));
        assertThat(key("a/\uD7FF")).isLessThan(key("a/\uE000")).isLessThan(key("a/\uD800\uDC00"));
    }

    @Property
    void shouldOrderAsTheUtf8BytesOfThePathAre(@ForAll("keys") ObjectKey one, @ForAll("keys") ObjectKey other) {
        int expected = Arrays.compareUnsigned(utf8(one), utf8(other));

        assertThat(Integer.signum(one.compareTo(other))).isEqualTo(Integer.signum(expected));
        assertThat(one.equals(other)).isEqualTo(expected == 0);
    }

    @Provide
    Arbitrary<ObjectKey> keys() {
        Arbitrary<String> names = Arbitraries.of(
                        "a", "b", "-", ".", "0", "é", "\uD7FF", "\uE000", "\uFFFD", "\uD83D\uDE00", "\uDBFF\uDFFF")
                .list()
                .ofMinSize(1)
                .ofMaxSize(3)
                .map(parts -> String.join("", parts));
        return names.flatMap(namespace -> names.map(name -> new ObjectKey(namespace, name)));
    }

    private static byte[] utf8(ObjectKey key) {
        return key.path().getBytes(StandardCharsets.UTF_8);
    }
}
