package io.watchfan.k8s;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.opentest4j.TestAbortedException;

/** How clients are built and begun. */
enum ClientKit {
    GO,
    RUST,
    JS,
    PYTHON,
    /** Compiled with the tests. */
    JAVA,
    /** The control plane's own. */
    KUBECTL,
    /** The one that the machine has, if it has one: of release 1.32 where it can be chosen. */
    KUBECTL_ON_PATH;

    WatchingClient start(MatrixClient client, ControlPlane cluster, Relay relay, String namespace, Path home)
            throws IOException, InterruptedException {
        if (this == KUBECTL || this == KUBECTL_ON_PATH) {
            Path kubectl = this == KUBECTL ? cluster.kubectl() : kubectlOnPath();
            List<String> command = List.of(
                    kubectl.toString(),
                    "--server=" + relay.url(),
                    "--namespace=" + namespace,
                    "get",
                    client.kind().resource(),
                    "--output=json",
                    "--watch",
                    "--output-watch-events");
            return new KubectlClient(
                    client.toString(),
                    command,
                    home,
                    () -> relay.exchanges().stream().anyMatch(each -> each.isWatch() && each.status() == 200));
        }
        List<String> command = new ArrayList<>();
        List<String> variant = client.variant();
        if (this == JAVA) {
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path"), variant.get(0)));
            variant = variant.subList(1, variant.size());
        } else {
            command.add(build().toString());
        }
        command.add(relay.url());
        command.add(namespace);
        command.addAll(variant);
        return new ClientProgram(client.toString(), command, client.environment());
    }

    /** Some installations have a kubectl of several versions, and one that chooses among them. */
    private static Path kubectlOnPath() throws IOException {
        Path found = null;
        for (String folder : System.getenv("PATH").split(":", -1)) {
            Path kubectl = Path.of(folder, "kubectl");
            if (Files.isExecutable(kubectl)) {
                found = kubectl;
                break;
            }
        }
        if (found == null) {
            throw skipped("this machine has no kubectl of its own");
        }
        Path older = found.toRealPath().resolveSibling("kubectl.1.32");
        return Files.isExecutable(older) ? older : found;
    }

    private Path build() throws IOException, InterruptedException {
        String name = name().toLowerCase(Locale.ROOT);
        Path built = BuildScript.run("clients", name);
        if (built == null) {
            String reason = "what builds the client " + name + " is not on this machine";
            if ("true".equals(System.getenv("CI"))) {
                throw new IOException(reason);
            }
            throw skipped(reason);
        }
        return built;
    }

    private static TestAbortedException skipped(String reason) {
        System.out.println("k8s: skipped; " + reason);
        return new TestAbortedException(reason);
    }
}
