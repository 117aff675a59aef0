package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.SelectableFields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of built-in and custom resources (W-235 to W-238). */
class ListDecoderTest {
    private final List<StoredObject> items = new ArrayList<>();

    @Test
    void shouldGiveItemsOfBuiltInTypesTheirKind() throws Exception {
        ListHead head = pods(
                "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"50\"},\"items\":[{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":\"7\"},\"spec\":{}},{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"41\"}}]}\n");

        assertThat(head).isEqualTo(new ListHead("PodList", "v1", 50, "", true, false));
        assertThat(items).hasSize(2);
        assertThat(items.get(0).bytes())
                .asString()
                .isEqualTo("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\",\"namespace\":\"n\","
                        + "\"resourceVersion\":\"7\"},\"spec\":{}}");
        assertThat(items).extracting(ListDecoderTest::digits).containsExactly("7", "41");
        assertThat(items)
                .extracting(ListDecoderTest::metadata)
                .containsExactly(
                        "{\"name\":\"a\",\"namespace\":\"n\",\"resourceVersion\":\"7\"}",
                        "{\"name\":\"b\",\"resourceVersion\":\"41\"}");
        assertThat(items).extracting(StoredObject::resourceVersion).containsExactly(7L, 41L);
    }

    @Test
    void shouldLeaveItemsThatCarryTheirKindAsTheyAre() throws Exception {
        String item = "{\"apiVersion\":\"e.io/v1\",\"kind\":\"Shirt\",\"metadata\":{\"name\":\"a\",\"namespace\":\"n\","
                + "\"resourceVersion\":\"7\"},\"spec\":{\"t\":\"é\"}}";
        ListHead head = decoder("Shirt", "e.io/v1")
                .decode(
                        bytes(
                                "{\"apiVersion\":\"e.io/v1\",\"items\":[" + item
                                        + "],\"kind\":\"ShirtList\",\"metadata\":{\"continue\":\"\",\"resourceVersion\":\"9\"}}\n"),
                        items);

        assertThat(head).isEqualTo(new ListHead("ShirtList", "e.io/v1", 9, "", false, true));
        assertThat(items).singleElement().satisfies(object -> {
            assertThat(object.bytes()).asString(StandardCharsets.UTF_8).isEqualTo(item);
            assertThat(digits(object)).isEqualTo("7");
        });
    }

    @Test
    void shouldTellWhereTheNextPageBegins() throws Exception {
        ListHead head = pods("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"50\","
                + "\"continue\":\"abc_-\",\"remainingItemCount\":3,\"shardInfo\":{\"continue\":\"x\"}},\"items\":[]}");

        assertThat(head.continueToken()).isEqualTo("abc_-");
        assertThat(head.resourceVersion()).isEqualTo(50);
        assertThat(head.itemsCarryKind()).isNull();
    }

    @Test
    void shouldTakeNullItemsForNone() throws Exception {
        ListHead head = pods("{\"kind\":\"PodList\",\"apiVersion\":\"v1\","
                + "\"metadata\":{\"resourceVersion\":\"50\"},\"items\":null}");

        assertThat(items).isEmpty();
        assertThat(head.itemsCarryKind()).isNull();
        assertThat(head.resourceVersion()).isEqualTo(50);
    }

    @Test
    void shouldTellThatAListHasNoVersion() throws Exception {
        assertThat(pods("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[]}")
                        .resourceVersion())
                .isZero();
    }

    @Test
    void shouldAddPageToPage() throws Exception {
        ListDecoder decoder = decoder("Pod", "v1");
        for (String name : List.of("a", "b")) {
            decoder.decode(
                    bytes("{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"" + name
                            + "\",\"resourceVersion\":\"1\"}}],\"metadata\":{}}"),
                    items);
        }

        assertThat(items).extracting(StoredObject::name).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"kind\":\"PodList\"}",
                "{\"items\":[]}",
                "{\"kind\":\"Status\",\"code\":500}",
                "{\"kind\":\"PodList\",\"items\":[",
                "{\"kind\":\"PodList\",\"items\":[]",
                "{\"kind\":\"PodList\",\"items\":[null]}",
                "{\"kind\":\"PodList\",\"items\":[{}]}",
                "{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"a\"}}]}",
                "<html>"
            })
    void shouldRefuseWhatIsNoList(String body) {
        assertThatThrownBy(() -> pods(body)).isInstanceOf(MalformedObjectException.class);
    }

    private ListHead pods(String body) throws MalformedObjectException {
        return decoder("Pod", "v1").decode(bytes(body), items);
    }

    private static ListDecoder decoder(String kind, String apiVersion) {
        return new ListDecoder(new AttributeExtractor(SelectableFields.forCustom(true, List.of())), kind, apiVersion);
    }

    private static String digits(StoredObject object) {
        return new String(object.bytes(), object.versionOffset(), object.versionLength(), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String metadata(StoredObject object) {
        return new String(object.bytes(), object.metadataOffset(), object.metadataLength(), StandardCharsets.UTF_8);
    }
}
