package io.watchfan.k8s.clients;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.watchfan.k8s.clients.Lines.Told;
import java.io.IOException;

/** The fabric8 client under test: {@code SERVER NAMESPACE websocket|http}. */
public final class Fabric8Client {
    private Fabric8Client() {}

    /** Runs an informer until the end of standard input. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 3 || !arguments[2].matches("websocket|http")) {
            System.err.println("usage: Fabric8Client SERVER NAMESPACE websocket|http");
            System.exit(2);
        }
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(arguments[0])
                .withNamespace(arguments[1])
                .withOnlyHttpWatches(arguments[2].equals("http"))
                .build();
        try (KubernetesClient client =
                        new KubernetesClientBuilder().withConfig(config).build();
                SharedIndexInformer<ConfigMap> informer =
                        client.configMaps().inNamespace(arguments[1]).inform(new Teller())) {
            Lines.synced();
            Lines.answer(() -> informer.getStore().list(), Fabric8Client::describe);
        }
        System.exit(0);
    }

    private static Told describe(ConfigMap object) {
        return Told.of(object.getMetadata().getName(), object.getMetadata().getResourceVersion(), object.getData());
    }

    private static final class Teller implements ResourceEventHandler<ConfigMap> {
        @Override
        public void onAdd(ConfigMap object) {
            Lines.event("ADDED", describe(object));
        }

        @Override
        public void onUpdate(ConfigMap before, ConfigMap object) {
            Lines.event("MODIFIED", describe(object));
        }

        @Override
        public void onDelete(ConfigMap object, boolean unknown) {
            Lines.event("DELETED", describe(object));
        }
    }
}
