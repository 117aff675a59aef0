package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** Random changes of the objects of a namespace, made at the API server, and what a watch there tells of them. */
final class Changes implements AutoCloseable {
    private static final int WRITERS = 4;
    private static final int OBJECTS_OF_A_WRITER = 15;

    private final World world;
    private final Kind kind;
    private final String path;
    private final List<Writer> writers = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    private final Watching watch;
    private int watched;

    /** There is nothing yet. */
    Changes(World world, Kind kind, long seed) throws IOException, InterruptedException {
        this.world = world;
        this.kind = kind;
        this.path = kind.path(world.namespace());
        for (int writer = 0; writer < WRITERS; writer++) {
            writers.add(new Writer("w" + writer + "-", new Random(seed + writer)));
        }
        this.watch = world.direct().watch(path + "?watch=true&resourceVersion=" + version());
    }

    /** The version of what there is now at the API server. */
    long version() throws IOException, InterruptedException {
        return Json.version(world.direct().get(path).expect(200).json());
    }

    /** Objects of its own, so that no two changes meet. */
    private final class Writer {
        private final String prefix;
        private final Random random;
        private final TreeSet<String> present = new TreeSet<>();
        private int count;

        Writer(String prefix, Random random) {
            this.prefix = prefix;
            this.random = random;
        }

        Void make(int changes) throws IOException, InterruptedException {
            for (int change = 0; change < changes; change++) {
                String name = prefix + random.nextInt(OBJECTS_OF_A_WRITER);
                String value = "change " + count++;
                if (present.add(name)) {
                    world.direct().post(path, kind.object(name, value)).expect(201);
                } else if (random.nextInt(4) == 0) {
                    world.direct().delete(path + "/" + name).expect(200);
                    present.remove(name);
                } else {
                    world.direct()
                            .patch(path + "/" + name, kind.patch(name, value))
                            .expect(200);
                }
            }
            return null;
        }
    }

    /** Where the objects are. */
    String path() {
        return path;
    }

    /** Makes so many, a multiple of four. */
    void make(int changes) throws Exception {
        for (Future<Void> each : begin(changes)) {
            each.get();
        }
    }

    /** Begins to make so many; they are made when all of these are done. */
    List<Future<Void>> begin(int changes) {
        watched += changes;
        List<Future<Void>> begun = new ArrayList<>();
        for (Writer writer : writers) {
            Callable<Void> task = () -> writer.make(changes / WRITERS);
            begun.add(threads.submit(task));
        }
        return begun;
    }

    /**
     * What a watch of the API server tells of all that have been made, which must be done. It may be more than one event for a
     * change: the deletion of a pod sometimes modifies it first.
     */
    List<Told> truth() throws IOException, InterruptedException {
        watch.untilEvents(watched);
        Map<String, String> present = present().stream().collect(Collectors.toMap(Told::name, Told::held));
        Awaitility.await()
                .atMost(Watching.PATIENCE)
                .untilAsserted(() -> assertThat(outcome(told())).isEqualTo(present));
        return told();
    }

    private List<Told> told() {
        return watch.lines().stream().map(line -> Told.ofEvent(Json.read(line))).toList();
    }

    /** What there is when all of these have been told. */
    private static Map<String, String> outcome(List<Told> told) {
        Map<String, String> outcome = new HashMap<>();
        for (Told each : told) {
            if (each.isDeleted()) {
                outcome.remove(each.name());
            } else {
                outcome.put(each.name(), each.held());
            }
        }
        return outcome;
    }

    /** What there is at the API server, as it is told to one who comes anew. */
    List<Told> present() throws IOException, InterruptedException {
        List<Told> present = new ArrayList<>();
        world.direct().get(path).expect(200).json().path("items").forEach(object -> present.add(Told.added(object)));
        return present;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        watch.close();
    }
}
