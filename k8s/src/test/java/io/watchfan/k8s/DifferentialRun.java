package io.watchfan.k8s;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Steps, each with a random of its own: watches are opened at both servers, objects are changed, what the watches tell is
 * compared, and then, while all is quiet, answers to random requests are.
 */
final class DifferentialRun implements AutoCloseable {
    private static final int ASKS_OF_A_STEP = 40;
    private static final int MOST_CHANGES_OF_A_STEP = 40;
    private static final int MOST_WATCHES = 16;
    private static final int STEPS_OF_A_WATCH = 5;
    private static final int STEPS_OF_A_SENTINEL = 40;
    private static final int STEPS_BETWEEN_DEFINITIONS = 8;

    private final World world;
    private final ControlPlane cluster;
    private final long seed;
    private final Population population;
    private final Definitions definitions;
    private final Asks asks;
    private final Questions questions;
    private final Map<Subject, List<PairedWatch>> sentinels = new EnumMap<>(Subject.class);
    private final List<PairedWatch> watches = new ArrayList<>();
    private final EnumSet<Subject> absent = EnumSet.noneOf(Subject.class);
    private final Map<String, Integer> counts = new TreeMap<>();
    private int step;

    DifferentialRun(World world, ControlPlane cluster, long seed) throws IOException, InterruptedException {
        this.world = world;
        this.cluster = cluster;
        this.seed = seed;
        this.population = new Population(world);
        this.definitions = new Definitions(world.direct());
        this.asks = new Asks(population);
        this.questions = new Questions(seed, world, population, asks);
        for (Subject subject : Subject.values()) {
            if (subject.custom()) {
                definitions.define(subject);
            }
            begin(subject);
        }
    }

    /** A resource is there, as it has not been before. */
    private void begin(Subject subject) throws IOException, InterruptedException {
        Definitions.settled(world.direct(), subject.everywhere(), "\"items\":[");
        Definitions.settled(world.proxied(), subject.everywhere(), "\"items\":[");
        // What is told in protobuf, or of metadata only, may have a window of its own, which begins now.
        for (String accept : List.of(
                "application/vnd.kubernetes.protobuf,application/json",
                "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")) {
            world.proxied()
                    .get(subject.everywhere() + "?resourceVersion=0", accept)
                    .expect(200);
        }
        absent.remove(subject);
        population.gone(subject);
        population.mark(subject);
        begin(subject, version(subject));
    }

    private void begin(Subject subject, long version) throws IOException, InterruptedException {
        questions.settle(subject);
        population.begin(subject, version);
        questions.floor(subject, version);
        sentinel(subject, version);
    }

    private long version(Subject subject) throws IOException, InterruptedException {
        return Json.version(world.direct().get(subject.everywhere()).expect(200).json());
    }

    /** Watches of all of it, in each encoding, by which it is known that the proxy has heard of all changes. */
    private void sentinel(Subject subject, long version) throws IOException, InterruptedException {
        List<PairedWatch> all = new ArrayList<>();
        for (Ask ask : Asks.sentinels(subject, version)) {
            all.add(PairedWatch.open(world, subject, ask, step));
        }
        List<PairedWatch> before = sentinels.put(subject, all);
        if (before != null) {
            before.forEach(PairedWatch::close);
        }
    }

    /** Goes on for so long. */
    void run(Duration duration) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() - deadline < 0) {
            step++;
            try {
                step(new Random(seed * 1_000_003 + step));
            } catch (AssertionError e) {
                throw new AssertionError("seed " + seed + ", step " + step + ": " + e.getMessage(), e);
            }
        }
    }

    private void step(Random random) throws IOException, InterruptedException {
        if (step % STEPS_BETWEEN_DEFINITIONS == 0) {
            redefine(random);
        }
        if (random.nextInt(30) == 0) {
            cluster.command("compact");
        }
        open(3, random);
        List<Subject> changed = new ArrayList<>();
        for (int each = 0; each < 3; each++) {
            changed.add(subject(random));
        }
        int changes = 1 + random.nextInt(MOST_CHANGES_OF_A_STEP);
        for (int change = 0; change < changes; change++) {
            population.change(changed.get(random.nextInt(changed.size())), random);
            if (change == changes / 2) {
                openAtAVersion(random);
            }
        }
        if (random.nextInt(10) == 0) {
            population.large(random);
        }
        count("changes", changes);
        compareWatches();
        questions.ask(ASKS_OF_A_STEP, step, random);
        count("requests", ASKS_OF_A_STEP);
        closeOld();
    }

    private Subject subject(Random random) {
        List<Subject> there = new ArrayList<>(EnumSet.complementOf(absent));
        return there.get(random.nextInt(there.size()));
    }

    /** While all is quiet, so that both begin with the same state. */
    private void open(int most, Random random) throws IOException, InterruptedException {
        int count = random.nextInt(most + 1);
        for (int each = 0; each < count; each++) {
            Subject subject = subject(random);
            open(subject, asks.watch(subject, random));
        }
    }

    /** While changes go on. */
    private void openAtAVersion(Random random) throws IOException, InterruptedException {
        Subject subject = subject(random);
        Ask ask = asks.watch(subject, random);
        if (!ask.isStreamingList()) {
            open(subject, ask);
        }
    }

    private void open(Subject subject, Ask ask) throws IOException, InterruptedException {
        if (watches.size() < MOST_WATCHES) {
            PairedWatch watch = PairedWatch.open(world, subject, ask, step);
            watches.add(watch);
            count("watches", 1);
            if (ask.isStreamingList()) {
                watch.awaitInitialEvents();
            }
        }
    }

    private List<PairedWatch> all() {
        List<PairedWatch> all = new ArrayList<>(watches);
        sentinels.values().forEach(all::addAll);
        return all;
    }

    private void compareWatches() throws IOException, InterruptedException {
        Map<PairedWatch, String> marks = new LinkedHashMap<>();
        for (Map.Entry<Subject, List<PairedWatch>> each : sentinels.entrySet()) {
            String mark = population.mark(each.getKey());
            each.getValue().forEach(sentinel -> marks.put(sentinel, mark));
        }
        for (PairedWatch watch : watches) {
            String member = watch.isOpen() ? watch.member() : null;
            marks.put(watch, member == null ? null : population.touch(watch.subject(), member));
        }
        for (Map.Entry<PairedWatch, String> mark : marks.entrySet()) {
            PairedWatch watch = mark.getKey();
            String difference = watch.difference(mark.getValue(), Watching.PATIENCE);
            if (difference != null && watch.isTooOldForOne()) {
                LeftOpen.WINDOW_OF_WATCHES.met();
                watch.close();
                watches.remove(watch);
            } else if (difference != null) {
                throw new AssertionError(difference);
            }
        }
    }

    private void closeOld() throws IOException, InterruptedException {
        watches.removeIf(watch -> {
            boolean old = !watch.isOpen() || step - watch.openedAt() >= STEPS_OF_A_WATCH;
            if (old) {
                count("events", watch.events());
                watch.close();
            }
            return old;
        });
        for (Subject subject : List.copyOf(sentinels.keySet())) {
            List<PairedWatch> all = sentinels.get(subject);
            if (all.stream().anyMatch(watch -> !watch.isOpen() || step - watch.openedAt() >= STEPS_OF_A_SENTINEL)) {
                all.forEach(watch -> count("events", watch.events()));
                sentinel(subject, version(subject));
            }
        }
    }

    /** Something becomes of a definition. */
    private void redefine(Random random) throws IOException, InterruptedException {
        Subject subject = random.nextBoolean() ? Subject.WIDGETS : Subject.GADGETS;
        count("definitions", 1);
        if (absent.contains(subject)) {
            definitions.define(subject);
            begin(subject);
        } else if (random.nextInt(3) == 0) {
            remove(subject);
        } else {
            change(subject, random.nextBoolean());
        }
    }

    private void remove(Subject subject) throws IOException, InterruptedException {
        definitions.remove(subject);
        absent.add(subject);
        population.gone(subject);
        for (PairedWatch watch : all()) {
            if (watch.subject() == subject) {
                if (!watch.awaitEnds(Watching.PATIENCE)) {
                    throw new AssertionError(watch + ": still open, though the definition is gone");
                }
                String difference = watch.differenceSoFar();
                if (difference != null) {
                    throw new AssertionError(difference);
                }
                LeftOpen.END_OF_A_DEFINITION.met();
                watch.close();
                watches.remove(watch);
            }
        }
        sentinels.remove(subject);
        questions.settle(subject);
    }

    /** Watches stay open meanwhile, and tell of what is written from now on as one does that is opened only then. */
    private void change(Subject subject, boolean deprecated) throws IOException, InterruptedException {
        String content = definitions.change(subject, deprecated);
        Definitions.settled(world.direct(), subject.everywhere(), content);
        questions.settle(subject);
        long version = version(subject);
        population.begin(subject, version);
        questions.floor(subject, version);
        List<PairedWatch> renewed = new ArrayList<>();
        for (PairedWatch sentinel : sentinels.get(subject)) {
            renewed.add(sentinel.afterNewDefinition(world, version, step));
        }
        sentinels.put(subject, renewed);
        for (PairedWatch watch : List.copyOf(watches)) {
            if (watch.subject() == subject) {
                watches.remove(watch);
                watches.add(watch.afterNewDefinition(world, version, step));
            }
        }
    }

    /** Answers that differed. */
    List<String> differences() {
        return questions.differences();
    }

    private void count(String what, int more) {
        counts.merge(what, more, Integer::sum);
    }

    /** What has been done. */
    String summary() {
        return "seed " + seed + ": " + step + " steps, " + counts + ", statuses " + questions.statuses()
                + ", left open " + LeftOpen.all();
    }

    @Override
    public void close() {
        all().forEach(PairedWatch::close);
    }
}
