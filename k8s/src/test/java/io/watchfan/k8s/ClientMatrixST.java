package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.k8s.MatrixClient.OnCut;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The informers and watchers of the libraries that are in use, each through a thousand changes, through three kinds of ends
 * of its watch, and through the loss of the history that it would need. What they hold and tell is compared with the API
 * server, and what they ask for with what is written of them.
 */
@EndToEnd(proxyFlags = {"--feed", "configmaps", "--feed", "pods", "--feed", "leases.coordination.k8s.io"})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientMatrixST {
    private static final long SEED = 20261201;

    private static final int BEFORE = 40;
    private static final int IN_STEP = 400;
    private static final int ACROSS_A_CUT = 200;
    private static final int SEEN_BEFORE_A_CUT = 10;
    private static final int UNSEEN = 160;
    private static final int AFTER = 80;

    /** Fewer than are missed while the client is kept away. */
    private static final String WINDOW = "100";

    private static final Duration MOST_OF_A_START = Duration.ofMinutes(1);

    /** Discovery, which kubectl does first, is passed through as {@code other}. */
    private static final Pattern PASSED = Pattern.compile(
            "^watchfan_requests_total\\{outcome=\"passthrough\",reason=\"(?!other\")([^\"]*)\",verb=\"get\"} (\\d+)",
            Pattern.MULTILINE);

    @TempDir
    Path home;

    private final Map<Kind, Integer> openUpstream = new TreeMap<>();
    private ProxyProcess narrow;

    @BeforeAll
    void twoProxiesAndNoClients(ControlPlane cluster, ProxyProcess proxy) throws Exception {
        List<String> flags = new ArrayList<>(List.of("--window-events", WINDOW));
        flags.addAll(List.of(getClass().getAnnotation(EndToEnd.class).proxyFlags()));
        narrow = ProxyProcess.start("ClientMatrixST-narrow", cluster, flags.toArray(String[]::new));
        for (Kind kind : Kind.values()) {
            // Whatever the proxies hold of it for a media type, they hold from here on.
            for (String accepts : List.of("application/json", "application/vnd.kubernetes.protobuf")) {
                for (ProxyProcess each : List.of(proxy, narrow)) {
                    each.api()
                            .get(kind.path("default") + "?resourceVersion=0", accepts)
                            .expect(200);
                }
            }
            openUpstream.put(kind, UpstreamWatches.onceSettled(Api.direct(cluster), kind.resource()));
        }
    }

    @AfterAll
    void closeTheSecond() {
        if (narrow != null) {
            narrow.close();
        }
    }

    @ParameterizedTest
    @MethodSource("io.watchfan.k8s.MatrixClient#tested")
    void shouldSeeWhatHappensAtTheApiServer(MatrixClient tested, World world, ControlPlane cluster, ProxyProcess proxy)
            throws Exception {
        try (Relay relay = new Relay(port(proxy));
                Changes changes = new Changes(world, tested.kind(), SEED)) {
            changes.make(BEFORE);
            try (WatchingClient client = tested.kit().start(tested, cluster, relay, world.namespace(), home)) {
                Run run = new Run(tested, client, relay, changes, proxy, passed(proxy));
                Awaitility.await().atMost(MOST_OF_A_START).until(client::isSynced);
                run.begun();
                run.inStep();
                run.onlyItsOwnWatchIsOpenUpstream(world);
                run.cut(relay::cut);
                run.cut(relay::hangUp);
                run.resumed();
                run.expired();
                run.afterwards();
                run.wasAnsweredAsExpected();
            } catch (AssertionError | RuntimeException | IOException e) {
                System.out.println(tested + " has asked:");
                relay.exchanges().forEach(System.out::println);
                throw e;
            }
        }
    }

    /** One client's way through the test. */
    private final class Run {
        private final MatrixClient tested;
        private final WatchingClient client;
        private final Relay relay;
        private final Changes changes;
        private final ProxyProcess proxy;
        private final Map<String, Long> passedBefore;
        private final List<Told> expected = new ArrayList<>();
        private int begun;

        Run(
                MatrixClient tested,
                WatchingClient client,
                Relay relay,
                Changes changes,
                ProxyProcess proxy,
                Map<String, Long> passedBefore) {
            this.tested = tested;
            this.client = client;
            this.relay = relay;
            this.changes = changes;
            this.proxy = proxy;
            this.passedBefore = passedBefore;
        }

        void begun() throws IOException, InterruptedException {
            expected.addAll(changes.present());
            begun = changes.truth().size();
            same();
        }

        void inStep() throws Exception {
            changes.make(IN_STEP);
            toldAll();
            same();
        }

        /** It costs the API server no watch. */
        void onlyItsOwnWatchIsOpenUpstream(World world) {
            int wanted = openUpstream.get(tested.kind()) + 1;
            eventually(() -> assertThat(
                            UpstreamWatches.open(world.direct(), tested.kind().resource()))
                    .as("watches of the API server, that of this test among them")
                    .isEqualTo(wanted));
        }

        /** Cuts its connection in the midst of changes. */
        void cut(Runnable how) throws Exception {
            int seen = client.events().size();
            List<Future<Void>> making = changes.begin(ACROSS_A_CUT);
            eventually(() -> assertThat(client.events()).hasSizeGreaterThan(seen + SEEN_BEFORE_A_CUT));
            how.run();
            for (Future<Void> each : making) {
                each.get();
            }
            same();
        }

        void resumed() throws IOException, InterruptedException {
            List<Relay.Exchange> exchanges = objects();
            long beginnings =
                    exchanges.stream().filter(Relay.Exchange::isBeginning).count();
            if (tested.onCut() == OnCut.RESUMES) {
                assertThat(beginnings).as("%s", exchanges).isEqualTo(1);
                toldAll();
            } else {
                assertThat(beginnings).as("%s", exchanges).isEqualTo(3);
            }
        }

        /** Keeps the client away until the history that it needs is lost. */
        void expired() throws Exception {
            relay.hold();
            changes.make(UNSEEN);
            // By then it has seen all changes, and forgotten the first of them.
            String list = changes.path() + "?resourceVersionMatch=NotOlderThan&resourceVersion=";
            narrow.api()
                    .get(list + changes.version(), tested.answer().contentType().replace(";stream=watch", ""))
                    .expect(200);
            relay.release(port(narrow));
            same();
            if (tested.onCut() != OnCut.ENDS) {
                assertThat(objects()).as("told that its version is too old").anyMatch(Relay.Exchange::isExpired);
            }
        }

        void afterwards() throws Exception {
            int before = changes.truth().size();
            changes.make(AFTER);
            same();
            List<Told> truth = changes.truth();
            List<Told> news = truth.subList(before, truth.size());
            eventually(() -> assertThat(client.events().stream()
                            .filter(told -> told.version() >= news.get(0).version())
                            .toList())
                    .as("%s afterwards, seed %d", tested, SEED)
                    .containsExactlyInAnyOrderElementsOf(asTold(news)));
            TellingCheck.check(tested, client.events(), truth);
        }

        void wasAnsweredAsExpected() throws IOException, InterruptedException {
            List<Relay.Exchange> exchanges = objects();
            assertThat(exchanges.stream().map(MatrixClient::asked).distinct())
                    .containsExactlyInAnyOrderElementsOf(tested.asks());
            exchanges.stream().filter(Relay.Exchange::isWatch).forEach(watch -> {
                assertThat(watch.header("Accept")).isEqualTo(tested.accepts());
                if (watch.status() == 200) {
                    assertThat(watch.contentType()).isEqualTo(tested.answer().contentType());
                }
            });
            Map<String, Long> passed = passed(proxy);
            passedBefore.forEach((reason, count) -> passed.merge(reason, -count, Long::sum));
            passed.values().removeIf(count -> count == 0);
            assertThat(passed).isEmpty();
        }

        /** Exactly what the API server has told, object by object. */
        private void toldAll() throws IOException, InterruptedException {
            List<Told> all = new ArrayList<>(expected);
            List<Told> truth = changes.truth();
            all.addAll(truth.subList(begun, truth.size()));
            Map<String, ?> wanted = byName(asTold(all));
            eventually(() -> assertThat(differences(byName(client.events()), wanted))
                    .as("%s, seed %d", tested, SEED)
                    .isEmpty());
        }

        /** It holds what there is at the API server. */
        private void same() throws IOException, InterruptedException {
            Map<String, String> present = changes.present().stream().collect(Collectors.toMap(Told::name, Told::held));
            eventually(() -> assertThat(differences(client.state(), present))
                    .as("%s, seed %d", tested, SEED)
                    .isEmpty());
        }

        private List<Told> asTold(List<Told> truth) {
            return tested.tellsKinds()
                    ? truth
                    : truth.stream().map(Told::applied).toList();
        }

        /** Its lists and watches. */
        private List<Relay.Exchange> objects() {
            return relay.exchanges().stream()
                    .filter(each -> each.uri().matches(Pattern.quote(changes.path()) + "([?].*)?"))
                    .toList();
        }
    }

    private static void eventually(org.awaitility.core.ThrowingRunnable assertion) {
        Awaitility.await().atMost(Watching.PATIENCE).untilAsserted(assertion);
    }

    private static Map<String, List<String>> byName(List<Told> events) {
        return events.stream()
                .collect(Collectors.groupingBy(
                        Told::name, TreeMap::new, Collectors.mapping(Told::toString, Collectors.toList())));
    }

    /** What is not as wanted, by name. */
    private static Map<String, String> differences(Map<String, ?> got, Map<String, ?> wanted) {
        Map<String, String> differences = new TreeMap<>();
        Stream.concat(got.keySet().stream(), wanted.keySet().stream()).forEach(name -> {
            if (!Objects.equals(got.get(name), wanted.get(name))) {
                differences.put(name, "wanted " + wanted.get(name) + ", got " + got.get(name));
            }
        });
        return differences;
    }

    /** How many lists and watches both proxies have passed through, by reason. */
    private Map<String, Long> passed(ProxyProcess proxy) throws IOException, InterruptedException {
        Map<String, Long> passed = new TreeMap<>();
        for (ProxyProcess each : List.of(proxy, narrow)) {
            Matcher metrics =
                    PASSED.matcher(each.admin().get("/metrics").expect(200).text());
            while (metrics.find()) {
                passed.merge(metrics.group(1), Long.parseLong(metrics.group(2)), Long::sum);
            }
        }
        return passed;
    }

    private static int port(ProxyProcess proxy) {
        return URI.create(proxy.api().server()).getPort();
    }
}
