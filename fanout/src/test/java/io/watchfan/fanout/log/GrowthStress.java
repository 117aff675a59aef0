package io.watchfan.fanout.log;

import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.WatchEvent;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** The ring grows, and then wraps, under readers of its oldest and newest events. */
@JCStressTest
@Description("Growth hides no event, neither from who starts at the floor nor from who acquired a position.")
@Outcome(id = "first, there", expect = Expect.ACCEPTABLE, desc = "the oldest event was read in time")
@Outcome(id = "EXPIRED, there", expect = Expect.ACCEPTABLE, desc = "the oldest was let go after the start")
@Outcome(id = "refused, there", expect = Expect.ACCEPTABLE, desc = "the oldest was let go before the start")
@Outcome(id = "skipped, .*", expect = Expect.FORBIDDEN, desc = "a cursor passed over an event its client does not know")
@Outcome(
        id = "CAUGHT_UP, .*",
        expect = Expect.FORBIDDEN,
        desc = "a cursor passed over an event its client does not know")
@Outcome(id = ".*, missing", expect = Expect.FORBIDDEN, desc = "the newest event is not there")
@Outcome(id = ".*, another", expect = Expect.FORBIDDEN, desc = "another event stands in its place")
@State
public class GrowthStress {
    private static final int FULL = 1024;

    private final FeedWriter writer = StressFeed.of(FULL + 1);

    /** A full ring of the first capacity. */
    public GrowthStress() {
        EventLog log = writer.state().log();
        for (int s = 1; s < FULL; s++) {
            long version = StressFeed.versionOf(s);
            log.append(EventType.MODIFIED, WatchEvent.Part.WHOLE, version, version, StressFeed.OBJECTS[s], null, 0);
        }
        StressFeed.write(writer, FULL, FULL);
    }

    /** The feed's thread: the first event makes the ring grow, the second lets go of the oldest. */
    @Actor
    public void write() {
        StressFeed.write(writer, FULL + 1, FULL + 2);
    }

    /** Any reader. */
    @Actor
    public void read(LL_Result result) {
        FeedState state = writer.state();
        result.r1 = StressFeed.admission(state, StressFeed.START, 1);
        long newest = state.position().sequence();
        WatchEvent event = state.log().eventAt(newest);
        result.r2 = event == null ? "missing" : StressFeed.isRight(event, newest) ? "there" : "another";
    }
}
