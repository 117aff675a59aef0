package io.watchfan.fanout.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The tables of W-170 to W-186. */
class SelectableFieldsTest {
    private static final String PLAIN_MESSAGE =
            "\"L\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    private static final String USUAL_MESSAGE = "field label not supported: L";

    static Stream<Arguments> kinds() {
        String ofReference = "R.kind R.namespace R.name R.uid R.apiVersion R.resourceVersion R.fieldPath ";
        return Stream.of(
                arguments("apps/v1/Deployment", "metadata.name metadata.namespace", PLAIN_MESSAGE),
                arguments("apps/v1/ReplicaSet", "metadata.name metadata.namespace", PLAIN_MESSAGE),
                arguments("/v1/ConfigMap", "metadata.name metadata.namespace", PLAIN_MESSAGE),
                arguments("networking.k8s.io/v1/Ingress", "metadata.name metadata.namespace", PLAIN_MESSAGE),
                arguments("batch/v1/CronJob", "metadata.name metadata.namespace", PLAIN_MESSAGE),
                arguments(
                        "rbac.authorization.k8s.io/v1/ClusterRole", "metadata.name metadata.namespace", PLAIN_MESSAGE),
                arguments(
                        "/v1/Pod",
                        "metadata.name metadata.namespace spec.nodeName spec.restartPolicy spec.schedulerName "
                                + "spec.serviceAccountName spec.hostNetwork status.phase status.podIP status.podIPs "
                                + "status.nominatedNodeName",
                        USUAL_MESSAGE),
                arguments("/v1/Node", "metadata.name spec.unschedulable", USUAL_MESSAGE),
                arguments(
                        "/v1/ReplicationController", "metadata.name metadata.namespace status.replicas", USUAL_MESSAGE),
                arguments(
                        "/v1/Event",
                        ofReference.replace("R", "involvedObject")
                                + "metadata.name metadata.namespace reason reportingComponent source type",
                        USUAL_MESSAGE),
                arguments(
                        "events.k8s.io/v1/Event",
                        ofReference.replace("R", "regarding")
                                + "metadata.name metadata.namespace reason reportingController type",
                        USUAL_MESSAGE),
                arguments("/v1/Namespace", "metadata.name status.phase", USUAL_MESSAGE),
                arguments("/v1/Secret", "metadata.name metadata.namespace type", USUAL_MESSAGE),
                arguments("/v1/Service", "metadata.name metadata.namespace spec.clusterIP spec.type", USUAL_MESSAGE),
                arguments(
                        "batch/v1/Job",
                        "metadata.name metadata.namespace status.successful",
                        "field label \"L\" not supported for Job"),
                arguments(
                        "certificates.k8s.io/v1/CertificateSigningRequest",
                        "metadata.name spec.signerName",
                        USUAL_MESSAGE),
                arguments(
                        "certificates.k8s.io/v1beta1/ClusterTrustBundle",
                        "metadata.name spec.signerName",
                        USUAL_MESSAGE),
                arguments(
                        "certificates.k8s.io/v1/PodCertificateRequest",
                        "metadata.name spec.nodeName spec.podName spec.signerName",
                        USUAL_MESSAGE),
                arguments(
                        "resource.k8s.io/v1beta2/ResourceSlice",
                        "metadata.name spec.driver spec.nodeName spec.pool.name",
                        "field label not supported for resource.k8s.io/v1beta2, Kind=ResourceSlice: L"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void shouldKnowTheLabelsOfAKindAndRefuseOthers(String kind, String labels, String message) {
        SelectableFields fields = builtIn(kind);

        List<String> known = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            known.add(fields.label(i));
            assertThat(fields.indexOf(fields.label(i))).isEqualTo(i);
        }
        assertThat(new TreeSet<>(known)).containsExactlyElementsOf(new TreeSet<>(Arrays.asList(labels.split(" "))));
        assertThat(known).doesNotHaveDuplicates();
        assertThat(fields.unsupportedMessage("L")).isEqualTo(message);
        for (String other : new String[] {"", "L", "metadata.uid", "spec", "metadata.labels.app", ".metadata.name"}) {
            assertThat(fields.indexOf(other)).as(other).isEqualTo(-1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void shouldPutTheLabelsOfTheKeyAfterThoseWithValues(String kind, String labels, String message) {
        SelectableFields fields = builtIn(kind);

        for (int i = 0; i < fields.size(); i++) {
            assertThat(fields.label(i).startsWith("metadata.name")).isEqualTo(i >= fields.valueCount());
        }
        assertThat(fields.finish(new String[fields.paths().size()])).hasSize(fields.valueCount());
        assertThat(fields.paths()).doesNotHaveDuplicates();
    }

    @Test
    void shouldQuoteLabelsWhereTheApiServerDoes() {
        assertThat(builtIn("apps/v1/Deployment").unsupportedMessage("a\"\n")).startsWith("\"a\\\"\\n\" is not");
        assertThat(builtIn("batch/v1/Job").unsupportedMessage("a\"")).startsWith("field label \"a\\\"\" not");
        assertThat(builtIn("/v1/Pod").unsupportedMessage("a\"")).endsWith(": a\"");
    }

    @Test
    void shouldShareOneEmptyArrayAmongObjectsWithoutValues() {
        SelectableFields fields = builtIn("apps/v1/Deployment");

        assertThat(fields.valueCount()).isZero();
        assertThat(fields.paths()).isEmpty();
        assertThat(fields.finish(new String[0])).hasSize(0).isSameAs(fields.finish(new String[0]));
    }

    /** W-171, W-184. */
    @Test
    void shouldReadTheFieldsOfPods() {
        SelectableFields pods = builtIn("/v1/Pod");

        String[] values = read(
                pods,
                Map.of(
                        "spec.nodeName", "n1",
                        "spec.restartPolicy", "Always",
                        "spec.hostNetwork", "true",
                        "status.phase", "Running",
                        "status.podIPs.[0].ip", "10.0.0.1"));

        assertThat(valueOf(pods, values, "spec.nodeName")).isEqualTo("n1");
        assertThat(valueOf(pods, values, "spec.host")).isEqualTo("n1");
        assertThat(valueOf(pods, values, "spec.restartPolicy")).isEqualTo("Always");
        assertThat(valueOf(pods, values, "spec.hostNetwork")).isEqualTo("true");
        assertThat(valueOf(pods, values, "status.phase")).isEqualTo("Running");
        assertThat(valueOf(pods, values, "status.podIP")).isEqualTo("10.0.0.1");
        assertThat(valueOf(pods, values, "status.podIPs")).isEmpty();
        assertThat(valueOf(pods, values, "status.nominatedNodeName")).isEmpty();
        assertThat(pods.label(pods.indexOf("spec.host"))).isEqualTo("spec.nodeName");
    }

    /** W-184, W-185. */
    @ParameterizedTest
    @CsvSource({
        "/v1/Pod, spec.hostNetwork, false",
        "/v1/Pod, spec.nodeName, ''",
        "/v1/Pod, status.podIP, ''",
        "/v1/Node, spec.unschedulable, false",
        "/v1/ReplicationController, status.replicas, 0",
        "batch/v1/Job, status.successful, 0",
        "/v1/Event, source, ''",
        "resource.k8s.io/v1/ResourceSlice, spec.nodeName, ''",
    })
    void shouldHaveADefaultForWhatIsAbsent(String kind, String label, String value) {
        SelectableFields fields = builtIn(kind);

        assertThat(valueOf(fields, read(fields, Map.of()), label)).isEqualTo(value);
    }

    /** W-185. */
    @ParameterizedTest
    @CsvSource({
        "/v1/Node, spec.unschedulable, true, spec.unschedulable",
        "/v1/ReplicationController, status.replicas, 3, status.replicas",
        "batch/v1/Job, status.succeeded, 3, status.successful",
        "/v1/Event, source.component, kubelet, source",
        "/v1/Event, reportingComponent, kubelet, source",
        "/v1/Event, reportingComponent, kubelet, reportingComponent",
        "/v1/Event, involvedObject.fieldPath, spec, involvedObject.fieldPath",
        "events.k8s.io/v1/Event, regarding.uid, u, regarding.uid",
        "events.k8s.io/v1/Event, reportingController, kubelet, reportingController",
        "/v1/Secret, type, Opaque, type",
        "/v1/Service, spec.clusterIP, None, spec.clusterIP",
        "/v1/Namespace, status.phase, Active, status.phase",
        "resource.k8s.io/v1/ResourceSlice, spec.pool.name, p, spec.pool.name",
    })
    void shouldReadAValueFromItsPath(String kind, String path, String value, String label) {
        SelectableFields fields = builtIn(kind);

        assertThat(valueOf(fields, read(fields, Map.of(path, value)), label)).isEqualTo(value);
    }

    @Test
    void shouldPreferTheComponentOfAnEventsSource() {
        SelectableFields events = builtIn("/v1/Event");
        String[] values = read(events, Map.of("source.component", "kubelet", "reportingComponent", "controller"));

        assertThat(valueOf(events, values, "source")).isEqualTo("kubelet");
        assertThat(valueOf(events, values, "reportingComponent")).isEqualTo("controller");

        String[] emptied = read(events, Map.of("source.component", "", "reportingComponent", "controller"));

        assertThat(valueOf(events, emptied, "source")).isEqualTo("controller");
    }

    /** W-183, W-186. */
    @Test
    void shouldKnowWhatADefinitionMakesSelectable() {
        SelectableFields fields = SelectableFields.forCustom(true, List.of("spec.color", "spec.deep.er", "spec.color"));

        assertThat(fields).hasToString("[spec.color, spec.deep.er, metadata.name, metadata.namespace]");
        assertThat(fields.paths()).containsExactly(List.of("spec", "color"), List.of("spec", "deep", "er"));
        assertThat(fields.finish(new String[] {null, "10"})).containsExactly("", "10");
        assertThat(fields.unsupportedMessage(".spec.color")).isEqualTo("field label not supported: .spec.color");
        assertThat(fields.indexOf(".spec.color")).isEqualTo(-1);
    }

    @Test
    void shouldKnowNoNamespaceOfClusterScopedCustomResources() {
        SelectableFields fields = SelectableFields.forCustom(false, List.of());

        assertThat(fields.indexOf("metadata.name")).isZero();
        assertThat(fields.indexOf("metadata.namespace")).isEqualTo(-1);
        assertThat(fields.unsupportedMessage("metadata.namespace"))
                .isEqualTo("field label not supported: metadata.namespace");
    }

    @Test
    void shouldRefusePathsThatNoDefinitionCanHave() {
        for (String path : new String[] {"", ".spec.color", "spec..color", "spec.", "spec.a[0]", "metadata.uid"}) {
            assertThatThrownBy(() -> SelectableFields.forCustom(true, List.of(path)))
                    .as(path)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldRefuseRawTextsOfAnotherKind() {
        assertThatThrownBy(() -> builtIn("/v1/Pod").finish(new String[1])).isInstanceOf(IllegalArgumentException.class);
    }

    private static SelectableFields builtIn(String kind) {
        String[] parts = kind.split("/", -1);
        return SelectableFields.forBuiltIn(parts[0], parts[1], parts[2]);
    }

    /** What a parser does: looks up every path of an object, which here is a map from paths to texts. */
    private static String[] read(SelectableFields fields, Map<String, String> object) {
        List<String> raw = new ArrayList<>();
        for (List<String> path : fields.paths()) {
            raw.add(object.get(String.join(".", path)));
        }
        assertThat(raw).containsAll(object.values());
        return fields.finish(raw.toArray(new String[0]));
    }

    private static String valueOf(SelectableFields fields, String[] values, String label) {
        return values[fields.indexOf(label)];
    }
}
