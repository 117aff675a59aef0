package io.watchfan.proxy.feed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bookmarks in the API server's own form (W-100 to W-103), whichever of its two forms was seen. */
class BookmarkTemplateTest {
    /** Object of a plain bookmark, object of the one that ends the initial events; {@code #} stands for the version. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\"},"
                        + "\"spec\":{\"containers\":null},\"status\":{}}"
                        + "|{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\","
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}},"
                        + "\"spec\":{\"containers\":null},\"status\":{}}",
                "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\"}}"
                        + "|{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\","
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}",
                "{\"apiVersion\":\"e.io/v1\",\"kind\":\"Shirt\",\"metadata\":{\"resourceVersion\":\"#\"}}"
                        + "|{\"apiVersion\":\"e.io/v1\",\"kind\":\"Shirt\",\"metadata\":{"
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"},\"resourceVersion\":\"#\"}}",
            })
    void shouldMakeEitherFormOfTheOther(String plain, String marked) {
        for (String seen : new String[] {plain, marked}) {
            BookmarkTemplate template = BookmarkTemplate.like(bytes(seen.replace("#", "12746")));

            assertThat(line(template, 9, false)).isEqualTo(asLine(plain, 9));
            assertThat(line(template, Long.MAX_VALUE, false)).isEqualTo(asLine(plain, Long.MAX_VALUE));
            assertThat(line(template, 123_456_789, true)).isEqualTo(asLine(marked, 123_456_789));
        }
    }

    @Test
    void shouldKeepOtherAnnotationsInEitherForm() {
        String head = "{\"kind\":\"DaemonSet\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"resourceVersion\":\"#\","
                + "\"annotations\":{";
        String other = "\"deprecated.daemonset.template.generation\":\"0\"";
        String mark = "\"k8s.io/initial-events-end\":\"true\"";
        String tail = "}},\"spec\":{\"selector\":null}}";
        for (String seen :
                new String[] {head + other + tail, head + other + "," + mark + tail, head + mark + "," + other + tail
                }) {
            BookmarkTemplate template = BookmarkTemplate.like(bytes(seen.replace("#", "1")));

            assertThat(line(template, 20, false)).isEqualTo(asLine(head + other + tail, 20));
            assertThat(line(template, 20, true))
                    .isIn(asLine(head + other + "," + mark + tail, 20), asLine(head + mark + "," + other + tail, 20));
        }
    }

    /** Go writes the keys of a map sorted. */
    @Test
    void shouldPutTheMarkBehindAnnotationsThatSortBeforeIt() {
        String head = "{\"kind\":\"DaemonSet\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"resourceVersion\":\"#\","
                + "\"annotations\":{\"deprecated.daemonset.template.generation\":\"0\"";
        BookmarkTemplate template = BookmarkTemplate.like(bytes((head + "}}}").replace("#", "1")));

        assertThat(line(template, 20, true)).isEqualTo(asLine(head + ",\"k8s.io/initial-events-end\":\"true\"}}}", 20));
    }

    /** The order of ObjectMeta: resourceVersion, creationTimestamp, annotations (W-092), in servers up to 1.33. */
    @Test
    void shouldPutTheMarkBehindANullCreationTimestamp() {
        String head = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\","
                + "\"creationTimestamp\":null";
        BookmarkTemplate template = BookmarkTemplate.like(bytes((head + "}}").replace("#", "1")));

        assertThat(line(template, 20, true))
                .isEqualTo(asLine(head + ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}", 20));
    }

    @Test
    void shouldTakeTheMarkOutFromBetweenOtherMembers() {
        String marked = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\","
                + "\"creationTimestamp\":null,\"annotations\":{\"k8s.io/initial-events-end\":\"true\"},"
                + "\"managedFields\":[]}}";
        String plain = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"#\","
                + "\"creationTimestamp\":null,\"managedFields\":[]}}";

        assertThat(line(BookmarkTemplate.like(bytes(marked)), 2, false)).isEqualTo(asLine(plain, 2));
    }

    @Test
    void shouldSayTheLeastBeforeABookmarkHasBeenSeen() {
        BookmarkTemplate template = BookmarkTemplate.of("Pod", "v1");

        assertThat(line(template, 5, false))
                .isEqualTo("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                        + "\"metadata\":{\"resourceVersion\":\"5\"}}}\n");
        assertThat(line(template, 5, true))
                .isEqualTo("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                        + "\"metadata\":{\"resourceVersion\":\"5\","
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"kind\":\"Pod\",\"metadata\":{}}",
                "{\"kind\":\"Pod\",\"metadata\": {\"resourceVersion\":\"1\"}}",
                "{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\": \"1\"}}",
                "{\"kind\":\"Pod\",\n\"metadata\":{\"resourceVersion\":\"1\"}}"
            })
    void shouldLeaveAFormThatItDoesNotKnow(String object) {
        assertThat(BookmarkTemplate.like(bytes(object))).isNull();
    }

    private static String line(BookmarkTemplate template, long version, boolean marked) {
        return new String(template.line(version, marked), StandardCharsets.UTF_8);
    }

    private static String asLine(String object, long version) {
        return "{\"type\":\"BOOKMARK\",\"object\":" + object.replace("#", Long.toString(version)) + "}\n";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
