package io.watchfan.fanout.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.fanout.TestObjects;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.group.EventTransition;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.selector.FieldSelector;
import io.watchfan.fanout.selector.LabelSelector;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.fanout.selector.SelectableFields;
import io.watchfan.fanout.selector.SelectorParser;
import io.watchfan.fanout.selector.SelectorSyntaxException;
import io.watchfan.fanout.selector.WatchScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Gap repair against an upstream whose history is kept in full. Part of it stays hidden from the feed, which is told of it by a
 * list; then clients of many scopes, from every version, must come to hold exactly what is true.
 */
class GapRepairPropertyTest {
    private static final LogLimits LIMITS = new LogLimits(10_000, Long.MAX_VALUE, Long.MAX_VALUE);
    private static final SelectableFields FIELDS = SelectableFields.forCustom(true, List.of("spec.color"));
    private static final List<WatchScope> SCOPES = List.of(
            scope(null, "", ""),
            scope("a", "", ""),
            scope("a", "", "metadata.name=x"),
            scope(null, "app=1", ""),
            scope(null, "app in (1,2)", ""),
            scope(null, "app!=1", ""),
            scope(null, "!app", ""),
            scope("b", "app=2", "spec.color=red"),
            scope(null, "", "spec.color=red"),
            scope(null, "app", "spec.color!=blue"));

    /** One true change upstream. */
    private record Change(long version, StoredObject before, StoredObject after) {}

    /** The API server: the truth at every version. */
    private static final class Upstream {
        final Random random;
        final List<Change> changes = new ArrayList<>();
        final NavigableMap<Long, Map<ObjectKey, StoredObject>> states = new TreeMap<>();
        private final TreeMap<ObjectKey, StoredObject> objects = new TreeMap<>();
        private long version = 10;
        private int uids;

        Upstream(Random random) {
            this.random = random;
            states.put(version, Map.of());
        }

        Change change() {
            version += 1 + random.nextInt(3);
            ObjectKey key = new ObjectKey(
                    random.nextBoolean() ? "a" : "b", List.of("x", "y", "z").get(random.nextInt(3)));
            StoredObject before = objects.get(key);
            StoredObject after = null;
            if (before == null) {
                after = random(key, "u" + uids++);
            } else if (random.nextInt(3) != 0) {
                after = random(key, before.uid());
            }
            if (after == null) {
                objects.remove(key);
            } else {
                objects.put(key, after);
            }
            Change change = new Change(version, before, after);
            changes.add(change);
            states.put(version, Map.copyOf(objects));
            return change;
        }

        private StoredObject random(ObjectKey key, String uid) {
            Labels labels = random.nextInt(3) == 0 ? Labels.EMPTY : Labels.of("app", "" + (1 + random.nextInt(2)));
            return TestObjects.object(key, uid, version, labels, random.nextBoolean() ? "red" : "blue");
        }

        void pass() {
            version += random.nextInt(3);
            states.put(version, Map.copyOf(objects));
        }

        List<StoredObject> list() {
            return List.copyOf(objects.values());
        }

        Map<ObjectKey, StoredObject> at(long version, WatchScope scope) {
            Map<ObjectKey, StoredObject> there =
                    new HashMap<>(states.floorEntry(version).getValue());
            there.values().removeIf(object -> !matches(scope, object));
            return there;
        }
    }

    /** One client: what it holds, and the version it would resume from. */
    private static final class Client {
        final WatchScope scope;
        final Map<ObjectKey, StoredObject> held;
        final boolean isTold;
        long started;
        long shown;

        /** @param isTold whether it may have been told deletions of a gap before */
        Client(WatchScope scope, long version, Map<ObjectKey, StoredObject> held, boolean isTold) {
            this.scope = scope;
            this.held = new HashMap<>(held);
            this.isTold = isTold;
            this.started = version;
            this.shown = version;
        }

        /** Takes an event if it is for this client, and says whether it was shown something. */
        boolean take(WatchEvent event) {
            Line line = event.knownAt() <= started ? null : EventTransition.of(event, scope, shown);
            if (line == null) {
                return false;
            }
            String what = this + " takes " + line;
            assertThat(line.resourceVersion()).as(what).isGreaterThanOrEqualTo(shown);
            StoredObject before = held.get(line.source().key());
            switch (line.type()) {
                case ADDED -> assertThat(before).as(what).isNull();
                case MODIFIED -> {
                    assertThat(before).as(what).isNotNull();
                    assertThat(before.uid()).as(what).isEqualTo(line.source().uid());
                }
                default -> {
                    if (!isTold || event.knownAt() == event.resourceVersion()) {
                        assertThat(before).as(what).isNotNull();
                    }
                }
            }
            if (line.type() == EventType.DELETED) {
                held.remove(line.source().key());
            } else {
                assertThat(line.isSpliced()).as(what).isFalse();
                if (before != null) {
                    assertThat(line.source().resourceVersion()).as(what).isGreaterThan(before.resourceVersion());
                }
                held.put(line.source().key(), line.source());
            }
            shown = line.resourceVersion();
            return true;
        }

        void takeAll(FeedState state, EventCursor cursor) {
            WatchEvent event;
            while ((event = cursor.take(state.position().sequence())) != null) {
                take(event);
            }
            assertThat(cursor.outcome(state.position().sequence())).isEqualTo(PollResult.CAUGHT_UP);
        }

        /** Goes on at the true upstream, as a client-side cache does: it puts and removes what it is told. */
        void followUpstream(Upstream upstream) {
            for (Change change : upstream.changes) {
                if (change.version > shown) {
                    boolean now = change.after != null && matches(scope, change.after);
                    boolean before = change.before != null && matches(scope, change.before);
                    if (now) {
                        held.put(change.after.key(), change.after);
                    } else if (before) {
                        held.remove(change.before.key());
                    }
                }
            }
        }

        @Override
        public String toString() {
            return "client of " + scope + " from " + started + ", shown " + shown + ", holding " + held.values();
        }
    }

    /** The feed beside its upstream. */
    private static final class Feed {
        final Upstream upstream;
        final FeedWriter writer = new FeedWriter(LIMITS);
        final List<FeedState> states = new ArrayList<>();

        /** The versions of which the feed knows nothing: pairs of the last before and the first after. */
        final List<long[]> gaps = new ArrayList<>();

        final long start;

        Feed(Upstream upstream) {
            this.upstream = upstream;
            start = upstream.version;
            writer.reset(start, upstream.list());
            states.add(writer.state());
        }

        void see(int changes) {
            for (int i = 0; i < changes; i++) {
                Change change = upstream.change();
                if (change.after != null) {
                    writer.upsert(change.after, 0);
                } else {
                    writer.delete(change.before, change.version, 0);
                }
                writer.publish();
                states.add(writer.state());
            }
            if (upstream.random.nextBoolean()) {
                upstream.pass();
                writer.progress(upstream.version);
                writer.publish();
                states.add(writer.state());
            }
        }

        void miss(int changes) {
            long before = writer.resourceVersion();
            for (int i = 0; i < changes; i++) {
                upstream.change();
            }
            upstream.pass();
            FeedWriter.Repair repair = writer.repair(upstream.version, upstream.list(), 0);
            assertThat(repair).isNotEqualTo(FeedWriter.Repair.NEW_EPOCH);
            states.add(writer.state());
            gaps.add(new long[] {before, upstream.version});
        }

        boolean isInGap(long version) {
            return gaps.stream().anyMatch(gap -> gap[0] < version && version < gap[1]);
        }

        FeedState last() {
            return states.get(states.size() - 1);
        }

        static Feed random(Random random) {
            Upstream upstream = new Upstream(random);
            for (int i = random.nextInt(8); i > 0; i--) {
                upstream.change();
            }
            Feed feed = new Feed(upstream);
            for (int gap = 1 + random.nextInt(2); gap > 0; gap--) {
                feed.see(random.nextInt(6));
                feed.miss(random.nextInt(14));
            }
            feed.see(random.nextInt(6));
            return feed;
        }
    }

    @Property(tries = 400)
    void shouldBringEveryClientOutsideTheGapToTheTruth(@ForAll Random random) {
        Feed feed = Feed.random(random);

        for (WatchScope scope : SCOPES) {
            for (long version = feed.start; version <= feed.upstream.version; version++) {
                EventCursor cursor = feed.last().startAt(version);
                if (feed.isInGap(version)) {
                    assertThat(cursor).isNull();
                    continue;
                }
                Client client = new Client(scope, version, feed.upstream.at(version, scope), false);
                client.takeAll(feed.last(), cursor);
                assertHoldsTheTruth(client, feed);
            }
        }
    }

    /** Clients that were there before the gap, those included that hold a version ahead of the feed's. */
    @Property(tries = 200)
    void shouldBringEveryClientThatFollowsToTheTruth(@ForAll Random random) {
        Feed feed = Feed.random(random);

        for (WatchScope scope : SCOPES) {
            int from = random.nextInt(feed.states.size());
            for (long version = feed.start; version <= feed.upstream.version; version++) {
                FeedState state = feed.states.get(from);
                EventCursor cursor = state.startAt(version);
                if (cursor == null) {
                    assertThat(feed.isInGap(version)).isTrue();
                    continue;
                }
                Client client = new Client(scope, version, feed.upstream.at(version, scope), false);
                boolean refused = false;
                for (int i = from; i < feed.states.size() && !refused; i++) {
                    FeedState next = feed.states.get(i);
                    // A client ahead of the feed is not known to be in a gap before the gap is known.
                    refused = client.shown == version
                            && version > state.position().resourceVersion()
                            && next.gaps().strictlyInside(version);
                    if (!refused) {
                        client.takeAll(next, cursor);
                        state = next;
                    }
                }
                assertThat(refused)
                        .isEqualTo(feed.isInGap(version)
                                && version > feed.states.get(from).position().resourceVersion());
                if (!refused) {
                    assertHoldsTheTruth(client, feed);
                }
            }
        }
    }

    @Property(tries = 200)
    void shouldLetAClientResumeAnywhereAfterAnyPrefix(@ForAll Random random) {
        Feed feed = Feed.random(random);

        for (WatchScope scope : SCOPES) {
            for (long version = feed.start; version <= feed.upstream.version; version++) {
                EventCursor cursor = feed.last().startAt(version);
                if (cursor == null) {
                    continue;
                }
                Client client = new Client(scope, version, feed.upstream.at(version, scope), false);
                WatchEvent event;
                while ((event = cursor.take(feed.last().position().sequence())) != null) {
                    if (client.take(event)) {
                        resumeHere(client, feed);
                        resumeUpstream(client, feed);
                    }
                }
            }
        }
    }

    private static void resumeHere(Client prefix, Feed feed) {
        EventCursor cursor = feed.last().startAt(prefix.shown);
        if (cursor == null) {
            assertThat(feed.isInGap(prefix.shown)).isTrue();
            return;
        }
        Client again = new Client(prefix.scope, prefix.shown, prefix.held, true);
        again.takeAll(feed.last(), cursor);
        assertHoldsTheTruth(again, feed);
    }

    private static void resumeUpstream(Client prefix, Feed feed) {
        Client elsewhere = new Client(prefix.scope, prefix.shown, prefix.held, true);
        elsewhere.followUpstream(feed.upstream);
        assertHoldsTheTruth(elsewhere, feed);
    }

    private static void assertHoldsTheTruth(Client client, Feed feed) {
        assertThat(client.held).as(client.toString()).isEqualTo(feed.upstream.at(feed.upstream.version, client.scope));
    }

    private static boolean matches(WatchScope scope, StoredObject object) {
        return scope.matches(object.namespace(), object.name(), object.labels(), object.fieldValues());
    }

    private static WatchScope scope(String namespace, String labels, String fields) {
        try {
            LabelSelector labelSelector = SelectorParser.parseLabels(labels);
            FieldSelector fieldSelector = SelectorParser.parseFields(fields, FIELDS);
            return WatchScope.of(namespace, labelSelector, fieldSelector);
        } catch (SelectorSyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
