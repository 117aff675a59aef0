package io.watchfan.proxy.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.proxy.request.MediaTypes.Choice;
import io.watchfan.proxy.request.MediaTypes.Clause;
import io.watchfan.proxy.request.MediaTypes.Decision;
import io.watchfan.proxy.request.MediaTypes.Encoding;
import io.watchfan.proxy.request.MediaTypes.ErrorForm;
import io.watchfan.proxy.request.MediaTypes.Transform;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class MediaTypesTest {
    private static final Choice JSON = new Choice(Encoding.JSON, Transform.NONE, null, false);
    private static final Choice PROTOBUF = new Choice(Encoding.PROTOBUF, Transform.NONE, null, false);
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
        assertThat(decide(accept, true)).isEqualTo(new Decision(JSON, null));
        assertThat(decide(accept, false)).isEqualTo(new Decision(JSON, null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/vnd.kubernetes.protobuf,application/json",
                "application/vnd.kubernetes.protobuf, */*",
                "application/json;q=0.9,application/vnd.kubernetes.protobuf;stream=watch",
            })
    void shouldAnswerInProtobufWhereThatIsLikedBest(String accept) {
        assertThat(decide(accept, true)).isEqualTo(new Decision(PROTOBUF, null));
        assertThat(decide(accept, false).choice().encoding()).isEqualTo(Encoding.JSON);
        assertThat(MediaTypes.parse(accept).decideWithoutProtobuf(true).choice().encoding())
                .isEqualTo(Encoding.JSON);
    }

    @Test
    void shouldAnswerWithMetadataInWhatIsLikedBest() {
        for (boolean builtIn : new boolean[] {true, false}) {
            assertThat(decide(METADATA_CLIENT, builtIn))
                    .isEqualTo(
                            new Decision(new Choice(Encoding.PROTOBUF, Transform.PARTIAL_METADATA, "v1", false), null));
            assertThat(decide("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1", builtIn))
                    .isEqualTo(new Decision(
                            new Choice(Encoding.JSON, Transform.PARTIAL_METADATA_LIST, "v1beta1", false), null));
        }
        assertThat(MediaTypes.parse(METADATA_CLIENT).decideWithoutProtobuf(true).choice())
                .isEqualTo(new Choice(Encoding.JSON, Transform.PARTIAL_METADATA, "v1", false));
    }

    @Test
    void shouldKnowThatMetadataHasAnotherNameInLists() {
        Choice one = new Choice(Encoding.JSON, Transform.PARTIAL_METADATA, "v1", false);
        Choice list = new Choice(Encoding.JSON, Transform.PARTIAL_METADATA_LIST, "v1", false);

        assertThat(one.suits(false)).isTrue();
        assertThat(one.suits(true)).isFalse();
        assertThat(list.suits(true)).isTrue();
        assertThat(list.suits(false)).isFalse();
        assertThat(JSON.suits(true)).isTrue();
        assertThat(JSON.suits(false)).isTrue();
    }

    /** W-117, as seen of kube-apiserver 1.37. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "null",
            value = {
                "null|JSON",
                "*/*|JSON",
                "application/vnd.kubernetes.protobuf,application/json|PROTOBUF",
                METADATA_CLIENT + "|JSON",
                KUBECTL + "|JSON",
                "application/json;as=Table;v=v1;g=meta.k8s.io|INDENTED_JSON",
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1|INDENTED_JSON",
                "application/vnd.kubernetes.protobuf;pretty=1|PROTOBUF",
                "application/json;pretty=1|INDENTED_JSON",
                "text/html|INDENTED_JSON",
            })
    void shouldTellWhatErrorsAreWrittenIn(String accept, ErrorForm form) {
        assertThat(MediaTypes.parse(accept).errorForm()).isEqualTo(form);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/*", "*", "application/xml;q=0.9, application/*"})
    void shouldTakePartialWildcardsForCustomResourcesOnly(String accept) {
        assertThat(decide(accept, false)).isEqualTo(new Decision(JSON, null));
        assertThat(decide(accept, true)).isEqualTo(new Decision(null, "not_acceptable"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/json;as=Table;v=v1;g=meta.k8s.io,application/json|table",
                KUBECTL + "|table",
                "application/yaml;as=Table;v=v1;g=meta.k8s.io|table",
                "*/*;as=Table;v=v1beta1;g=meta.k8s.io|table",
                "application/yaml;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1|partial_metadata",
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
        assertThat(decide(accept.replace("'", ""), true)).isEqualTo(new Decision(null, reason));
        assertThat(decide(accept.replace("'", ""), false)).isEqualTo(new Decision(null, reason));
    }

    @Test
    void shouldKnowThatCustomResourcesHaveNoProtobuf() {
        String protobuf = "application/vnd.kubernetes.protobuf";

        assertThat(decide(protobuf, true).choice()).isEqualTo(PROTOBUF);
        assertThat(decide(protobuf, false).reason()).isEqualTo("not_acceptable");
        assertThat(decide(protobuf + ",application/json;as=Table;v=v1;g=meta.k8s.io,application/json", false)
                        .reason())
                .isEqualTo("table");
    }

    @Test
    void shouldBePrettyWhenTheClauseThatWinsSaysSo() {
        assertThat(decide("application/json;pretty=1", true).choice().pretty()).isTrue();
        assertThat(decide("application/json;pretty=true", true).choice().pretty())
                .isFalse();
        assertThat(decide("application/json,*/*;pretty=1", true).choice().pretty())
                .isFalse();
        assertThat(decide("application/vnd.kubernetes.protobuf,application/json;pretty=1", false)
                        .choice()
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

        assertThat(decide(most, true)).isEqualTo(new Decision(JSON, null));
        assertThat(decide(most + ",text/html", true)).isEqualTo(new Decision(null, "many_clauses"));
    }
}
