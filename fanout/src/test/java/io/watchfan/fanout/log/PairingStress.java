package io.watchfan.fanout.log;

import io.watchfan.fanout.TestObjects;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.event.WatchEvent;
import io.watchfan.fanout.store.StoreSnapshot;
import java.util.Iterator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIL_Result;

/** The objects of a state and the events after it are the objects of every later state. */
@JCStressTest
@Description("A snapshot and a cursor from one state fit together.")
@Outcome(
        id = {"0, 0, paired", "2, 2, paired", "3, 3, paired"},
        expect = Expect.ACCEPTABLE,
        desc = "one state, twice")
@Outcome(
        id = {"0, 2, paired", "0, 3, paired", "2, 3, paired"},
        expect = Expect.ACCEPTABLE,
        desc = "a state and a later one")
@Outcome(
        id = {"2, 0, .*", "3, 0, .*", "3, 2, .*"},
        expect = Expect.FORBIDDEN,
        desc = "time ran backwards")
@Outcome(id = ".*, torn", expect = Expect.FORBIDDEN, desc = "the events do not lead from the one to the other")
@Outcome(id = ".*, missing", expect = Expect.FORBIDDEN, desc = "an event between the two is not there")
@State
public class PairingStress {
    private static final StoredObject X = TestObjects.object("a/x", 110);
    private static final StoredObject Y = TestObjects.object("a/y", 120);
    private static final StoredObject LAST_X = TestObjects.object("a/x", 130);

    private final FeedWriter writer = StressFeed.of(8);

    /** The feed's thread. */
    @Actor
    public void write() {
        writer.upsert(X, 0);
        writer.upsert(Y, 0);
        writer.publish();
        writer.delete(LAST_X, 130, 0);
        writer.publish();
    }

    /** Any reader. */
    @Actor
    public void read(IIL_Result result) {
        FeedState one = writer.state();
        FeedState other = writer.state();
        result.r1 = (int) one.position().sequence();
        result.r2 = (int) other.position().sequence();
        result.r3 = check(one, other);
    }

    private static String check(FeedState one, FeedState other) {
        StoreSnapshot objects = one.position().objects();
        EventCursor cursor = one.startAtEnd();
        while (cursor.next() <= other.position().sequence()) {
            WatchEvent event = cursor.take(other.position().sequence());
            if (event == null) {
                return "missing";
            }
            objects = event.type() == EventType.DELETED
                    ? objects.without(event.object().key())
                    : objects.with(event.object());
        }
        return same(objects, other.position().objects()) ? "paired" : "torn";
    }

    private static boolean same(StoreSnapshot one, StoreSnapshot other) {
        Iterator<StoredObject> left = one.iterator();
        Iterator<StoredObject> right = other.iterator();
        while (left.hasNext() && right.hasNext()) {
            if (left.next() != right.next()) {
                return false;
            }
        }
        return left.hasNext() == right.hasNext();
    }
}
