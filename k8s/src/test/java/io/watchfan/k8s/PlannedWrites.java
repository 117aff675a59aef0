package io.watchfan.k8s;

import io.watchfan.loadtest.contract.ObjectFacts;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.Truth;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Changes of the ConfigMaps of a namespace of its own, made at the API server at planned times by several clients, and the
 * truth of them. One thread; the clients are its own.
 */
final class PlannedWrites implements AutoCloseable {
    /** The path of all ConfigMaps there are. */
    static final String COLLECTION = "/api/v1/configmaps";

    /** As many as keep the API server busy without a connection for each object. */
    private static final int CLIENTS = 32;

    private static final int TRUTH_ENTRIES = 1 << 16;
    private static final String SETTING = "setting.of.an.application = a value of some length\\n";

    private final Api api;
    private final String path;
    private final String data;
    private final ObjectFacts[] objects;
    private final Scope scope;
    private final Truth truth;
    private final long start;
    private final ScheduledExecutorService clients = Executors.newScheduledThreadPool(CLIENTS);
    private int made;

    /**
     * Creates the namespace and its objects.
     *
     * @param count how many objects there are; in so many changes in a row each is changed once
     * @param settings how much there is in each, a line of 50 characters for every one
     */
    PlannedWrites(ControlPlane cluster, String namespace, int count, int settings)
            throws IOException, InterruptedException, GeneralSecurityException {
        api = Api.direct(cluster);
        api.post("/api/v1/namespaces", "{\"metadata\":{\"name\":\"" + namespace + "\"}}")
                .expect(201);
        path = "/api/v1/namespaces/" + namespace + "/configmaps";
        data = SETTING.repeat(settings);
        scope = Scope.ofNamespace(namespace);
        truth = Truth.ofChanges(List.of(scope), TRUTH_ENTRIES);
        objects = new ObjectFacts[count];
        for (int object = 0; object < count; object++) {
            objects[object] = facts(
                    object,
                    Json.version(api.post(path, body(object)).expect(201).json()));
            truth.seed(objects[object]);
        }
        start = advance();
    }

    private ObjectFacts facts(int object, long version) {
        return new ObjectFacts(version, scope.namespace(), name(object), Map.of(), "");
    }

    private static String name(int object) {
        return "c" + object;
    }

    /** An object without a version, which replaces whatever is there. */
    private String body(int object) {
        return "{\"metadata\":{\"name\":\"" + name(object) + "\"},\"data\":{\"change\":\"" + made + "\",\"settings\":\""
                + data + "\"}}";
    }

    /** What is changed. */
    Scope scope() {
        return scope;
    }

    /** What all who watch it should be told. */
    Truth truth() {
        return truth;
    }

    /** The version before the first change. */
    long start() {
        return start;
    }

    private record Written(int object, long version) {}

    /**
     * Makes some changes, and tells the truth of them when all are made.
     *
     * @param period between the planned times of two; zero for all at once
     * @return from the planned time of the first to the answer to the last
     */
    Duration write(int changes, Duration period) throws IOException, InterruptedException {
        List<Future<Written>> writes = new ArrayList<>();
        long begun = System.nanoTime();
        for (int change = 0; change < changes; change++) {
            int object = made++ % objects.length;
            String body = body(object);
            writes.add(clients.schedule(
                    () -> put(object, body),
                    change * period.toNanos() - (System.nanoTime() - begun),
                    TimeUnit.NANOSECONDS));
        }
        List<Written> written = new ArrayList<>();
        for (Future<Written> write : writes) {
            written.add(done(write));
        }
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        written.sort(Comparator.comparingLong(Written::version));
        for (Written each : written) {
            ObjectFacts before = objects[each.object];
            objects[each.object] = facts(each.object, each.version);
            truth.change(each.version, before, objects[each.object]);
        }
        return took;
    }

    private Written put(int object, String body) throws IOException, InterruptedException {
        return new Written(
                object,
                Json.version(
                        api.put(path + "/" + name(object), body).expect(200).json()));
    }

    private static Written done(Future<Written> write) throws IOException, InterruptedException {
        try {
            return write.get();
        } catch (ExecutionException e) {
            throw new IOException("a change was not made: " + e.getCause().getMessage(), e);
        }
    }

    /** Tells that up to now there is no other change, and the version of now. */
    long advance() throws IOException, InterruptedException {
        long version = Json.version(api.get(path).expect(200).json());
        truth.advance(version);
        return version;
    }

    @Override
    public void close() {
        clients.shutdownNow();
    }
}
