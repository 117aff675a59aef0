package io.watchfan.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchfan.fanout.event.StoredObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The objects of the benchmarks are what they say. */
class FixturesTest {
    @ParameterizedTest
    @CsvSource({"SMALL,1,900,1200", "SMALL,50,2400,2900", "LARGE,1,11500,13000", "LARGE,50,13000,15000"})
    void shouldWriteThePodThatItsAttributesTellOf(Fixtures.Size size, int labels, int least, int most)
            throws IOException {
        StoredObject pod = Fixtures.pod(1234, size, labels, 987654321);

        JsonNode json = new ObjectMapper().readTree(pod.bytes());
        assertThat(json.at("/metadata/name").asText()).isEqualTo(pod.name());
        assertThat(json.at("/metadata/labels").size())
                .isEqualTo(labels)
                .isEqualTo(pod.labels().size());
        assertThat(json.at("/spec/nodeName").asText())
                .isEqualTo(pod.fieldValues()[Fixtures.POD_FIELDS.indexOf("spec.nodeName")]);
        assertThat(new String(pod.bytes(), pod.versionOffset(), pod.versionLength(), StandardCharsets.UTF_8))
                .isEqualTo("987654321");
        assertThat(pod.bytes().length).isBetween(least, most);
    }
}
