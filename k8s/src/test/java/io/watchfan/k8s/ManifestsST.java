package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifests, before a real API server. */
@EndToEnd
class ManifestsST {
    private static final String EXAMPLE = "watchfan-example";

    @TempDir
    Path home;

    private ControlPlane cluster;
    private Kubectl kubectl;

    @BeforeEach
    void kubectl(ControlPlane cluster) throws Exception {
        this.cluster = cluster;
        cluster.ensureRunning();
        kubectl = Kubectl.direct(cluster, home);
        // What is only tried must have a namespace to be tried in; its pods are held to the restricted standard.
        kubectl.run("apply", "-f", Manifests.SIDECAR.resolve("namespace.yaml").toString())
                .expect(0);
    }

    static Stream<Path> all() {
        return Stream.of(Manifests.BASE, Manifests.SIDECAR);
    }

    private List<HasMetadata> rendered(Path folder) throws IOException, InterruptedException {
        return Manifests.parse(
                kubectl.run("kustomize", folder.toString()).expect(0).output());
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldBeAcceptedByTheApiServerWithoutAWarning(Path folder) throws Exception {
        Kubectl.Result result = kubectl.run("apply", "--dry-run=server", "--validate=strict", "-k", folder.toString());

        assertThat(result.expect(0).errors()).isEmpty();
        assertThat(result.output().lines())
                .hasSameSizeAs(rendered(folder))
                .allMatch(line -> line.endsWith("(server dry run)"));
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldMakePodsThatTheRestrictedStandardAdmits(Path folder) throws Exception {
        PodTemplateSpec template =
                Manifests.only(rendered(folder), Deployment.class).getSpec().getTemplate();
        String pod = Serialization.asJson(new PodBuilder()
                .withNewMetadataLike(template.getMetadata())
                .withName("tried")
                .endMetadata()
                .withSpec(template.getSpec())
                .build());

        kubectl.run(pod, List.of("create", "--dry-run=server", "-n", EXAMPLE, "-f", "-"))
                .expect(0);
        kubectl.run(
                        pod.replace("\"runAsNonRoot\":true", "\"runAsNonRoot\":false"),
                        List.of("create", "--dry-run=server", "-n", EXAMPLE, "-f", "-"))
                .expect(1);
    }

    @Test
    void shouldGiveTheProxyTheRightsThatItsFlagsNeedAndNoMore() throws Exception {
        kubectl.run("apply", "-k", Manifests.BASE.toString()).expect(0);
        try (ProxyProcess proxy = asDeployed(Manifests.BASE, "default")) {
            for (String path : List.of(
                    "/api/v1/pods", "/api/v1/services", "/api/v1/nodes", "/apis/discovery.k8s.io/v1/endpointslices")) {
                proxy.api().get(path).expect(200);
                proxy.api().get(path + "?resourceVersion=0").expect(200);
            }
            proxy.api().get("/api/v1/secrets").expect(403);
            proxy.api().get("/api/v1/configmaps").expect(403);
            assertRefusesWrites(proxy);
        }
    }

    @Test
    void shouldGiveTheSidecarTheRightsThatItsFlagsNeedAndNoMore() throws Exception {
        kubectl.run("apply", "-k", Manifests.SIDECAR.toString()).expect(0);
        try (ProxyProcess proxy = asDeployed(Manifests.SIDECAR, EXAMPLE)) {
            String configMaps = "/api/v1/namespaces/" + EXAMPLE + "/configmaps";
            Api.Answer list = proxy.api().get(configMaps).expect(200);
            assertThat(list.text()).contains("\"name\":\"kubeconfig\"");
            try (Watching watch =
                    proxy.api().watch(configMaps + "?watch=true&resourceVersion=" + Json.version(list.json()))) {
                kubectl.run("create", "configmap", "-n", EXAMPLE, "seen").expect(0);
                assertThat(watch.untilEvents(1).events())
                        .extracting(Event::name)
                        .containsExactly("seen");
            } finally {
                kubectl.run("delete", "configmap", "-n", EXAMPLE, "seen");
            }
            assertThat(proxy.admin().get("/metrics").text()).contains("watchfan_requests_total{outcome=\"served\"");
            proxy.api().get("/api/v1/configmaps").expect(403);
            proxy.api().get("/api/v1/namespaces/default/configmaps").expect(403);
            assertRefusesWrites(proxy);
        }
    }

    private static void assertRefusesWrites(ProxyProcess proxy) throws IOException, InterruptedException {
        assertThat(proxy.api()
                        .post("/api/v1/namespaces/" + EXAMPLE + "/configmaps", "{\"metadata\":{\"name\":\"x\"}}")
                        .status())
                .isIn(403, 405);
    }

    /** The proxy with the flags of the manifest and the rights of its service account. */
    private ProxyProcess asDeployed(Path folder, String namespace) throws IOException, InterruptedException {
        List<HasMetadata> objects = rendered(folder);
        Container container = Manifests.proxy(Manifests.podSpec(objects));
        Path token = home.resolve("token");
        Files.writeString(
                token,
                kubectl.run("create", "token", Manifests.podSpec(objects).getServiceAccountName(), "-n", namespace)
                        .expect(0)
                        .output()
                        .strip());
        List<String> flags = new ArrayList<>();
        assertThat(container.getArgs().get(0)).isEqualTo("proxy");
        for (String argument :
                container.getArgs().subList(1, container.getArgs().size())) {
            if (!argument.startsWith("--listen=") && !argument.startsWith("--admin=")) {
                flags.add(argument);
            }
        }
        flags.addAll(List.of("--upstream", cluster.server()));
        flags.addAll(List.of("--upstream-ca", cluster.ca().toString()));
        flags.addAll(List.of("--upstream-token-file", token.toString()));
        return ProxyProcess.start("ManifestsST-" + namespace, flags);
    }
}
