package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manifests, as kustomize renders them. Needs no network, but a kubectl. */
class ManifestsTest {
    private static final ConcurrentMap<Path, List<HasMetadata>> RENDERED = new ConcurrentHashMap<>();

    static Stream<Path> all() {
        return Stream.of(Manifests.BASE, Manifests.SIDECAR);
    }

    private static List<HasMetadata> rendered(Path folder) throws IOException, InterruptedException {
        List<HasMetadata> known = RENDERED.get(folder);
        if (known == null) {
            known = Manifests.parse(render(folder));
            RENDERED.put(folder, known);
        }
        return known;
    }

    private static String render(Path folder) throws IOException, InterruptedException {
        Process kustomize = new ProcessBuilder(kubectl(), "kustomize", folder.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String yaml = new String(kustomize.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(kustomize.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(kustomize.exitValue()).as("kubectl kustomize %s", folder).isZero();
        return yaml;
    }

    /** That on the path, or the control plane's, which the other tests build. */
    private static String kubectl() throws IOException, InterruptedException {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            Path kubectl = Path.of(folder, "kubectl");
            if (Files.isExecutable(kubectl)) {
                return kubectl.toString();
            }
        }
        Assumptions.assumeTrue(
                EndToEndExtension.isWanted(), "no kubectl on the path; with CI=true or -Dwatchfan.e2e one is built");
        return BuildScript.run("controlplane").resolve("kubectl").toString();
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldHaveOnlyFieldsThatExist(Path folder) throws Exception {
        assertThat(rendered(folder)).hasSizeGreaterThan(4);
    }

    @Test
    void shouldNoticeAFieldThatDoesNotExist() {
        assertThatThrownBy(() -> Manifests.parse("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: x}
                        spec: {containers: [{name: c, livenessProbe: {httpGet: {path: /livez, prot: 1}}}]}
                        """)).hasMessageContaining("httpGet.prot");
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldServeNobodyBeyondThePod(Path folder) throws Exception {
        List<HasMetadata> objects = rendered(folder);
        PodSpec pod = Manifests.podSpec(objects);
        Container proxy = Manifests.proxy(pod);

        assertThat(Manifests.flag(proxy, "--listen")).containsExactly("127.0.0.1:8001");
        assertThat(proxy.getArgs()).contains("--read-only").noneMatch(flag -> flag.contains("unauthenticated"));
        assertThat(proxy.getPorts()).extracting(ContainerPort::getContainerPort).containsExactly(8002);
        assertThat(Manifests.all(objects, Service.class)).isEmpty();
        assertThat(pod.getHostNetwork()).isNull();
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldBeProbedOnTheAdminPort(Path folder) throws Exception {
        Container proxy = Manifests.proxy(Manifests.podSpec(rendered(folder)));

        assertThat(Manifests.flag(proxy, "--admin")).containsExactly("0.0.0.0:8002");
        assertThat(proxy.getPorts().get(0).getName()).isEqualTo("admin");
        assertThat(path(proxy.getLivenessProbe())).isEqualTo("/livez");
        assertThat(path(proxy.getReadinessProbe())).isEqualTo("/readyz");
        assertThat(proxy.getStartupProbe()).isNotNull();
    }

    private static String path(Probe probe) {
        assertThat(probe.getHttpGet().getPort().getStrVal()).isEqualTo("admin");
        return probe.getHttpGet().getPath();
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldBeGivenLongerThanItTakesToDrain(Path folder) throws Exception {
        PodSpec pod = Manifests.podSpec(rendered(folder));

        String grace = Manifests.flag(Manifests.proxy(pod), "--drain-grace").get(0);

        assertThat(grace).matches("\\d+s");
        assertThat(pod.getTerminationGracePeriodSeconds())
                .isGreaterThan(Long.parseLong(grace.substring(0, grace.length() - 1)));
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldHoldNoMoreRightsOnItsNodeThanItNeeds(Path folder) throws Exception {
        PodSpec pod = Manifests.podSpec(rendered(folder));

        assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
        assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
        List<Container> containers = new ArrayList<>(pod.getInitContainers());
        containers.addAll(pod.getContainers());
        for (Container container : containers) {
            SecurityContext context = container.getSecurityContext();
            assertThat(context.getAllowPrivilegeEscalation()).isFalse();
            assertThat(context.getReadOnlyRootFilesystem()).isTrue();
            assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
            assertThat(container.getResources().getRequests()).containsKeys("cpu", "memory");
            assertThat(container.getResources().getLimits().get("memory"))
                    .isEqualTo(container.getResources().getRequests().get("memory"));
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldGiveTheTokenToTheProxyAlone(Path folder) throws Exception {
        List<HasMetadata> objects = rendered(folder);
        PodSpec pod = Manifests.podSpec(objects);
        ServiceAccount account = Manifests.only(objects, ServiceAccount.class);

        assertThat(pod.getServiceAccountName()).isEqualTo(account.getMetadata().getName());
        assertThat(pod.getAutomountServiceAccountToken()).isFalse();
        assertThat(account.getAutomountServiceAccountToken()).isFalse();
        List<Container> containers = new ArrayList<>(pod.getInitContainers());
        containers.addAll(pod.getContainers());
        assertThat(containers)
                .filteredOn(container -> container.getVolumeMounts().stream()
                        .anyMatch(mount -> mount.getMountPath().contains("serviceaccount")))
                .extracting(Container::getName)
                .containsExactly("watchfan");
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldReadWhatItIsToldToFeedAndNoSecrets(Path folder) throws Exception {
        List<HasMetadata> objects = rendered(folder);
        List<PolicyRule> rules = new ArrayList<>();
        Manifests.all(objects, ClusterRole.class).forEach(role -> rules.addAll(role.getRules()));
        Manifests.all(objects, Role.class).forEach(role -> rules.addAll(role.getRules()));

        List<String> readable = new ArrayList<>();
        for (PolicyRule rule : rules) {
            assertThat(rule.getVerbs()).containsExactly("get", "list", "watch");
            assertThat(rule.getResources()).doesNotContain("*", "secrets");
            String group = rule.getApiGroups().get(0);
            rule.getResources().forEach(resource -> readable.add(group.isEmpty() ? resource : resource + "." + group));
        }
        List<String> fed = Manifests.flag(Manifests.proxy(Manifests.podSpec(objects)), "--feed");
        assertThat(fed).isNotEmpty();
        assertThat(fed).allSatisfy(feed -> assertThat(readable).contains(feed.replaceFirst("@.*", "")));
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldBindTheRightsToTheAccountOfThePod(Path folder) throws Exception {
        List<HasMetadata> objects = rendered(folder);
        String account = Manifests.podSpec(objects).getServiceAccountName();

        Manifests.all(objects, ClusterRoleBinding.class).forEach(binding -> {
            assertThat(binding.getSubjects()).extracting("name").containsExactly(account);
            assertThat(binding.getRoleRef().getName())
                    .isEqualTo(Manifests.only(objects, ClusterRole.class)
                            .getMetadata()
                            .getName());
        });
        Manifests.all(objects, RoleBinding.class).forEach(binding -> {
            assertThat(binding.getSubjects()).extracting("name").containsExactly(account);
            assertThat(binding.getRoleRef().getName())
                    .isEqualTo(Manifests.only(objects, Role.class).getMetadata().getName());
        });
    }

    @Test
    void shouldLimitTheDisruptionOfThePodsOfTheDeployment() throws Exception {
        List<HasMetadata> objects = rendered(Manifests.BASE);
        Deployment deployment = Manifests.only(objects, Deployment.class);
        PodDisruptionBudget budget = Manifests.only(objects, PodDisruptionBudget.class);

        assertThat(budget.getSpec().getSelector().getMatchLabels())
                .isEqualTo(deployment.getSpec().getSelector().getMatchLabels())
                .isEqualTo(deployment.getSpec().getTemplate().getMetadata().getLabels())
                .isNotEmpty();
        assertThat(budget.getSpec().getMaxUnavailable().getIntVal())
                .isLessThan(deployment.getSpec().getReplicas());
    }

    @Test
    void shouldRunTheSidecarBeforeTheAppAndPointTheAppAtIt() throws Exception {
        List<HasMetadata> objects = rendered(Manifests.SIDECAR);
        PodSpec pod = Manifests.podSpec(objects);
        Container sidecar = pod.getInitContainers().get(0);
        assertThat(sidecar).isEqualTo(Manifests.proxy(pod));
        assertThat(sidecar.getRestartPolicy()).isEqualTo("Always");
        assertThat(path(sidecar.getStartupProbe())).isEqualTo("/readyz");

        Container app = pod.getContainers().get(0);
        assertThat(app.getEnv()).extracting("name").containsExactly("KUBECONFIG");
        ConfigMap kubeconfig = Manifests.only(objects, ConfigMap.class);
        Config config = Serialization.unmarshal(kubeconfig.getData().get("config"), Config.class);
        assertThat(config.getClusters().get(0).getCluster().getServer())
                .isEqualTo("http://" + Manifests.flag(sidecar, "--listen").get(0));
        assertThat(config.getUsers().get(0).getUser().getToken()).isNull();
    }
}
