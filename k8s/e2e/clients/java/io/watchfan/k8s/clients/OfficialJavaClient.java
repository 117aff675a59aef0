package io.watchfan.k8s.clients;

import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.util.ClientBuilder;
import io.watchfan.k8s.clients.Lines.Told;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The official Java client under test: {@code SERVER NAMESPACE}. */
public final class OfficialJavaClient {
    private static final long SYNC_SECONDS = 30;
    private static final long PROBE_MILLIS = 50;

    private OfficialJavaClient() {}

    /** Runs an informer until the end of standard input. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        if (arguments.length != 2) {
            System.err.println("usage: OfficialJavaClient SERVER NAMESPACE");
            System.exit(2);
        }
        ApiClient client = new ClientBuilder().setBasePath(arguments[0]).build();
        client.setReadTimeout(0);
        CoreV1Api api = new CoreV1Api(client);
        SharedInformerFactory factory = new SharedInformerFactory(client);
        SharedIndexInformer<V1ConfigMap> informer = factory.sharedIndexInformerFor(
                parameters -> api.listNamespacedConfigMap(arguments[1])
                        .watch(parameters.watch)
                        .resourceVersion(parameters.resourceVersion)
                        .timeoutSeconds(parameters.timeoutSeconds)
                        .buildCall(null),
                V1ConfigMap.class,
                V1ConfigMapList.class);
        informer.addEventHandler(new Teller());
        factory.startAllRegisteredInformers();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SYNC_SECONDS);
        while (!informer.hasSynced()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("not synced");
            }
            TimeUnit.MILLISECONDS.sleep(PROBE_MILLIS);
        }
        Lines.synced();
        Lines.answer(() -> informer.getIndexer().list(), OfficialJavaClient::describe);
        System.exit(0);
    }

    private static Told describe(V1ConfigMap object) {
        return Told.of(object.getMetadata().getName(), object.getMetadata().getResourceVersion(), object.getData());
    }

    private static final class Teller implements ResourceEventHandler<V1ConfigMap> {
        @Override
        public void onAdd(V1ConfigMap object) {
            Lines.event("ADDED", describe(object));
        }

        @Override
        public void onUpdate(V1ConfigMap before, V1ConfigMap object) {
            Lines.event("MODIFIED", describe(object));
        }

        @Override
        public void onDelete(V1ConfigMap object, boolean unknown) {
            Lines.event("DELETED", describe(object));
        }
    }
}
