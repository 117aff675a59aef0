package io.watchfan.proxy.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectorParser;
import io.watchfan.fanout.selector.SelectorSyntaxException;
import io.watchfan.fanout.selector.WatchScope;
import io.watchfan.fanout.store.StoreSnapshot;
import io.watchfan.proxy.representation.Representation;
import io.watchfan.proxy.representation.Representations;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.request.MediaTypes.Choice;
import io.watchfan.proxy.request.MediaTypes.Encoding;
import io.watchfan.proxy.request.MediaTypes.Transform;
import io.watchfan.proxy.stream.Gzip;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ListHead;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of one event loop, read by clients that take turns as they please. */
class SharedListsTest {
    private static final long PLENTY = 16 << 20;
    private static final long NO_TIME = Long.MIN_VALUE;
    private static final ApiResource PODS =
            new ApiResource(new GroupVersionResource("", "v1", "pods"), "Pod", true, Set.of());
    private static final ListHead FORM = new ListHead("PodList", "v1", 0, "", true, false);
    private static final Representations JSON = new Representations(PODS, ObjectEncoding.JSON);

    private final Gzip gzip = new Gzip();
    private final Representation whole = JSON.whole();
    private final Representation metadata =
            JSON.of(new Choice(Encoding.JSON, Transform.PARTIAL_METADATA_LIST, "v1", false));

    @AfterEach
    void close() {
        gzip.close();
    }

    private static StoredObject pod(String name, int pad, String app) {
        String begin = "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":";
        String meta = "{\"name\":\"" + name + "\",\"namespace\":\"a\",\"resourceVersion\":\"7\"}";
        String json = begin + meta + ",\"data\":\"" + "x".repeat(pad) + "\"}";
        return new StoredObject(
                new ObjectKey("a", name),
                "",
                7,
                Labels.of("app", app),
                null,
                json.getBytes(StandardCharsets.UTF_8),
                json.indexOf("\"7\"") + 1,
                1,
                begin.length(),
                meta.length());
    }

    private static StoreSnapshot pods(int count, int pad) {
        List<StoredObject> pods = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pods.add(pod("p%06d".formatted(i), pad, i % 2 == 0 ? "web" : "db"));
        }
        return StoreSnapshot.ofSorted(pods);
    }

    private static ListPlan plan(Representation as, StoreSnapshot of, WatchScope scope, ObjectKey after, long limit) {
        return new ListPlan(as, FORM, 9, new SnapshotRange(of, null, after), scope, limit, true, true);
    }

    private ListPlan all(StoreSnapshot of) {
        return plan(whole, of, WatchScope.ALL, null, 0);
    }

    private static WatchScope labelled(String selector) throws SelectorSyntaxException {
        return WatchScope.of(null, SelectorParser.parseLabels(selector), FieldSelector.EVERYTHING);
    }

    /** One client, and what it has got. */
    private static final class Client {
        final ListReader reader;
        final Buffer got = Buffer.buffer();
        private final SharedLists lists;

        Client(SharedLists lists, ListPlan plan, boolean acceptsGzip) {
            this.lists = lists;
            this.reader = new ListReader(lists, lists.join(plan), acceptsGzip, true);
        }

        Client ready() {
            while (!reader.prepare(NO_TIME)) {
                assertThat(lists.size()).isPositive();
            }
            return this;
        }

        Client step() {
            got.appendBuffer(reader.next());
            return this;
        }

        Client through() {
            while (!reader.isDone()) {
                step();
            }
            reader.close();
            return this;
        }

        String text() throws IOException {
            if (!reader.isCompressed()) {
                return got.toString();
            }
            ByteArrayInputStream bytes = new ByteArrayInputStream(got.getBytes());
            try (GZIPInputStream in = new GZIPInputStream(bytes)) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }

    /** What is right, made in one go from the objects. */
    private static String expected(Iterable<StoredObject> items) {
        StringBuilder all = new StringBuilder(
                "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[");
        String separator = "";
        for (StoredObject item : items) {
            all.append(separator)
                    .append(new String(item.bytes(), StandardCharsets.UTF_8)
                            .replace("\"kind\":\"Pod\",\"apiVersion\":\"v1\",", ""));
            separator = ",";
        }
        return all.append("]}\n").toString();
    }

    private static int segments(ListBody list) {
        int segments = 0;
        for (ListSegment segment = list.first(); segment != null; segment = segment.next) {
            assertThat(segment.isMade).isTrue();
            segments++;
        }
        return segments;
    }

    /** What is kept keeps the state alive: where that is nobody else's any more, nothing is. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepNothingOfAStateThatHasPassedWhenTheLastHasIt(boolean acceptGzip) {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        StoreSnapshot state = pods(200, 3000);
        List<ListReader> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            ListReader reader = new ListReader(lists, lists.join(all(state)), acceptGzip, false);
            while (!reader.prepare(NO_TIME)) {
                assertThat(lists.size()).isPositive();
            }
            while (!reader.isDone()) {
                reader.next();
            }
            readers.add(reader);
        }

        readers.get(0).close();
        assertThat(lists.bytes()).isPositive();
        readers.get(1).close();

        assertThat(lists.size()).isZero();
        assertThat(lists.bytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldMakeEachSegmentOnceForAllWhoseListsAreEqual(boolean acceptGzip) throws Exception {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        StoreSnapshot state = pods(1000, 3000);
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            clients.add(new Client(lists, all(state), acceptGzip).ready());
        }
        while (clients.stream().anyMatch(client -> !client.reader.isDone())) {
            clients.stream().filter(client -> !client.reader.isDone()).forEach(Client::step);
        }

        int segments = segments(lists.join(all(state)));
        assertThat(segments).isGreaterThan(40);
        assertThat(lists.written()).isEqualTo(segments);
        assertThat(lists.deflated()).isEqualTo(acceptGzip ? segments : 0);
        for (Client client : clients) {
            assertThat(client.text()).isEqualTo(expected(state::iterator));
        }
    }

    @Test
    void shouldLeaveNothingWhenAllHaveLeftAndSomeTimeHasPassed() {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        StoreSnapshot state = pods(300, 3000);
        Client one = new Client(lists, all(state), true).ready().step();
        Client other = new Client(lists, all(state), false).ready().step();
        one.reader.close();
        one.reader.close();
        other.reader.close();
        assertThat(lists.bytes()).isPositive();

        lists.rest();
        assertThat(lists.bytes()).as("it may be that others come").isPositive();
        lists.rest();

        assertThat(lists.bytes()).isZero();
        assertThat(lists.size()).isZero();
    }

    @Test
    void shouldServeWhoComesAMomentLaterFromWhatIsThere() throws Exception {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        StoreSnapshot state = pods(100, 3000);
        new Client(lists, all(state), true).ready().through();
        long written = lists.written();

        Client later = new Client(lists, all(state), true).ready().through();

        assertThat(lists.written()).isEqualTo(written);
        assertThat(later.text()).isEqualTo(expected(state::iterator));
    }

    /** Nobody else may come: then it would have been kept for nothing. */
    @Test
    void shouldKeepLittleOfALargeListThatOneClientWants() {
        SharedLists lists = new SharedLists(PLENTY, gzip);

        new Client(lists, all(pods(2000, 3000)), false).ready().through();

        assertThat(lists.bytes()).isLessThan((1 << 20) + (200 << 10));
    }

    @Test
    void shouldMakeAgainWhatIsGoneForASlowClientOfManyLists() throws Exception {
        SharedLists lists = new SharedLists(300 << 10, gzip);
        StoreSnapshot state = pods(400, 3000);
        Client slow = new Client(lists, all(state), true).ready().step();
        Client slowToo = new Client(lists, all(state), false).ready().step();
        for (int i = 0; i < 3; i++) {
            new Client(lists, all(pods(300 + i, 2000)), false).ready().through();
            new Client(lists, all(state), i % 2 == 0).ready().through();
            assertThat(lists.bytes()).isLessThanOrEqualTo(300 << 10);
        }

        assertThat(slow.through().text()).isEqualTo(expected(state::iterator));
        assertThat(slowToo.through().text()).isEqualTo(expected(state::iterator));
    }

    @Test
    void shouldKeepListsOfOtherStatesVersionsAndScopesApart() throws Exception {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        StoreSnapshot state = pods(10, 10);
        StoreSnapshot other = state.with(pod("p000003", 11, "web"));
        ListPlan later =
                new ListPlan(whole, FORM, 10, new SnapshotRange(state, null, null), WatchScope.ALL, 0, true, true);

        String first = new Client(lists, all(state), true).ready().through().text();

        assertThat(new Client(lists, all(other), true).ready().through().text())
                .isEqualTo(expected(other::iterator))
                .isNotEqualTo(first);
        assertThat(new Client(lists, later, true).ready().through().text())
                .isEqualTo(first.replace("\"resourceVersion\":\"9\"", "\"resourceVersion\":\"10\""));
        assertThat(new Client(lists, plan(whole, state, labelled("app=db"), null, 0), true)
                        .ready()
                        .through()
                        .text())
                .contains("p000001")
                .doesNotContain("p000002");
        assertThat(lists.size()).isEqualTo(4);
    }

    /** Else an object of many segments would be written as many times, each time in one go. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldMakeAPartOfALargeObjectFromThatPartAlone(boolean acceptGzip) throws Exception {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        StoreSnapshot state = StoreSnapshot.ofSorted(
                List.of(pod("p1", 100, "web"), pod("p2", 4 << 20, "web"), pod("p3", 100, "web")));

        Client client = new Client(lists, all(state), acceptGzip).ready().through();

        assertThat(client.text()).isEqualTo(expected(state::iterator));
        SegmentBuffer buffer = (SegmentBuffer) ProxyFixture.field(lists, "buffer");
        assertThat(buffer.array().length).isLessThan(300 << 10);
    }

    /** Of any sizes, in any turns, whatever is kept meanwhile. */
    @Test
    void shouldGiveTheSameBytesHoweverTheListIsCut() throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 60; round++) {
            SharedLists lists = new SharedLists(random.nextBoolean() ? PLENTY : random.nextInt(400_000), gzip);
            List<StoredObject> pods = new ArrayList<>();
            int most = random.nextInt(4) == 0 ? 500_000 : 2000;
            for (int i = random.nextInt(300); i > 0; i--) {
                pods.add(pod("p%06d".formatted(1000 - i), random.nextInt(most) / (1 + random.nextInt(50)), "web"));
            }
            StoreSnapshot state = StoreSnapshot.ofSorted(pods);
            List<Client> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clients.add(new Client(lists, all(state), random.nextBoolean()).ready());
            }
            List<Client> left = new ArrayList<>(clients);
            while (!left.isEmpty()) {
                Client next = left.get(random.nextInt(left.size()));
                if (next.step().reader.isDone()) {
                    next.reader.close();
                    left.remove(next);
                }
                if (random.nextInt(20) == 0) {
                    lists.rest();
                }
            }
            String expected = expected(pods);
            for (Client client : clients) {
                assertThat(client.text()).as("seed %d round %d", seed, round).isEqualTo(expected);
            }
        }
    }

    @Test
    void shouldLookAtFewObjectsInATurnThoughNoneOrFewAreInTheScope() throws Exception {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        StoreSnapshot state = pods(20_000, 1).with(pod("p015000", 1, "rare"));
        Client client = new Client(lists, plan(whole, state, labelled("app=rare"), null, 0), false).ready();
        int turns = 0;
        while (!client.reader.isDone()) {
            client.step();
            turns++;
        }

        assertThat(turns).isEqualTo(5);
        assertThat(client.text()).isEqualTo(expected(List.of(state.get(new ObjectKey("a", "p015000")))));
    }

    /** The metadata of nothing is null, so it must be known whether there is any. */
    @Test
    void shouldSurveyInTurns() throws Exception {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        ListPlan plan = plan(metadata, pods(1000, 1), labelled("app=none"), null, 0);
        Client client = new Client(lists, plan, false);
        int turns = 1;
        while (!client.reader.prepare(NO_TIME)) {
            turns++;
        }

        assertThat(turns).isBetween(60, 70);
        assertThat(client.through().text()).endsWith("\"items\":null}\n");
    }

    @Test
    void shouldEndAPageWhereItsLimitIs() throws Exception {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        StoreSnapshot state = pods(10, 1);
        String first = new Client(lists, plan(whole, state, labelled("app=web"), null, 3), false)
                .ready()
                .through()
                .text();
        assertThat(first)
                .contains("\"continue\":\"", "\"remainingItemCount\":5", "p000000", "p000002", "p000004")
                .doesNotContain("p000006", "p000001");

        ObjectKey after = new ObjectKey("a", "p000004");
        String second = new Client(lists, plan(whole, state, labelled("app=web"), after, 2), false)
                .ready()
                .through()
                .text();
        assertThat(second).contains("\"continue\":\"", "p000006", "p000008").doesNotContain("p000004");

        String last = new Client(lists, plan(whole, state, WatchScope.ALL, new ObjectKey("a", "p000005"), 4), false)
                .ready()
                .through()
                .text();
        assertThat(last).contains("p000006", "p000009").doesNotContain("continue", "remaining");
    }

    @Test
    void shouldCompressOnlyWhatIsLargerThanTheApiServerWouldLeave() throws Exception {
        SharedLists lists = new SharedLists(PLENTY, gzip);
        int around = expected(List.of(pod("p", 0, "web"))).length();
        for (int size : new int[] {131_071, 131_072, 131_073}) {
            StoreSnapshot state = StoreSnapshot.ofSorted(List.of(pod("p", size - around, "web")));
            Client client = new Client(lists, all(state), true).ready().through();

            assertThat(client.reader.isCompressed()).as("of %d", size).isEqualTo(size > 131_072);
            assertThat(client.text()).hasSize(size).isEqualTo(expected(state::iterator));
            assertThat(new Client(lists, all(state), false).ready().reader.isCompressed())
                    .isFalse();
        }
    }
}
