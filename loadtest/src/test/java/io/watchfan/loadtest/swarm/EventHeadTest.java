package io.watchfan.loadtest.swarm;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EventHeadTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final EventHead head = new EventHead();

    private boolean parse(String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return head.parse(bytes, 0, bytes.length);
    }

    @Test
    void shouldReadAnEventOfABuiltInType() {
        boolean read = parse("{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
                + "\"name\":\"a\",\"resourceVersion\":\"123\",\"labels\":{\"resourceVersion\":\"9\"},\"annotations\":{"
                + "\"x\":\"{\\\"resourceVersion\\\":\\\"8\\\"}\",\"loadtest.watchfan.io/planned-nanos\":\"-77\"},"
                + "\"managedFields\":[{\"resourceVersion\":\"7\"}]},\"spec\":{}}}");

        assertThat(read).isTrue();
        assertThat(head.type()).isEqualTo(EventHead.Type.MODIFIED);
        assertThat(head.resourceVersion()).isEqualTo(123);
        assertThat(head.isPlanned()).isTrue();
        assertThat(head.plannedNanos()).isEqualTo(-77);
    }

    @Test
    void shouldReadAnEventOfACustomResource() {
        boolean read = parse("{\"type\":\"DELETED\",\"object\":{\"apiVersion\":\"g/v1\",\"kind\":\"W\",\"metadata\":{"
                + "\"annotations\":{\"resourceVersion\":\"6\"},\"name\":\"a\",\"resourceVersion\":\"124\"}}}");

        assertThat(read).isTrue();
        assertThat(head.type()).isEqualTo(EventHead.Type.DELETED);
        assertThat(head.resourceVersion()).isEqualTo(124);
        assertThat(head.isPlanned()).isFalse();
    }

    @Test
    void shouldTellObjectsApartByNamespaceAndName() {
        parse(
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\",\"resourceVersion\":\"1\"}}}");
        long key = head.objectKey();
        parse(
                "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"resourceVersion\":\"2\",\"namespace\":\"b\",\"name\":\"a\"}}}");
        long same = head.objectKey();
        parse(
                "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"b\",\"namespace\":\"a\",\"resourceVersion\":\"1\"}}}");
        long swapped = head.objectKey();
        parse("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}}");
        long clusterScoped = head.objectKey();

        assertThat(same).isEqualTo(key);
        assertThat(swapped).isNotEqualTo(key);
        assertThat(clusterScoped).isNotEqualTo(key).isNotEqualTo(swapped);
    }

    @Test
    void shouldReadBookmarks() {
        boolean plain = parse("{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
                + "\"resourceVersion\":\"5\",\"creationTimestamp\":null},\"spec\":{\"containers\":null}}}");
        boolean plainEnd = head.isInitialEventsEnd();
        boolean annotated = parse("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"6\","
                + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}");

        assertThat(plain && annotated).isTrue();
        assertThat(plainEnd).isFalse();
        assertThat(head.isInitialEventsEnd()).isTrue();
        assertThat(head.resourceVersion()).isEqualTo(6);
    }

    @Test
    void shouldReadTheCodeOfAnError() {
        boolean read =
                parse("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                        + "\"status\":\"Failure\",\"message\":\"too old\",\"reason\":\"Expired\",\"code\":410}}");

        assertThat(read).isTrue();
        assertThat(head.type()).isEqualTo(EventHead.Type.ERROR);
        assertThat(head.code()).isEqualTo(410);
    }

    @Test
    void shouldRefuseWhatIsNoEventAndNeverReadPastTheEnd() {
        String line = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\\\\\",\"resourceVersion\":\"5\","
                + "\"annotations\":{\"loadtest.watchfan.io/planned-nanos\":\"1\"}}}}";
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        int enough = line.indexOf(":\"1\"") + 5;

        for (int to = 0; to < enough; to++) {
            byte[] exact = Arrays.copyOf(bytes, to);
            assertThat(head.parse(exact, 0, to)).as("cut at %d", to).isFalse();
            // What lies behind the end is not part of the line.
            assertThat(head.parse(bytes, 0, to)).as("cut at %d", to).isFalse();
        }
        assertThat(head.parse(bytes, 0, bytes.length)).isTrue();
        assertThat(parse("")).isFalse();
        assertThat(parse("null")).isFalse();
        assertThat(parse("{\"type\":\"NEW\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\"}}}"))
                .isFalse();
        assertThat(parse("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}"))
                .isFalse();
        assertThat(parse("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":\"five\"}}}"))
                .isFalse();
    }

    /** A naive reader as the reference, on random trees with keys in any order and any content. */
    @Test
    void shouldAgreeWithAParserOnAnyLayout() throws JsonProcessingException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            JsonNode event = randomEvent(random);
            String line = MAPPER.writeValueAsString(event);

            assertThat(parse(line)).as("seed %d: %s", seed, line).isTrue();
            assertThat(head.type().name()).isEqualTo(event.path("type").asText());
            JsonNode metadata = event.path("object").path("metadata");
            assertThat(head.resourceVersion())
                    .as("seed %d: %s", seed, line)
                    .isEqualTo(metadata.path("resourceVersion").asLong());
            JsonNode planned = metadata.path("annotations").path("loadtest.watchfan.io/planned-nanos");
            assertThat(head.isPlanned()).as("seed %d: %s", seed, line).isEqualTo(!planned.isMissingNode());
            if (head.isPlanned()) {
                assertThat(head.plannedNanos()).isEqualTo(planned.asLong());
            }
        }
    }

    private static ObjectNode randomEvent(Random random) {
        ObjectNode annotations = junk(random, 2);
        if (random.nextBoolean()) {
            annotations.put("loadtest.watchfan.io/planned-nanos", Long.toString(random.nextLong() / 2));
        }
        ObjectNode metadata = junk(random, 2);
        metadata.put("resourceVersion", Integer.toString(random.nextInt(1 << 30)));
        if (annotations.size() > 0) {
            metadata.set("annotations", shuffled(annotations, random));
        }
        ObjectNode object = junk(random, 2);
        object.set("metadata", shuffled(metadata, random));
        ObjectNode event = MAPPER.createObjectNode();
        event.put("type", List.of("ADDED", "MODIFIED", "DELETED").get(random.nextInt(3)));
        event.set("object", shuffled(object, random));
        return shuffled(event, random);
    }

    private static ObjectNode junk(Random random, int depth) {
        List<String> strings = List.of("", "plain", "quote\" back\\slash", "{[,:]}", "ünï\n\t", "\\", "\"\\\"");
        ObjectNode node = MAPPER.createObjectNode();
        for (int i = random.nextInt(4); i > 0; i--) {
            String key = strings.get(random.nextInt(strings.size())) + i;
            switch (random.nextInt(depth > 0 ? 6 : 4)) {
                case 0 -> node.put(key, strings.get(random.nextInt(strings.size())));
                case 1 -> node.put(key, random.nextDouble() * 1e10);
                case 2 -> node.put(key, random.nextBoolean());
                case 3 -> node.putNull(key);
                case 4 -> node.set(key, junk(random, depth - 1).put("resourceVersion", "1"));
                default ->
                    node.putArray(key).add(junk(random, depth - 1)).add("]").add(3);
            }
        }
        return node;
    }

    private static ObjectNode shuffled(ObjectNode node, Random random) {
        List<String> keys = new ArrayList<>();
        node.fieldNames().forEachRemaining(keys::add);
        Collections.shuffle(keys, random);
        ObjectNode result = MAPPER.createObjectNode();
        keys.forEach(key -> result.set(key, node.get(key)));
        return result;
    }
}
