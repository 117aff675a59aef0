package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.proxy.request.MediaTypes.Choice;
import io.watchfan.proxy.request.MediaTypes.Clause;
import io.watchfan.proxy.request.MediaTypes.Decision;
import io.watchfan.proxy.request.MediaTypes.Encoding;
import io.watchfan.proxy.request.MediaTypes.Form;
import io.watchfan.proxy.request.MediaTypes.Transform;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class MediaTypesTest {
    private static final Decision JSON = new Decision(Form.JSON, null, false);
    private static final String KUBECTL = "application/json;as=Table;v=v1;g=meta.k8s.io,"
            + "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
    private static final String METADATA_CLIENT =
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                    + "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

    private static Decision decide(String accept, boolean builtIn) {
        return MediaTypes.parse(accept).decide(builtIn);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "*/*",
                "application/json",
                "application/json, */*",
                "application/json;charset=utf-8",
                "application/vnd.kubernetes.protobuf,application/json",
                "application/vnd.kubernetes.protobuf, */*",
                "application/cbor,application/json",
                "application/json;stream=watch",
                "application/json;q=0",
                "application/yaml;q=0.5,application/json",
                "application/yaml,application/json;q=0.5",
                "text/html,*/*;q=0.1",
                "application/json;as=Nonsense;g=meta.k8s.io;v=v1,application/json",
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v9,application/json",
                "application/json;as=Table;v=v1,application/json",
                "application/json;sv=v1",
                "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json",
                " application/json ; q = 1 , text/html",
            })
    void shouldAnswerInJsonWhereItMay(String accept) {
        assertThat(decide(accept, true)).isEqualTo(JSON);
        assertThat(decide(accept, false)).isEqualTo(JSON);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/*", "*", "application/xml;q=0.9, application/*"})
    void shouldTakePartialWildcardsForCustomResourcesOnly(String accept) {
        assertThat(decide(accept, false)).isEqualTo(JSON);
        assertThat(decide(accept, true)).isEqualTo(new Decision(Form.PASSTHROUGH, "not_acceptable", false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json|table",
                KUBECTL + "|table",
                "application/yaml;as=Table;v=v1;g=meta.k8s.io|table",
                "*/*;as=Table;v=v1beta1;g=meta.k8s.io|table",
                METADATA_CLIENT + "|partial_metadata",
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1|partial_metadata",
                "application/yaml|yaml",
                "application/yaml, application/vnd.kubernetes.protobuf|yaml",
                "text/html|not_acceptable",
                "application/cbor|not_acceptable",
                "Application/JSON|not_acceptable",
                "application|not_acceptable",
                "application/json/x|not_acceptable",
                "application/json;as=Nonsense|not_acceptable",
                "application/json;stream=other|not_acceptable",
                "application/yaml;stream=watch|not_acceptable",
                "application/json;sv=v2|not_acceptable",
                "','|not_acceptable",
            })
    void shouldPassOnWhatItCannotAnswer(String accept, String reason) {
        assertThat(decide(accept.replace("'", ""), true)).isEqualTo(new Decision(Form.PASSTHROUGH, reason, false));
        assertThat(decide(accept.replace("'", ""), false)).isEqualTo(new Decision(Form.PASSTHROUGH, reason, false));
    }

    @Test
    void shouldKnowThatCustomResourcesHaveNoProtobuf() {
        String protobuf = "application/vnd.kubernetes.protobuf";

        assertThat(decide(protobuf, true).reason()).isEqualTo("protobuf_only");
        assertThat(decide(protobuf, false).reason()).isEqualTo("not_acceptable");
        assertThat(decide(protobuf + ",application/json;as=Table;v=v1;g=meta.k8s.io,application/json", false)
                        .reason())
                .isEqualTo("table");
    }

    @Test
    void shouldBePrettyWhenTheClauseThatWinsSaysSo() {
        assertThat(decide("application/json;pretty=1", true).pretty()).isTrue();
        assertThat(decide("application/json;pretty=true", true).pretty()).isFalse();
        assertThat(decide("application/json,*/*;pretty=1", true).pretty()).isFalse();
        assertThat(decide("application/vnd.kubernetes.protobuf,application/json;pretty=1", true)
                        .pretty())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a/a;q=0.1,b/b;q=0.9,c/c;q=0.5|b/b c/c a/a",
                "a/a,b/b,c/c|a/a b/b c/c",
                "a/a;q=0.2,*/*|*/* a/a",
                "*/*,a/a;q=0.2|a/a */*",
                "*/a,b/b;q=0.1|b/b */a",
                "a/*,a/b;q=0.1,*/*;q=0.5|a/b a/* */*",
                "a/a;q= 0.9,b/b;q=0.1|b/b a/a",
                "a/a;q=x,b/b;q=-1,c/c;q=.5,d/d;q=1e-1|c/c d/d a/a b/b",
                "a/a;q=1,b/b;q=2,c/c;q=inf|c/c b/b a/a",
            })
    void shouldSortAsGoDoes(String accept, String order) {
        assertThat(MediaTypes.parse(accept).clauses())
                .extracting(clause -> clause.type() + "/" + clause.subtype())
                .containsExactly(order.split(" ", -1));
    }

    @Test
    void shouldKeepAllThatAClauseSays() {
        assertThat(MediaTypes.parse("application/json ; as=Table;g = meta.k8s.io ;q=0.5;x=;y;a=b=c;as=T;z=w=")
                        .clauses())
                .containsExactly(
                        new Clause("application", "json", 0.5, Map.of("as", "T", "g", "meta.k8s.io", "z", "w")));
    }

    @Test
    void shouldTellWhatTheApiServerWouldChoose() {
        assertThat(MediaTypes.parse(METADATA_CLIENT).choose(false))
                .contains(new Choice(Encoding.PROTOBUF, Transform.PARTIAL_METADATA, "v1", false));
        assertThat(MediaTypes.parse("application/vnd.kubernetes.protobuf,application/json")
                        .choose(true))
                .contains(new Choice(Encoding.PROTOBUF, Transform.NONE, null, false));
        assertThat(MediaTypes.parse("application/vnd.kubernetes.protobuf,application/json")
                        .choose(false))
                .contains(new Choice(Encoding.JSON, Transform.NONE, null, false));
        assertThat(MediaTypes.parse("text/html").choose(true)).isEmpty();
        assertThat(MediaTypes.parse(null).choose(true))
                .contains(new Choice(Encoding.JSON, Transform.NONE, null, false));
    }

    @Test
    void shouldPassOnMoreClausesThanGoSortsByInsertion() {
        String most = "text/html,".repeat(MediaTypes.MAX_CLAUSES - 1) + "application/json";

        assertThat(decide(most, true)).isEqualTo(JSON);
        assertThat(decide(most + ",text/html", true)).isEqualTo(new Decision(Form.PASSTHROUGH, "many_clauses", false));
    }
}
