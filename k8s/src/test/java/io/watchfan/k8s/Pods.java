package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The pods of a test. All changes are made here, one after another and straight at the API server, whose answers are the
 * truth. An API server may die under a change: what became of it is looked up afterwards. For one thread at a time.
 */
final class Pods {
    /** All pods, in all namespaces. */
    static final String COLLECTION = "/api/v1/pods";

    private static final List<String> TIERS = List.of("a", "b", "c");
    private static final List<String> NODES = List.of("n1", "n2");
    private static final int KEYS = 24;
    private static final int ELSEWHERE = 6;
    private static final long RETRY_MILLIS = 50;

    private final World world;
    private final Random random;
    private final Map<String, Pod> base;
    private final Map<String, Pod> now;
    private final List<Change> changes = new ArrayList<>();
    private final long start;
    private int writes;
    private int marks;

    /**
     * A pod at one version: what scopes need to know of it.
     *
     * @param key {@code namespace/name}
     */
    record Pod(String key, String uid, long version, String tier, String phase, String node) {
        static Pod of(JsonNode object) {
            return new Pod(
                    Json.key(object),
                    object.at("/metadata/uid").asText(),
                    Json.version(object),
                    object.at("/metadata/labels/tier").asText(),
                    object.at("/status/phase").asText(),
                    object.at("/spec/nodeName").asText());
        }

        boolean isIn(String namespace) {
            return key.startsWith(namespace + "/");
        }
    }

    /**
     * One change.
     *
     * @param before null when the pod was created
     * @param after null when it was deleted
     */
    record Change(long version, Pod before, Pod after) {}

    /** The pods there are now. */
    Pods(World world, long seed) throws IOException, InterruptedException {
        this.world = world;
        this.random = new Random(seed);
        JsonNode list = world.direct().get(COLLECTION).expect(200).json();
        this.start = Json.version(list);
        this.base = new TreeMap<>();
        list.path("items").forEach(item -> base.put(Json.key(item), Pod.of(item)));
        this.now = new TreeMap<>(base);
    }

    /** The version before all changes. */
    long start() {
        return start;
    }

    /** The namespace that most of them are in. */
    String namespace() {
        return world.namespace();
    }

    /** The pods before all changes, by key. */
    Map<String, Pod> base() {
        return base;
    }

    /** All changes so far, in order. */
    List<Change> changes() {
        return List.copyOf(changes);
    }

    /** Makes random changes that keep every pod, so that each can be looked up if the API server dies under it. */
    void churnKeeping(int count) throws IOException, InterruptedException {
        churn(count, false);
    }

    /** Makes random changes of all kinds. */
    void churn(int count) throws IOException, InterruptedException {
        churn(count, true);
    }

    private void churn(int count, boolean deletions) throws IOException, InterruptedException {
        for (int target = changes.size() + count; changes.size() < target; ) {
            int number = random.nextInt(KEYS);
            String namespace = number < ELSEWHERE ? "default" : world.namespace();
            String name = world.namespace() + "-p" + number;
            Pod pod = now.get(namespace + "/" + name);
            int kind = random.nextInt(deletions ? 8 : 5);
            if (pod == null) {
                create(namespace, name, TIERS.get(random.nextInt(TIERS.size())), NODES.get(random.nextInt(2)));
            } else if (kind < 3) {
                label(pod.key(), TIERS.get(random.nextInt(TIERS.size())));
            } else if (kind < 5) {
                phase(pod.key(), pod.phase().equals("Running") ? "Pending" : "Running");
            } else {
                delete(pod.key());
                if (kind > 5) {
                    create(namespace, name, pod.tier(), pod.node());
                }
            }
        }
    }

    /** A change that every scope of a test sees; tells its version. */
    long mark() throws IOException, InterruptedException {
        String name = "mark-" + marks++;
        create(world.namespace(), name, "a", "n1");
        return phase(world.namespace() + "/" + name, "Running");
    }

    long create(String namespace, String name, String tier, String node) throws IOException, InterruptedException {
        String path = "/api/v1/namespaces/" + namespace + "/pods";
        String body = "{\"metadata\":{\"name\":\"" + name + "\",\"labels\":{\"tier\":\"" + tier + "\"}},\"spec\":{"
                + "\"nodeName\":\"" + node + "\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
        return done(path + "/" + name, pod -> true, () -> world.direct().post(path, body));
    }

    long label(String key, String tier) throws IOException, InterruptedException {
        String mark = "w" + writes++;
        return done(
                path(key),
                pod -> pod.at("/metadata/annotations/write").asText().equals(mark),
                () -> world.direct()
                        .patch(
                                path(key),
                                "{\"metadata\":{\"labels\":{\"tier\":\"" + tier + "\"},\"annotations\":{\"write\":\""
                                        + mark + "\"}}}"));
    }

    long phase(String key, String phase) throws IOException, InterruptedException {
        return done(
                path(key),
                pod -> pod.at("/status/phase").asText().equals(phase),
                () -> world.direct().patch(path(key) + "/status", "{\"status\":{\"phase\":\"" + phase + "\"}}"));
    }

    /**
     * Deletes; not while the API server may die, since nobody could tell the version afterwards. The API server first marks the
     * pod as one to be deleted, which is a change of its own that its answer says nothing of: it is looked up in the past.
     */
    long delete(String key) throws IOException, InterruptedException {
        long version = Json.version(world.direct()
                .delete(path(key) + "?gracePeriodSeconds=0")
                .expect(200)
                .json());
        int slash = key.indexOf('/');
        JsonNode past = world.direct()
                .get("/api/v1/namespaces/" + key.substring(0, slash)
                        + "/pods?resourceVersionMatch=Exact&resourceVersion=" + (version - 1)
                        + "&fieldSelector=metadata.name%3D" + key.substring(slash + 1))
                .expect(200)
                .json();
        Pod before = now.remove(key);
        Pod marked = Pod.of(past.at("/items/0"));
        if (marked.version() > before.version()) {
            changes.add(new Change(marked.version(), before, marked));
        }
        changes.add(new Change(version, marked, null));
        return version;
    }

    private static String path(String key) {
        int slash = key.indexOf('/');
        return "/api/v1/namespaces/" + key.substring(0, slash) + "/pods/" + key.substring(slash + 1);
    }

    private interface Write {
        Api.Answer send() throws IOException, InterruptedException;
    }

    private interface Check {
        boolean isDone(JsonNode pod);
    }

    /** Writes until it is done, and takes down what was done. */
    private long done(String path, Check check, Write write) throws IOException, InterruptedException {
        JsonNode object = written(path, check, write);
        Pod after = Pod.of(object);
        Pod before = now.put(after.key(), after);
        long last = changes.isEmpty() ? start : changes.get(changes.size() - 1).version();
        assertThat(after.version()).as("the version of a change").isGreaterThan(last);
        changes.add(new Change(after.version(), before, after));
        return after.version();
    }

    private static boolean isTrouble(int status) {
        // A starting API server has neither its users nor its rights at once.
        return status == 401 || status == 403 || status == 429 || status >= 500;
    }

    private JsonNode written(String path, Check check, Write write) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + 2 * Watching.PATIENCE.toNanos();
        boolean doubtful = false;
        String last = "";
        while (System.nanoTime() - deadline < 0) {
            try {
                if (doubtful) {
                    Api.Answer found = world.direct().get(path);
                    if (found.status() == 200 && check.isDone(found.json())) {
                        return found.json();
                    }
                    if (found.status() != 200 && found.status() != 404) {
                        throw new IOException(found.text());
                    }
                    doubtful = false;
                }
                Api.Answer answer = write.send();
                if (!isTrouble(answer.status())) {
                    assertThat(answer.status()).as(answer.text()).isIn(200, 201);
                    return answer.json();
                }
                last = answer.text();
            } catch (IOException e) {
                last = e.toString();
            }
            doubtful = true;
            TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
        }
        throw new IOException("not written: " + path + ": " + last);
    }
}
