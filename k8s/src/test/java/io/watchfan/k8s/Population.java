package io.watchfan.k8s;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The objects of the differential run: random changes of them, made one after the other at the API server, and the versions
 * of these changes. Nobody else changes them, so between two changes all is quiet.
 */
final class Population {
    private static final int MOST_VERSIONS = 400;
    private static final List<String> NAMES = List.of("a", "b", "a-b", "a.b", "c0", "c1", "c2", "c3", "z");

    private final Api direct;
    private final String first;
    private final Map<Subject, TreeSet<String>> present = new EnumMap<>(Subject.class);
    private final Map<Subject, Deque<Long>> versions = new EnumMap<>(Subject.class);
    private long written;
    private int markers;

    Population(World world) throws IOException, InterruptedException {
        this.direct = world.direct();
        this.first = world.namespace();
        for (Subject subject : Subject.values()) {
            present.put(subject, new TreeSet<>());
            versions.put(subject, new ArrayDeque<>());
        }
        direct.post(Subject.NAMESPACES.everywhere(), "{\"metadata\":{\"name\":\"" + second() + "\"}}")
                .expect(201);
    }

    /** Sorts before the first as a prefix of keys, and after it as a name. */
    private String second() {
        return first + "-b";
    }

    /** One of the two with objects in them. */
    String namespace(Random random) {
        return random.nextInt(3) == 0 ? second() : first;
    }

    /** The name of an object that may be there. */
    String name(Subject subject, Random random) {
        String name = NAMES.get(random.nextInt(NAMES.size()));
        return subject.namespaced() ? name : first + "-o-" + name.replace(".", "-dot-");
    }

    /** The version of the last change of all. */
    long written() {
        return written;
    }

    /** The versions of the last changes of a resource, the last one last. */
    List<Long> versions(Subject subject) {
        return List.copyOf(versions.get(subject));
    }

    /** Nothing before this version is asked for any more, as the resource has come anew. */
    void begin(Subject subject, long version) {
        versions.get(subject).clear();
        versions.get(subject).add(version);
    }

    /** There are no objects of it any more. */
    void gone(Subject subject) {
        present.get(subject).clear();
    }

    /** One random change of an object of this resource. */
    void change(Subject subject, Random random) throws IOException, InterruptedException {
        String at = subject.in(namespace(random));
        String name = name(subject, random);
        String path = at + "/" + name;
        if (!present.get(subject).contains(path)) {
            create(subject, path, random);
            return;
        }
        switch (random.nextInt(10)) {
            case 0 -> delete(subject, path);
            case 1 -> {
                delete(subject, path);
                create(subject, path, random);
            }
            case 2, 3, 4 ->
                noted(
                        subject,
                        direct.patch(path + subject.patched(), subject.patch(random))
                                .expect(200));
            default ->
                noted(
                        subject,
                        direct.patch(path, "{\"metadata\":{\"labels\":{" + labels(random, true) + "}}}")
                                .expect(200));
        }
    }

    private void create(Subject subject, String path, Random random) throws IOException, InterruptedException {
        String namespace = path.replaceFirst(".*/namespaces/([^/]+)/.*", "$1");
        String metadata = "{\"name\":\"" + path.substring(path.lastIndexOf('/') + 1) + "\",\"labels\":{"
                + labels(random, false) + "}}";
        String object = subject.object(metadata, random).replace("NAMESPACE", namespace);
        noted(
                subject,
                direct.post(path.substring(0, path.lastIndexOf('/')), object).expect(201));
        present.get(subject).add(path);
    }

    /** Labels of which some are absent; in a patch these are taken away. */
    private static String labels(Random random, boolean patch) {
        List<String> labels = new ArrayList<>();
        label(labels, "app", List.of("a", "b", "c").get(random.nextInt(3)), random, patch);
        label(labels, "tier", List.of("", "1", "5", "x").get(random.nextInt(4)), random, patch);
        label(labels, Selectors.ODD_KEY, "Q.w_e-r", random, patch);
        return String.join(",", labels);
    }

    private static void label(List<String> labels, String key, String value, Random random, boolean patch) {
        if (random.nextInt(3) != 0) {
            labels.add("\"" + key + "\":\"" + value + "\"");
        } else if (patch) {
            labels.add("\"" + key + "\":null");
        }
    }

    private void delete(Subject subject, String path) throws IOException, InterruptedException {
        direct.delete(path + (subject == Subject.PODS ? "?gracePeriodSeconds=0" : ""))
                .expect(200);
        if (subject == Subject.NAMESPACES) {
            // No controller empties it.
            String name = path.substring(path.lastIndexOf('/') + 1);
            direct.put(path + "/finalize", "{\"metadata\":{\"name\":\"" + name + "\"},\"spec\":{\"finalizers\":[]}}")
                    .expect(200);
        }
        present.get(subject).remove(path);
    }

    /** An object of its own, by which watches of the whole resource are followed; tells what is new in it. */
    String mark(Subject subject) throws IOException, InterruptedException {
        String path = subject.in(first) + "/" + (subject.namespaced() ? "marker" : first + "-marker");
        if (!present.get(subject).contains(path)) {
            create(subject, path, new Random(0));
        }
        return touch(subject, path);
    }

    /** Changes an annotation of an object, and nothing that selects; tells its new value, or null if there is no object. */
    String touch(Subject subject, String path) throws IOException, InterruptedException {
        if (!present.get(subject).contains(path)) {
            return null;
        }
        String mark = "mark-" + markers++ + ";";
        noted(
                subject,
                direct.patch(path, "{\"metadata\":{\"annotations\":{\"diff\":\"" + mark + "\"}}}")
                        .expect(200));
        return mark;
    }

    /** The paths of all objects that are there, in any order that is always the same. */
    List<String> paths(Subject subject) {
        return present.get(subject).stream().collect(Collectors.toList());
    }

    /** A large object, for bodies that are worth compressing. */
    void large(Random random) throws IOException, InterruptedException {
        String path = Subject.CONFIG_MAPS.in(second()) + "/large";
        if (present.get(Subject.CONFIG_MAPS).contains(path)) {
            delete(Subject.CONFIG_MAPS, path);
        } else {
            String data = ("line " + random.nextInt() + "\\n").repeat(15_000);
            noted(
                    Subject.CONFIG_MAPS,
                    direct.post(
                                    Subject.CONFIG_MAPS.in(second()),
                                    "{\"metadata\":{\"name\":\"large\"},\"data\":{\"k\":\"" + data + "\"}}")
                            .expect(201));
            present.get(Subject.CONFIG_MAPS).add(path);
        }
    }

    private void noted(Subject subject, Api.Answer answer) {
        long version = Json.version(answer.json());
        written = Math.max(written, version);
        Deque<Long> known = versions.get(subject);
        known.addLast(version);
        if (known.size() > MOST_VERSIONS) {
            known.removeFirst();
        }
    }
}
