package io.watchfan.fanout.log;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IL_Result;

/** A reader that acquires a state sees every event up to its position, and the root that they lead to. */
@JCStressTest
@Description("What a published position covers is there, and what is not published stays unseen.")
@Outcome(id = "0, all", expect = Expect.ACCEPTABLE, desc = "before the first publication")
@Outcome(id = "1, all", expect = Expect.ACCEPTABLE, desc = "after the first")
@Outcome(id = "3, all", expect = Expect.ACCEPTABLE, desc = "after the second, of two events at once")
@Outcome(id = "2, .*", expect = Expect.FORBIDDEN, desc = "a position that was never published")
@Outcome(id = ".*, missing", expect = Expect.FORBIDDEN, desc = "an event that the position covers is not there")
@Outcome(id = ".*, another", expect = Expect.FORBIDDEN, desc = "another event stands in its place")
@Outcome(id = ".*, torn", expect = Expect.FORBIDDEN, desc = "the root is not the one that the events lead to")
@State
public class PublicationStress {
    private final FeedWriter writer = StressFeed.of(8);

    /** The feed's thread. */
    @Actor
    public void write() {
        StressFeed.write(writer, 1, 1);
        writer.upsert(StressFeed.OBJECTS[2], 0);
        writer.upsert(StressFeed.OBJECTS[3], 0);
        writer.publish();
    }

    /** Any reader. */
    @Actor
    public void read(IL_Result result) {
        FeedState state = writer.state();
        result.r1 = (int) state.position().sequence();
        result.r2 = check(state);
    }

    private static String check(FeedState state) {
        long sequence = state.position().sequence();
        for (long s = sequence; s >= 1; s--) {
            var event = state.log().eventAt(s);
            if (event == null) {
                return "missing";
            }
            if (!StressFeed.isRight(event, s)) {
                return "another";
            }
        }
        var stored = state.position().objects().get(StressFeed.OBJECTS[0].key());
        return stored == (sequence == 0 ? null : StressFeed.OBJECTS[(int) sequence]) ? "all" : "torn";
    }
}
