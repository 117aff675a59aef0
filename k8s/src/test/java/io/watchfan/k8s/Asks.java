package io.watchfan.k8s;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Random requests: ordinary ones, odd ones and wrong ones. */
final class Asks {
    private static final int MOST_TOKENS = 40;
    private static final String FUTURE = "9000000000000000";
    private static final List<String> ACCEPTS = List.of(
            "application/json",
            "*/*",
            "application/*",
            "application/json;q=0.5, */*;q=0.1",
            "application/json, text/plain;q=0.8",
            "text/html, application/json;q=0.9",
            "application/json;pretty=1",
            "application/json;stream=watch",
            "application/json;charset=utf-8",
            "application/yaml",
            "application/yaml;q=0.9,application/json",
            "application/vnd.kubernetes.protobuf",
            "application/vnd.kubernetes.protobuf,application/json",
            "application/json,application/vnd.kubernetes.protobuf",
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1,application/json",
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            "application/json;as=Nothing;g=meta.k8s.io;v=v1",
            "application/json;as=Nothing;g=meta.k8s.io;v=v1,application/json",
            "application/cbor",
            "application/cbor,application/json",
            "text/html",
            "garbage",
            "application/json;q=0",
            ";;,",
            ",");
    private static final List<String> BAD_VERSIONS =
            List.of("abc", "-1", "1.0", " 1", "18446744073709551616", "0x1", "\u0000", "1,2");
    private static final List<String> BAD_TOKENS = List.of(
            "x",
            "garbage",
            "e30",
            "%%%",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhXHUwMDAwIn0",
            "eyJ2IjoidjIiLCJydiI6NSwic3RhcnQiOiJhXHUwMDAwIn0",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIuLi9hXHUwMDAwIn0",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYlx1MDAwMCJ9",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0");

    private final Population population;
    private final Deque<String> tokens = new ArrayDeque<>();

    Asks(Population population) {
        this.population = population;
    }

    /** Notes a token that a server has given, to go on with. */
    void give(String token) {
        tokens.addLast(token);
        if (tokens.size() > MOST_TOKENS) {
            tokens.removeFirst();
        }
    }

    private static <T> T one(List<T> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }

    /** A watch that is to stay open: of a resource as a whole, or of what a selector selects. */
    Ask watch(Subject subject, Random random) {
        List<Ask.Parameter> query = new ArrayList<>();
        add(query, "watch", one(List.of("true", "1", "", "True"), random));
        List<Long> versions = population.versions(subject);
        if (versions.isEmpty() || random.nextInt(4) == 0) {
            add(query, "allowWatchBookmarks", "true");
            switch (random.nextInt(4)) {
                case 0 -> add(query, "resourceVersion", "0");
                case 1 -> {
                    add(query, "sendInitialEvents", "true");
                    add(query, "resourceVersionMatch", "NotOlderThan");
                }
                case 2 -> {
                    add(query, "sendInitialEvents", "1");
                    add(query, "resourceVersionMatch", "NotOlderThan");
                    add(query, "resourceVersion", versions.isEmpty() ? "0" : "" + one(versions, random));
                }
                default -> {} // by default with initial events
            }
        } else {
            add(query, "resourceVersion", "" + recent(versions, random));
            if (random.nextBoolean()) {
                add(query, "allowWatchBookmarks", one(List.of("true", "false", ""), random));
            }
        }
        if (random.nextInt(3) != 0) {
            add(query, "labelSelector", Selectors.labels(random));
        }
        if (random.nextInt(3) == 0) {
            add(query, "fieldSelector", Selectors.fields(subject, population, random));
        }
        return new Ask("GET", collection(subject, random), query, accepted(subject, random));
    }

    private static Map<String, String> accepted(Subject subject, Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> accept("*/*");
            case 1 -> accept((subject.custom() ? "" : "application/vnd.kubernetes.protobuf,") + "application/json");
            case 2 ->
                accept("application/" + (random.nextBoolean() ? "json" : "vnd.kubernetes.protobuf")
                        + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
            default -> Map.of();
        };
    }

    /** Of all that happens to a resource from this version on, in JSON, and in protobuf so far as there is such. */
    static List<Ask> sentinels(Subject subject, long version) {
        List<Ask.Parameter> query = List.of(
                new Ask.Parameter("watch", "true"), new Ask.Parameter("resourceVersion", Long.toString(version)));
        String metadata = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        return List.of(
                new Ask("GET", subject.everywhere(), query, Map.of()),
                new Ask(
                        "GET",
                        subject.everywhere(),
                        query,
                        accept("application/vnd.kubernetes.protobuf" + (subject.custom() ? metadata : ""))));
    }

    private static long recent(List<Long> versions, Random random) {
        int back = random.nextInt(random.nextInt(versions.size()) + 1);
        return versions.get(versions.size() - 1 - back) - (random.nextInt(4) == 0 ? 1 : 0);
    }

    private String collection(Subject subject, Random random) {
        return random.nextInt(3) == 0 ? subject.everywhere() : subject.in(population.namespace(random));
    }

    private static Map<String, String> accept(String accept) {
        return Map.of("Accept", accept);
    }

    /** Any request but a write. */
    Ask any(Random random) {
        Subject subject = one(List.of(Subject.values()), random);
        List<Ask.Parameter> query = new ArrayList<>();
        String path = path(subject, random);
        boolean forced = path.contains("/watch/");
        boolean watch = forced || random.nextInt(3) == 0;
        if (watch) {
            lifetime(query, random);
        } else if (random.nextInt(20) == 0) {
            add(
                    query,
                    one(List.of("timeoutSeconds", "timeout"), random),
                    one(List.of("5", "10s", "abc", "", "1m"), random));
        }
        if (watch && (!forced || random.nextInt(3) == 0)) {
            add(query, "watch", one(List.of("true", "1", "", "yes", "TRUE"), random));
        } else if (random.nextInt(10) == 0) {
            add(query, "watch", one(List.of("false", "0", "False"), random));
        }
        version(query, subject, watch, random);
        options(query, watch, random);
        selectors(query, subject, random);
        if (random.nextInt(12) == 0) {
            add(query, "pretty", one(List.of("true", "1", "false", "", "x"), random));
        }
        if (random.nextInt(20) == 0) {
            add(
                    query,
                    one(List.of("unknown", "Watch", "includeObject", "fieldselector"), random),
                    one(List.of("", "None", "x"), random));
        }
        String method = random.nextInt(40) == 0 ? one(List.of("HEAD", "OPTIONS"), random) : "GET";
        return new Ask(method, path, query, headers(random));
    }

    private static void lifetime(List<Ask.Parameter> query, Random random) {
        boolean bad = random.nextInt(25) == 0;
        add(
                query,
                "timeoutSeconds",
                bad ? one(List.of("abc", "", "1s", "99999999999999999999", "-1", "1.5"), random) : "1");
    }

    private String path(Subject subject, Random random) {
        String name = population.name(subject, random);
        return switch (random.nextInt(30)) {
            case 0, 1, 2 -> collection(subject, random) + "/" + name;
            case 3 -> subject.group() + "/watch/" + subject.plural();
            case 4 -> collection(subject, random).replaceFirst(subject.group(), subject.group() + "/watch");
            case 5 ->
                collection(subject, random).replaceFirst(subject.group(), subject.group() + "/watch") + "/" + name;
            case 6 -> subject.in("nowhere");
            case 7 -> subject.group() + "/namespaces/nowhere/" + subject.plural() + "/" + name;
            case 8 -> subject.group() + "/nothings";
            case 9 ->
                one(
                        List.of(
                                "/api/v2/pods",
                                "/apis/nope/v1/things",
                                "/api",
                                "/apis/apps/v1",
                                "/api/v1/namespaces//pods",
                                "/api/v1/pods/",
                                "/version"),
                        random);
            default -> collection(subject, random);
        };
    }

    private void version(List<Ask.Parameter> query, Subject subject, boolean watch, Random random) {
        List<Long> versions = population.versions(subject);
        String version = switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> null;
            case 4, 5 -> "0";
            case 6 -> random.nextInt(3) == 0 ? one(BAD_VERSIONS, random) : "";
            case 7 -> one(List.of("1", "007", "2"), random);
            default -> versions.isEmpty() ? "0" : "" + recent(versions, random);
        };
        if (random.nextInt(60) == 0) {
            version = FUTURE;
            query.removeIf(parameter -> watch && parameter.name().equals("timeoutSeconds"));
            if (watch) {
                add(query, "timeoutSeconds", "5");
            }
        }
        if (version != null) {
            add(query, "resourceVersion", version);
        }
        if (random.nextInt(watch ? 4 : 6) == 0) {
            add(
                    query,
                    "resourceVersionMatch",
                    one(List.of("Exact", "NotOlderThan", "NotOlderThan", "exact", ""), random));
        }
    }

    private void options(List<Ask.Parameter> query, boolean watch, Random random) {
        if (watch ? random.nextInt(3) == 0 : random.nextInt(30) == 0) {
            add(query, "sendInitialEvents", one(List.of("true", "true", "false", "", "x"), random));
            if (random.nextInt(4) != 0) {
                add(query, "resourceVersionMatch", "NotOlderThan");
            }
        }
        if (random.nextInt(watch ? 2 : 20) == 0) {
            add(query, "allowWatchBookmarks", one(List.of("true", "false", "", "1"), random));
        }
        if (random.nextInt(watch ? 15 : 3) == 0) {
            add(
                    query,
                    "limit",
                    random.nextInt(8) == 0
                            ? one(List.of("abc", "-1", "", "0", "1e3"), random)
                            : "" + (1 + random.nextInt(6)));
        }
        if (random.nextInt(watch ? 20 : 5) == 0) {
            boolean good = !tokens.isEmpty() && random.nextInt(5) != 0;
            add(query, "continue", good ? one(List.copyOf(tokens), random) : one(BAD_TOKENS, random));
            if (random.nextInt(4) != 0) {
                query.removeIf(parameter -> parameter.name().startsWith("resourceVersion"));
            }
        }
    }

    private void selectors(List<Ask.Parameter> query, Subject subject, Random random) {
        if (random.nextInt(3) == 0) {
            add(
                    query,
                    "labelSelector",
                    random.nextInt(4) == 0 ? Selectors.brokenLabels(random) : Selectors.labels(random));
        }
        if (random.nextInt(4) == 0) {
            add(
                    query,
                    "fieldSelector",
                    random.nextInt(4) == 0
                            ? Selectors.brokenFields(random)
                            : Selectors.fields(subject, population, random));
        }
        if (random.nextInt(30) == 0) {
            add(query, "labelSelector", "second=value");
        }
    }

    private static Map<String, String> headers(Random random) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (random.nextInt(3) == 0) {
            headers.put("Accept", one(ACCEPTS, random));
        }
        if (random.nextInt(4) == 0) {
            headers.put(
                    "Accept-Encoding",
                    one(List.of("gzip", "gzip, deflate, br", "deflate", "identity", "gzip;q=0", "*"), random));
        }
        if (random.nextInt(20) == 0) {
            headers.put("User-Agent", one(List.of("curl/8.0", "Mozilla/5.0 (X11)", "kubectl/v1.37.0"), random));
        }
        return headers;
    }

    private static void add(List<Ask.Parameter> query, String name, String value) {
        query.add(new Ask.Parameter(name, value));
    }
}
