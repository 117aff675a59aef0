package io.watchfan.loadtest.soak;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.watchfan.loadtest.contract.Guarantee;
import io.watchfan.loadtest.contract.ListedState;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.ScopeJournal;
import io.watchfan.loadtest.contract.Truth;
import io.watchfan.loadtest.contract.Violation;
import io.watchfan.loadtest.contract.Violations;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Lists again and again, in all ways and of all scopes, on a thread of its own: each list must be exactly the state at the
 * version that it names, and that version as new as was asked for; without a version, as new as the last write before.
 */
public final class ListClient implements AutoCloseable {
    /** How it calls itself, as the watchers do. */
    public static final String USER_AGENT = "watchfan-loadtest";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(40);
    private static final int LEAST_PAUSE_MILLIS = 50;
    private static final int MOST_PAUSE_MILLIS = 400;
    private static final int MOST_VERSIONS_BACK = 400;
    private static final int MOST_PAGE = 120;
    private static final int MOST_PAGES = 1000;
    private static final int OK = 200;
    private static final int TOO_MANY = 429;
    private static final int GONE = 410;
    private static final int SERVER_ERROR = 500;

    private enum Way {
        PRESENT,
        ANY,
        NOT_OLDER,
        EXACT,
        PRESENT_PAGES,
        EXACT_PAGES
    }

    private final URI server;
    private final String collection;
    private final Truth truth;
    private final List<Scope> scopes;
    private final Explanations explanations;
    private final Violations violations;
    private final boolean stale;
    private final SplittableRandom random;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();
    private final Map<String, Long> counts = new TreeMap<>();
    private final Thread thread = new Thread(this::run, "lists");
    private volatile boolean closed;
    private boolean sabotaged;
    private JsonNode old;

    /**
     * A client that has not started.
     *
     * @param stale whether to take an old answer for a new one once, to show that it is noticed
     */
    public ListClient(
            URI server,
            String collection,
            Truth truth,
            List<Scope> scopes,
            Explanations explanations,
            Violations violations,
            boolean stale,
            long seed) {
        this.server = server;
        this.collection = collection;
        this.truth = truth;
        this.scopes = scopes;
        this.explanations = explanations;
        this.violations = violations;
        this.stale = stale;
        this.random = new SplittableRandom(seed);
    }

    /** Begins. */
    public void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** How many lists were answered how, by way and answer. */
    public Map<String, Long> counts() {
        synchronized (counts) {
            return new TreeMap<>(counts);
        }
    }

    private void run() {
        try {
            while (!closed) {
                list(scopes.get(random.nextInt(scopes.size())), Way.values()[random.nextInt(Way.values().length)]);
                TimeUnit.MILLISECONDS.sleep(random.nextInt(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS));
            }
        } catch (InterruptedException e) {
            // Closed.
        } catch (RuntimeException e) {
            report(Scope.EVERYTHING, 0, "the client of lists failed: " + e);
        }
    }

    private void list(Scope scope, Way way) throws InterruptedException {
        long known = truth.journal(scope).knownVersion();
        long asked = Math.max(1, known - random.nextInt(MOST_VERSIONS_BACK));
        int limit = random.nextInt(1, MOST_PAGE);
        String query = switch (way) {
            case PRESENT -> "";
            case ANY -> "&resourceVersion=0";
            case NOT_OLDER -> "&resourceVersion=" + asked + "&resourceVersionMatch=NotOlderThan";
            case EXACT -> "&resourceVersion=" + asked + "&resourceVersionMatch=Exact";
            case PRESENT_PAGES -> "&limit=" + limit;
            // Of one object a limit does not make a list exact.
            case EXACT_PAGES ->
                "&resourceVersion=" + asked + (scope.name().isEmpty() ? "" : "&resourceVersionMatch=Exact") + "&limit="
                        + limit;
        };
        String path = scope.pathOf(collection) + "?pretty=false" + scope.query();
        long least = switch (way) {
            case PRESENT, PRESENT_PAGES -> known;
            case ANY -> 0;
            default -> asked;
        };
        boolean exact = way == Way.EXACT || way == Way.EXACT_PAGES;
        count(way, check(scope, path, query, limit, least, exact));
    }

    /** Asks for a list, and for all its pages; says how it went. */
    private String check(Scope scope, String path, String query, int limit, long least, boolean exact)
            throws InterruptedException {
        ListedState state = new ListedState();
        long version = exact ? least : 0;
        String next = path + query;
        for (int page = 0; page < MOST_PAGES; page++) {
            JsonNode list;
            try {
                HttpResponse<byte[]> answer = client.send(
                        HttpRequest.newBuilder(server.resolve(next))
                                .timeout(TIMEOUT)
                                .header("Accept", "application/json")
                                .header("User-Agent", USER_AGENT)
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
                if (answer.statusCode() != OK) {
                    return refused(scope, next, version, answer);
                }
                list = MAPPER.readTree(answer.body());
            } catch (JsonProcessingException e) {
                return failed(scope, next, version, "was answered with no JSON: " + e.getOriginalMessage());
            } catch (IOException e) {
                return failed(scope, next, version, "failed: " + e);
            }
            list = sabotaged(list, query);
            long named = list.at("/metadata/resourceVersion").asLong(-1);
            if (!list.path("items").isArray() || named < 0) {
                return failed(scope, next, version, "was answered with no list");
            }
            if (page > 0 && named != version) {
                report(scope, named, "page " + page + " of a list at " + version + ", asked for by " + next);
                return "wrong";
            }
            version = named;
            list.path("items")
                    .forEach(item ->
                            state.add(item.at("/metadata/resourceVersion").asLong(-1)));
            String token = list.at("/metadata/continue").asText("");
            if (token.isEmpty()) {
                return judge(scope, path + query, state, version, least, exact);
            }
            next = path + "&limit=" + limit + "&continue=" + URLEncoder.encode(token, StandardCharsets.UTF_8);
        }
        report(scope, version, "a list without an end, asked for by " + path + query);
        return "wrong";
    }

    private String judge(Scope scope, String asked, ListedState state, long version, long least, boolean exact) {
        ScopeJournal journal = truth.journal(scope);
        String wrong = null;
        if (version < least || exact && version != least) {
            wrong = "the version should be " + (exact ? "" : "at least ") + least;
        } else if (version > journal.knownVersion()) {
            wrong = "the API server has not come so far: " + journal.knownVersion();
        } else {
            wrong = state.difference(journal, version);
        }
        if (wrong == null) {
            return "right";
        }
        report(scope, version, "the list asked for by " + asked + ": " + wrong);
        return "wrong";
    }

    /** Takes the first whole list of the present state for the answer to the next that differs. */
    private JsonNode sabotaged(JsonNode list, String query) {
        if (!stale || !query.isEmpty()) {
            return list;
        }
        if (old == null) {
            old = list;
            return list;
        }
        boolean newer = !sabotaged && !old.path("metadata").equals(list.path("metadata"));
        sabotaged |= newer;
        return newer ? old : list;
    }

    private String refused(Scope scope, String asked, long version, HttpResponse<byte[]> answer) {
        int status = answer.statusCode();
        boolean explained = status == GONE
                ? version > 0 && explanations.explainsExpired(version)
                : (status >= SERVER_ERROR || status == TOO_MANY) && explanations.excuseFailures();
        if (!explained) {
            String body = new String(answer.body(), StandardCharsets.UTF_8);
            report(
                    scope,
                    version,
                    "GET " + asked + " was answered with " + status + ", and no fault explains it: " + body);
            return "wrong";
        }
        return Integer.toString(status);
    }

    private String failed(Scope scope, String asked, long version, String how) {
        if (!explanations.excuseFailures() && !closed) {
            report(scope, version, "GET " + asked + " " + how + ", and no fault explains it");
            return "wrong";
        }
        return "failed";
    }

    private void count(Way way, String outcome) {
        synchronized (counts) {
            counts.merge(way + " " + outcome, 1L, Long::sum);
        }
    }

    private void report(Scope scope, long version, String detail) {
        violations.add(new Violation(Guarantee.LISTED, -1, scope.toString(), version, detail, Instant.now(), ""));
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        thread.interrupt();
        thread.join(TIMEOUT.toMillis());
    }
}
