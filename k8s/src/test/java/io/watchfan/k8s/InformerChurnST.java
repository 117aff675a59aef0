package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.reflect.TypeToken;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The client libraries that applications use, which must see through the proxy what a watch of the API server sees. */
@EndToEnd
class InformerChurnST {
    private static final int CHANGES = 2000;
    private static final int WRITERS = 4;
    private static final int OBJECTS_OF_A_WRITER = 25;
    private static final long SEED = 20261201;

    @Test
    void shouldTellTheLibrariesExactlyWhatTheApiServerTells(World world) throws Exception {
        world.create("before");
        long start = world.version();
        try (Clients clients = new Clients(world, start)) {
            churn(world);
            List<Event> truth = clients.truth.untilEvents(CHANGES).events();
            assertThat(truth).hasSize(CHANGES);
            Map<String, Long> listed =
                    Json.versions(world.direct().get(world.configMaps()).json());

            for (Map.Entry<String, Recorder> watcher : clients.watchers.entrySet()) {
                assertThat(watcher.getValue().once(CHANGES))
                        .as("%s (seed %d)", watcher.getKey(), SEED)
                        .isEqualTo(truth);
            }
            List<Event> withBeginning = new ArrayList<>(truth);
            withBeginning.add(0, new Event("ADDED", "before", listed.get(world.namespace() + "/before")));
            for (Map.Entry<String, Recorder> informer : clients.informers.entrySet()) {
                // An informer hands on in its own order what concerns several objects.
                assertThat(byName(informer.getValue().once(CHANGES + 1)))
                        .as("%s (seed %d)", informer.getKey(), SEED)
                        .isEqualTo(byName(withBeginning));
            }
            clients.stores.forEach(
                    (name, store) -> assertThat(store.get()).as(name).isEqualTo(listed));
        }
    }

    private static Map<String, List<String>> byName(List<Event> events) {
        return events.stream()
                .collect(Collectors.groupingBy(
                        Event::name, TreeMap::new, Collectors.mapping(Event::toString, Collectors.toList())));
    }

    /** Creates, changes and deletes at random, by several writers of objects of their own. */
    private static void churn(World world) throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int number = writer;
                tasks.add(() -> {
                    write(world, "w" + number + "-", new Random(SEED + number), CHANGES / WRITERS);
                    return null;
                });
            }
            for (Future<Void> done : writers.invokeAll(tasks)) {
                done.get();
            }
        } finally {
            writers.shutdownNow();
        }
    }

    private static void write(World world, String prefix, Random random, int changes)
            throws IOException, InterruptedException {
        Set<String> present = new HashSet<>();
        for (int change = 0; change < changes; change++) {
            String name = prefix + random.nextInt(OBJECTS_OF_A_WRITER);
            if (!present.contains(name)) {
                world.create(name);
                present.add(name);
            } else if (random.nextInt(4) == 0) {
                world.delete(name);
                present.remove(name);
            } else {
                world.change(name, "change " + change);
            }
        }
    }

    /** What one of the clients has been told. */
    private static final class Recorder {
        private final List<Event> events = new ArrayList<>();
        private Throwable failure;

        synchronized void add(String type, String name, String version) {
            events.add(new Event(type, name, Long.parseLong(version)));
        }

        synchronized void failed(Throwable cause) {
            failure = cause;
        }

        synchronized int count() {
            if (failure != null) {
                throw new AssertionError("the client was cut", failure);
            }
            return events.size();
        }

        /** All, when there are so many. */
        List<Event> once(int count) {
            try {
                Awaitility.await().atMost(Watching.PATIENCE).until(() -> count() >= count);
            } catch (org.awaitility.core.ConditionTimeoutException e) {
                // What is missing is told by the comparison.
            }
            synchronized (this) {
                return List.copyOf(events);
            }
        }
    }

    /** All clients at once, each with its own connection to the proxy. */
    private static final class Clients implements AutoCloseable {
        final Map<String, Recorder> watchers = new TreeMap<>();
        final Map<String, Recorder> informers = new TreeMap<>();
        final Map<String, Supplier<Map<String, Long>>> stores = new TreeMap<>();
        final Watching truth;
        private final List<AutoCloseable> open = new ArrayList<>();
        private final World world;
        private final long start;

        Clients(World world, long start) throws Exception {
            this.world = world;
            this.start = start;
            this.truth = world.direct().watch(world.configMaps() + "?watch=true&resourceVersion=" + start);
            open.add(truth);
            fabric8("fabric8 WebSocket", fabric8Config().build());
            fabric8("fabric8 HTTP", fabric8Config().withOnlyHttpWatches(true).build());
            official();
        }

        private ConfigBuilder fabric8Config() {
            return new ConfigBuilder(Config.empty())
                    .withMasterUrl(world.proxied().server())
                    .withNamespace(world.namespace());
        }

        private void fabric8(String name, Config config) {
            KubernetesClient client =
                    new KubernetesClientBuilder().withConfig(config).build();
            Recorder watched = new Recorder();
            watchers.put(name, watched);
            open.add(client.configMaps()
                    .inNamespace(world.namespace())
                    .watch(
                            new ListOptionsBuilder()
                                    .withResourceVersion(Long.toString(start))
                                    .build(),
                            new Watcher<ConfigMap>() {
                                @Override
                                public void eventReceived(Action action, ConfigMap object) {
                                    watched.add(
                                            action.name(),
                                            object.getMetadata().getName(),
                                            object.getMetadata().getResourceVersion());
                                }

                                @Override
                                public void onClose(WatcherException cause) {
                                    watched.failed(cause);
                                }
                            }));

            Recorder informed = new Recorder();
            informers.put(name, informed);
            SharedIndexInformer<ConfigMap> informer = client.configMaps()
                    .inNamespace(world.namespace())
                    .inform(new io.fabric8.kubernetes.client.informers.ResourceEventHandler<>() {
                        @Override
                        public void onAdd(ConfigMap object) {
                            told("ADDED", object);
                        }

                        @Override
                        public void onUpdate(ConfigMap before, ConfigMap object) {
                            told("MODIFIED", object);
                        }

                        @Override
                        public void onDelete(ConfigMap object, boolean unknown) {
                            told("DELETED", object);
                        }

                        private void told(String type, ConfigMap object) {
                            informed.add(
                                    type,
                                    object.getMetadata().getName(),
                                    object.getMetadata().getResourceVersion());
                        }
                    });
            open.add(informer);
            open.add(client);
            stores.put(name, () -> {
                Map<String, Long> store = new TreeMap<>();
                informer.getStore()
                        .list()
                        .forEach(object -> store.put(
                                world.namespace() + "/" + object.getMetadata().getName(),
                                Long.parseLong(object.getMetadata().getResourceVersion())));
                return store;
            });
        }

        private void official() throws Exception {
            ApiClient client =
                    new ClientBuilder().setBasePath(world.proxied().server()).build();
            client.setReadTimeout(0);
            CoreV1Api api = new CoreV1Api(client);

            Recorder watched = new Recorder();
            watchers.put("client-java", watched);
            Watch<V1ConfigMap> watch = Watch.createWatch(
                    client,
                    api.listNamespacedConfigMap(world.namespace())
                            .watch(true)
                            .resourceVersion(Long.toString(start))
                            .buildCall(null),
                    new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType());
            Thread reader = new Thread(
                    () -> {
                        try {
                            for (Watch.Response<V1ConfigMap> event : watch) {
                                watched.add(
                                        event.type,
                                        event.object.getMetadata().getName(),
                                        event.object.getMetadata().getResourceVersion());
                            }
                        } catch (RuntimeException e) {
                            watched.failed(e);
                        }
                    },
                    "client-java-watch");
            reader.setDaemon(true);
            reader.start();
            open.add(watch);

            Recorder informed = new Recorder();
            informers.put("client-java", informed);
            SharedInformerFactory factory = new SharedInformerFactory(client);
            io.kubernetes.client.informer.SharedIndexInformer<V1ConfigMap> informer = factory.sharedIndexInformerFor(
                    parameters -> api.listNamespacedConfigMap(world.namespace())
                            .watch(parameters.watch)
                            .resourceVersion(parameters.resourceVersion)
                            .timeoutSeconds(parameters.timeoutSeconds)
                            .buildCall(null),
                    V1ConfigMap.class,
                    V1ConfigMapList.class);
            informer.addEventHandler(new ResourceEventHandler<>() {
                @Override
                public void onAdd(V1ConfigMap object) {
                    told("ADDED", object);
                }

                @Override
                public void onUpdate(V1ConfigMap before, V1ConfigMap object) {
                    told("MODIFIED", object);
                }

                @Override
                public void onDelete(V1ConfigMap object, boolean unknown) {
                    told("DELETED", object);
                }

                private void told(String type, V1ConfigMap object) {
                    informed.add(
                            type,
                            object.getMetadata().getName(),
                            object.getMetadata().getResourceVersion());
                }
            });
            factory.startAllRegisteredInformers();
            open.add(() -> factory.stopAllRegisteredInformers(true));
            Awaitility.await().atMost(Watching.PATIENCE).until(informer::hasSynced);
            stores.put("client-java", () -> {
                Map<String, Long> store = new TreeMap<>();
                informer.getIndexer()
                        .list()
                        .forEach(object -> store.put(
                                world.namespace() + "/" + object.getMetadata().getName(),
                                Long.parseLong(object.getMetadata().getResourceVersion())));
                return store;
            });
        }

        @Override
        public void close() throws Exception {
            for (AutoCloseable each : open) {
                each.close();
            }
        }
    }
}
