package io.watchfan.fanout.log;

import io.watchfan.fanout.event.WatchEvent;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/** An event that a position covers and that is not there has been let go, and the floor says so. */
@JCStressTest
@Description("No event is missing by accident.")
@Outcome(id = "all", expect = Expect.ACCEPTABLE, desc = "every event up to the position is there")
@Outcome(id = "let go", expect = Expect.ACCEPTABLE, desc = "one is not there, and the floor is above it")
@Outcome(id = "missing", expect = Expect.FORBIDDEN, desc = "one is not there, and nothing says that it was let go")
@Outcome(id = "another", expect = Expect.FORBIDDEN, desc = "another event stands in its place")
@State
public class LettingGoStress {
    private final FeedWriter writer = StressFeed.of(2);

    /** The feed's thread. */
    @Actor
    public void write() {
        StressFeed.write(writer, 1, 4);
    }

    /** Any reader. */
    @Actor
    public void read(L_Result result) {
        FeedState state = writer.state();
        result.r1 = "all";
        for (long s = 1; s <= state.position().sequence(); s++) {
            WatchEvent event = state.log().eventAt(s);
            if (event == null) {
                result.r1 = state.log().floor() >= StressFeed.versionOf(s) ? "let go" : "missing";
            } else if (!StressFeed.isRight(event, s)) {
                result.r1 = "another";
            }
            if (result.r1.equals("missing") || result.r1.equals("another")) {
                return;
            }
        }
    }
}
