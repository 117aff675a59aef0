package io.watchfan.fanout.log;

import io.watchfan.fanout.event.WatchEvent;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A cursor that reads while the writer laps it gives the expected event or says that it has expired. */
@JCStressTest
@Description("A lapped cursor never gives a wrong event.")
@Outcome(id = "EVENTS, EVENTS", expect = Expect.ACCEPTABLE, desc = "read before it was lapped")
@Outcome(id = "EVENTS, EXPIRED", expect = Expect.ACCEPTABLE, desc = "lapped between two reads")
@Outcome(id = "EXPIRED, EXPIRED", expect = Expect.ACCEPTABLE, desc = "lapped before the first read")
@Outcome(id = "EXPIRED, EVENTS", expect = Expect.FORBIDDEN, desc = "an event that was let go came back")
@Outcome(id = ".*wrong.*", expect = Expect.FORBIDDEN, desc = "another event than the one at the cursor")
@Outcome(id = ".*CAUGHT_UP.*", expect = Expect.FORBIDDEN, desc = "an event that the position covers was passed over")
@State
public class LappingStress {
    private final FeedWriter writer = StressFeed.of(2);
    private final EventCursor cursor;

    /** A full ring, and a cursor at its oldest event. */
    public LappingStress() {
        StressFeed.write(writer, 1, 2);
        cursor = writer.state().startAt(StressFeed.START);
    }

    /** The feed's thread. */
    @Actor
    public void write() {
        StressFeed.write(writer, 3, 6);
    }

    /** The cursor's reader. */
    @Actor
    public void read(LL_Result result) {
        result.r1 = take();
        result.r2 = take();
    }

    private String take() {
        long next = cursor.next();
        WatchEvent event = cursor.take(2);
        if (event == null) {
            return cursor.outcome(2).toString();
        }
        return StressFeed.isRight(event, next) ? "EVENTS" : "wrong";
    }
}
