package io.watchfan.k8s;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks both servers the same, and compares the answers. */
final class Questions {
    private static final Duration MOST_OF_AN_ANSWER = Duration.ofSeconds(60);
    private static final int MOST_TIMES = 6;
    private static final int MOST_DIFFERENCES = 60;
    private static final int SHOWN = 3000;
    private static final long PROBE_MILLIS = 100;

    private final long seed;
    private final World world;
    private final Population population;
    private final Asks asks;
    private final Map<Subject, Long> floors = new EnumMap<>(Subject.class);
    private final List<String> differences = new ArrayList<>();
    private final Map<Integer, Integer> statuses = new TreeMap<>();

    Questions(long seed, World world, Population population, Asks asks) {
        this.seed = seed;
        this.world = world;
        this.population = population;
        this.asks = asks;
    }

    /** From this version on a watch of the resource is within the proxy's window. */
    void floor(Subject subject, long version) {
        floors.put(subject, version);
    }

    /** How many answers had which status. */
    Map<Integer, Integer> statuses() {
        return statuses;
    }

    /** What has differed so far; more than a few are not kept. */
    List<String> differences() {
        return differences;
    }

    private void differ(String difference) {
        System.out.println("differential: " + "seed " + seed + ", " + difference);
        differences.add(difference);
        if (differences.size() == MOST_DIFFERENCES) {
            throw new AssertionError(MOST_DIFFERENCES + " answers differ; see above");
        }
    }

    private static CompletableFuture<Recording> begin(Api api, Ask ask) {
        return api.record(ask.method(), ask.target(), ask.headers());
    }

    private static Reply end(CompletableFuture<Recording> begun, Ask ask) throws IOException, InterruptedException {
        try {
            Recording recording = begun.get(MOST_OF_AN_ANSWER.toSeconds(), TimeUnit.SECONDS);
            if (!recording.awaitEnd(MOST_OF_AN_ANSWER)) {
                throw new AssertionError("no end of the answer to " + ask);
            }
            if (recording.trouble() != null) {
                throw new IOException(ask.toString(), recording.trouble());
            }
            return Reply.of(recording);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException(ask.toString(), e);
        }
    }

    /** Asks so much, at the same time, and fails if an answer differs. */
    void ask(int count, int step, Random random) throws IOException, InterruptedException {
        Map<Ask, CompletableFuture<Recording>> atDirect = new LinkedHashMap<>();
        Map<Ask, CompletableFuture<Recording>> atProxy = new LinkedHashMap<>();
        for (int each = 0; each < count; each++) {
            Ask ask = asks.any(random);
            atDirect.computeIfAbsent(ask, same -> begin(world.direct(), same));
            atProxy.computeIfAbsent(ask, same -> begin(world.proxied(), same));
        }
        for (Ask ask : atDirect.keySet()) {
            Reply direct = end(atDirect.get(ask), ask);
            Reply proxied = end(atProxy.get(ask), ask);
            statuses.merge(direct.status(), 1, Integer::sum);
            note(direct);
            note(proxied);
            compare(step, ask, direct, proxied);
            follow(step, ask, direct, proxied);
        }
    }

    /** Asks for the next pages, by the tokens of both at both. */
    private void follow(int step, Ask ask, Reply direct, Reply proxied) throws IOException, InterruptedException {
        for (Reply reply : List.of(direct, proxied)) {
            String token = reply.status() == 200 && !ask.isWatch()
                    ? ListParts.of(reply.contentType(), reply.body()).token()
                    : "";
            if (!token.isEmpty()) {
                Ask next = ask.following(token);
                CompletableFuture<Recording> atDirect = begin(world.direct(), next);
                CompletableFuture<Recording> atProxy = begin(world.proxied(), next);
                compare(step, next, end(atDirect, next), end(atProxy, next));
            }
        }
    }

    private void note(Reply reply) {
        if (reply.status() == 200 || reply.status() == 410) {
            String token = ListParts.of(reply.contentType(), reply.body()).token();
            if (!token.isEmpty()) {
                asks.give(token);
            }
        }
    }

    private void compare(int step, Ask asked, Reply firstDirect, Reply firstProxied)
            throws IOException, InterruptedException {
        Ask ask = asked;
        Reply direct = firstDirect;
        Reply proxied = firstProxied;
        for (int time = 1; ; time++) {
            Comparison comparison = new Comparison(ask, population.written(), floor(ask));
            String difference = comparison.difference(direct, proxied);
            if (difference == null) {
                return;
            }
            boolean cut = ask.isWatch() && comparison.isOnlyCutShort(direct, proxied);
            if (time == MOST_TIMES
                    || !cut && comparison.difference(direct, end(begin(world.direct(), ask), ask)) == null) {
                differ("step " + step + ": " + ask + "\n" + difference + "\n--- API server\n" + shown(direct)
                        + "\n--- proxy\n" + shown(proxied) + "\n--- time " + time);
                return;
            }
            // Either the API server itself says something else now, as it writes some objects of its own, or the
            // watch's
            // time was over too soon.
            ask = cut ? lasting(ask, 2 * time) : ask;
            CompletableFuture<Recording> atDirect = begin(world.direct(), ask);
            CompletableFuture<Recording> atProxy = begin(world.proxied(), ask);
            direct = end(atDirect, ask);
            proxied = end(atProxy, ask);
        }
    }

    private static Ask lasting(Ask ask, int seconds) {
        List<Ask.Parameter> query = new ArrayList<>();
        for (Ask.Parameter parameter : ask.query()) {
            query.add(
                    parameter.name().equals("timeoutSeconds")
                            ? new Ask.Parameter("timeoutSeconds", Integer.toString(seconds))
                            : parameter);
        }
        return new Ask(ask.method(), ask.path(), query, ask.headers());
    }

    private long floor(Ask ask) {
        for (Subject subject : Subject.values()) {
            if (ask.path().startsWith(subject.group() + "/")
                    && ask.path().matches(".*/" + subject.plural() + "(/.*)?")) {
                return floors.getOrDefault(subject, Long.MAX_VALUE);
            }
        }
        return Long.MAX_VALUE;
    }

    private static String shown(Reply reply) {
        String text = reply.text();
        return reply.status() + " " + reply.headers() + "\n"
                + (text.length() > SHOWN ? text.substring(0, SHOWN) + "... of " + text.length() : text);
    }

    /** Waits until both servers say the same of a resource whose definition has changed. */
    void settle(Subject subject) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + Watching.PATIENCE.toNanos();
        for (String version : List.of("", "0")) {
            Ask ask = new Ask(
                    "GET",
                    subject.everywhere(),
                    version.isEmpty() ? List.of() : List.of(new Ask.Parameter("resourceVersion", version)),
                    Map.of());
            while (true) {
                Reply direct = end(begin(world.direct(), ask), ask);
                Reply proxied = end(begin(world.proxied(), ask), ask);
                String difference = new Comparison(ask, 0, 0).difference(direct, proxied);
                if (difference == null) {
                    break;
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new AssertionError(ask + " does not settle: " + difference + "\n--- API server\n"
                            + shown(direct) + "\n--- proxy\n" + shown(proxied));
                }
                TimeUnit.MILLISECONDS.sleep(PROBE_MILLIS);
            }
        }
    }
}
