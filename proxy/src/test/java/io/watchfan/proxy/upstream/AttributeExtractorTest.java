package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectableFields;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken from an object: attributes, the place of its version, and its bytes as they came. */
class AttributeExtractorTest {
    private static final SelectableFields PODS = SelectableFields.forBuiltIn("", "v1", "Pod");
    private static final String POD =
            "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\",\"uid\":\"u-1\","
                    + "\"resourceVersion\":\"4711\",\"labels\":{\"tier\":\"front\",\"app\":\"web\"}},"
                    + "\"spec\":{\"nodeName\":\"n1\",\"hostNetwork\":true},"
                    + "\"status\":{\"phase\":\"Running\",\"podIPs\":[{\"ip\":\"10.0.0.1\"},{\"ip\":\"fd00::1\"}]}}";

    private final AttributeExtractor extractor = new AttributeExtractor(PODS);

    @Test
    void shouldTakeKeyUidVersionLabelsAndFields() throws Exception {
        StoredObject pod = added(POD);

        assertThat(pod.namespace()).isEqualTo("shop");
        assertThat(pod.name()).isEqualTo("web");
        assertThat(pod.uid()).isEqualTo("u-1");
        assertThat(pod.resourceVersion()).isEqualTo(4711);
        assertThat(pod.labels()).isEqualTo(Labels.of("app", "web", "tier", "front"));
        assertThat(value(pod, "spec.nodeName")).isEqualTo("n1");
        assertThat(value(pod, "spec.hostNetwork")).isEqualTo("true");
        assertThat(value(pod, "status.phase")).isEqualTo("Running");
        assertThat(value(pod, "spec.restartPolicy")).isEmpty();
    }

    @Test
    void shouldTakeTheFirstElementOnlyWhereAFieldIsThatOfTheFirst() throws Exception {
        assertThat(value(added(POD), "status.podIP")).isEqualTo("10.0.0.1");
        assertThat(value(added(POD.replace("{\"ip\":\"10.0.0.1\"},", "{},")), "status.podIP"))
                .isEmpty();
        assertThat(value(added(POD.replace("[{\"ip\":\"10.0.0.1\"},{\"ip\":\"fd00::1\"}]", "[]")), "status.podIP"))
                .isEmpty();
        assertThat(value(added(POD.replace("[{\"ip\":\"10.0.0.1\"},{\"ip\":\"fd00::1\"}]", "null")), "status.podIP"))
                .isEmpty();
    }

    @Test
    void shouldKeepTheBytesAsTheyCame() throws Exception {
        String odd = POD.replace("\"spec\":{", "\"spec\":{\"n\":1.0E+2,\"t\":\"\\u003c\\/x\\u00e9\",  \"e\":[ ],");

        assertThat(added(odd).bytes()).asString(StandardCharsets.UTF_8).isEqualTo(odd);
    }

    /** The keys of managed fields hold whole values of list elements. */
    @Test
    void shouldTakeKeysOfAnyLength() throws Exception {
        String odd = POD.replace("\"spec\":{", "\"spec\":{\"" + "k".repeat(200_000) + "\":1,");

        assertThat(added(odd).bytes()).asString(StandardCharsets.UTF_8).isEqualTo(odd);
    }

    @Test
    void shouldFindTheVersionAmongTraps() throws Exception {
        String trap = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                + "\"note\":{\"metadata\":{\"resourceVersion\":\"1\",\"name\":\"wrong\",\"namespace\":\"wrong\"}},"
                + "\"resourceVersion\":\"2\","
                + "\"metadata\":{\"name\":\"web\",\"managedFields\":[{\"resourceVersion\":\"3\",\"name\":\"wrong\"}],\"annotations\":{\"resourceVersion\":\"4\",\"last\":\"{\\\"metadata\\\":{\\\"resourceVersion\\\":\\\"5\\\"}}\\n"
                + "\",\"grün\uD83D\uDE80\":\"\\\\\"},"
                + "\"labels\":{\"resourceVersion\":\"6\"},\"ownerReferences\":[{\"uid\":\"wrong\"}],"
                + "\"namespace\":\"shop\",\"uid\":\"u\",\"resourceVersion\":\"777\"},"
                + "\"spec\":{\"template\":{\"metadata\":{\"resourceVersion\":\"8\",\"labels\":{\"x\":\"y\"}}}}}";

        StoredObject pod = added(trap);

        assertThat(pod.resourceVersion()).isEqualTo(777);
        assertThat(pod.key().path()).isEqualTo("shop/web");
        assertThat(pod.uid()).isEqualTo("u");
        assertThat(pod.labels()).isEqualTo(Labels.of("resourceVersion", "6"));
        assertThat(digits(pod)).isEqualTo("777");
        assertThat(pod.bytes()).asString(StandardCharsets.UTF_8).isEqualTo(trap);
        int metadata = trap.indexOf("{\"name\":\"web\"");
        assertThat(metadata(pod)).isEqualTo(trap.substring(metadata, trap.indexOf(",\"spec\"", metadata)));
        String spliced = splice(pod, "123456");
        assertThat(spliced).isEqualTo(trap.replace("\"777\"", "\"123456\""));
    }

    @Test
    void shouldFindTheVersionWhereverTheLineLiesInItsBuffer() throws Exception {
        for (int offset : new int[] {0, 1, 7, 5000}) {
            byte[] line = bytes("{\"type\":\"ADDED\",\"object\":" + POD + "}");
            byte[] buffer = new byte[offset + line.length + 3];
            java.util.Arrays.fill(buffer, (byte) '7');
            System.arraycopy(line, 0, buffer, offset, line.length);

            StoredObject pod = extractor.event(buffer, offset, line.length).object();

            assertThat(digits(pod)).isEqualTo("4711");
            assertThat(metadata(pod)).startsWith("{\"").endsWith("}").contains("4711");
            assertThat(pod.bytes()).asString(StandardCharsets.UTF_8).isEqualTo(POD);
        }
    }

    @Test
    void shouldReadAnEventWhoseTypeFollowsItsObject() throws Exception {
        DecodedEvent event = event("{\"object\":" + POD + ",\"other\":[1,{}],\"type\":\"DELETED\"}");

        assertThat(event.type()).isEqualTo(EventType.DELETED);
        assertThat(event.object().bytes()).asString(StandardCharsets.UTF_8).isEqualTo(POD);
        assertThat(digits(event.object())).isEqualTo("4711");
    }

    @Test
    void shouldReadAnErrorWithItsCodeReasonAndMessageWhateverTheOrder() throws Exception {
        String status = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                + "\"message\":\"too old resource version: 1 (2)\",\"reason\":\"Expired\",\"code\":410}";
        for (String line : List.of(
                "{\"type\":\"ERROR\",\"object\":" + status + "}", "{\"object\":" + status + ",\"type\":\"ERROR\"}")) {
            DecodedEvent event = event(line);

            assertThat(event.type()).isEqualTo(EventType.ERROR);
            assertThat(event.code()).isEqualTo(410);
            assertThat(event.reason()).isEqualTo("Expired");
            assertThat(event.message()).isEqualTo("too old resource version: 1 (2)");
            assertThat(event.raw()).asString(StandardCharsets.UTF_8).isEqualTo(status);
            assertThat(event.object()).isNull();
        }
    }

    @Test
    void shouldReadAnErrorThatSaysNothing() throws Exception {
        DecodedEvent event = event("{\"type\":\"ERROR\",\"object\":{\"code\":null,\"reason\":null,\"message\":{}}}");

        assertThat(event.code()).isZero();
        assertThat(event.reason()).isEmpty();
        assertThat(event.message()).isEmpty();
    }

    @Test
    void shouldTellTheBookmarkThatEndsInitialEventsFromOthers() throws Exception {
        String head = "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"resourceVersion\":\"12\"";

        assertThat(event(head + "}}}").endsInitialEvents()).isFalse();
        assertThat(event(head + ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}")
                        .endsInitialEvents())
                .isTrue();
        assertThat(event(head + ",\"annotations\":{\"a\":\"k8s.io/initial-events-end\"}}}}")
                        .endsInitialEvents())
                .isFalse();
        assertThat(event(head + ",\"annotations\":{\"k8s.io/initial-events-end\":\"false\"}}}}")
                        .endsInitialEvents())
                .isFalse();
        assertThat(event(head + "}}}").resourceVersion()).isEqualTo(12);
    }

    @Test
    void shouldRememberNothingOfTheObjectBefore() throws Exception {
        added(POD);

        StoredObject bare = added("{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"9\"}}");

        assertThat(bare.namespace()).isEmpty();
        assertThat(bare.uid()).isEmpty();
        assertThat(bare.labels()).isEqualTo(Labels.EMPTY);
        assertThat(value(bare, "spec.nodeName")).isEmpty();
        assertThat(value(bare, "spec.hostNetwork")).isEqualTo("false");
    }

    @Test
    void shouldReadFieldsOfCustomResources() throws Exception {
        SelectableFields fields = SelectableFields.forCustom(true, List.of("spec.color", "spec.size.count", "spec.on"));
        AttributeExtractor custom = new AttributeExtractor(fields);
        byte[] line = bytes("{\"type\":\"ADDED\",\"object\":{\"apiVersion\":\"e.io/v1\",\"kind\":\"Shirt\","
                + "\"metadata\":{\"name\":\"s\",\"namespace\":\"n\",\"resourceVersion\":\"3\"},"
                + "\"spec\":{\"color\":\"grün\",\"on\":false,\"size\":{\"count\":12}}}}");

        StoredObject shirt = custom.event(line, 0, line.length).object();

        assertThat(shirt.fieldValues()[fields.indexOf("spec.color")]).isEqualTo("grün");
        assertThat(shirt.fieldValues()[fields.indexOf("spec.size.count")]).isEqualTo("12");
        assertThat(shirt.fieldValues()[fields.indexOf("spec.on")]).isEqualTo("false");
    }

    @Test
    void shouldPassOverLabelsThatAreNoTexts() throws Exception {
        StoredObject pod = added("{\"metadata\":{\"name\":\"b\",\"resourceVersion\":\"9\","
                + "\"labels\":{\"a\":null,\"b\":{\"c\":\"d\"},\"e\":\"f\"}}}");

        assertThat(pod.labels()).isEqualTo(Labels.of("e", "f"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "null",
                "{",
                "{}",
                "{\"type\":\"ADDED\"}",
                "{\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}",
                "{\"type\":\"ADDED\",\"object\":null}",
                "{\"type\":\"ADDED\",\"object\":[]}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\",\"resourceVersion\":\"1\"}}}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"1\"}}}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"x1\"}}}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"0\"}}}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":7}}}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}{}",
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}\n}}",
                "{\"type\":\"GONE\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}",
                "{\"type\":null,\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}",
                "{\"type\":\"ERROR\",\"object\":7}",
                "{\"kind\":\"Status\",\"code\":410}"
            })
    void shouldRefuseWhatIsNoEvent(String line) {
        assertThatThrownBy(() -> event(line)).isInstanceOf(MalformedObjectException.class);
    }

    @Test
    void shouldRefuseAVersionWrittenWithEscapesSinceItsDigitsCannotBeReplaced() {
        assertThatThrownBy(() ->
                        added("{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\\u0032\"},\"pad\":\"xxxx\"}"))
                .isInstanceOf(MalformedObjectException.class);
    }

    private StoredObject added(String object) throws MalformedObjectException {
        return event("{\"type\":\"ADDED\",\"object\":" + object + "}").object();
    }

    private DecodedEvent event(String line) throws MalformedObjectException {
        byte[] bytes = bytes(line);
        return extractor.event(bytes, 0, bytes.length);
    }

    private static String value(StoredObject pod, String label) {
        return pod.fieldValues()[PODS.indexOf(label)];
    }

    private static String digits(StoredObject object) {
        return new String(object.bytes(), object.versionOffset(), object.versionLength(), StandardCharsets.UTF_8);
    }

    private static String metadata(StoredObject object) {
        return new String(object.bytes(), object.metadataOffset(), object.metadataLength(), StandardCharsets.UTF_8);
    }

    private static String splice(StoredObject object, String digits) {
        byte[] json = object.bytes();
        int after = object.versionOffset() + object.versionLength();
        return new String(json, 0, object.versionOffset(), StandardCharsets.UTF_8)
                + digits
                + new String(json, after, json.length - after, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
