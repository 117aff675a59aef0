package io.watchfan.fanout.log;

import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.store.StoreSnapshot;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** A past state is asked for while the events that lead back to it are let go. */
@JCStressTest
@Description("A past state is the right one, or is not told.")
@Outcome(id = "right", expect = Expect.ACCEPTABLE, desc = "the state at that version")
@Outcome(id = "not told", expect = Expect.ACCEPTABLE, desc = "an event on the way back has been let go")
@Outcome(id = "wrong", expect = Expect.FORBIDDEN, desc = "another state")
@State
public class PastStateStress {
    private final FeedWriter writer = StressFeed.of(3);

    /** A full ring. */
    public PastStateStress() {
        StressFeed.write(writer, 1, 3);
    }

    /** The feed's thread. */
    @Actor
    public void write() {
        StressFeed.write(writer, 4, 6);
    }

    /** Any reader. */
    @Actor
    public void read(L_Result result) {
        StoreSnapshot objects = writer.state().objectsAt(StressFeed.versionOf(1));
        if (objects == null) {
            result.r1 = "not told";
            return;
        }
        StoredObject object = objects.get(StressFeed.OBJECTS[0].key());
        result.r1 = object == StressFeed.OBJECTS[1] ? "right" : "wrong";
    }
}
