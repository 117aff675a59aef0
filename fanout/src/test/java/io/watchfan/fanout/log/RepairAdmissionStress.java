package io.watchfan.fanout.log;

import io.watchfan.fanout.TestObjects;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * The oldest event is a deletion that a gap repair inferred: shown at version 100, known at 200. It is let go while watches
 * start from either side of the gap.
 */
@JCStressTest
@Description("A repaired deletion that is let go refuses those who do not know of it, and only those.")
@Outcome(
        id = {"first, first", "EXPIRED, first", "refused, first"},
        expect = Expect.ACCEPTABLE,
        desc = "who holds 100 has the deletion or knows that it is gone; who holds 200 has what follows")
@Outcome(
        id = {
            "EXPIRED, EXPIRED",
            "refused, EXPIRED",
            "EXPIRED, refused",
            "refused, refused",
            "first, EXPIRED",
            "first, refused"
        },
        expect = Expect.ACCEPTABLE,
        desc = "what follows has been let go, too")
@Outcome(id = ".*skipped.*", expect = Expect.FORBIDDEN, desc = "a cursor passed over an event its client does not know")
@Outcome(
        id = ".*CAUGHT_UP.*",
        expect = Expect.FORBIDDEN,
        desc = "a cursor passed over all events its client does not know")
@State
public class RepairAdmissionStress {
    private final FeedWriter writer = new FeedWriter(new LogLimits(4, Long.MAX_VALUE, Long.MAX_VALUE));

    /** A full ring: the deletion, and three events after the gap. */
    public RepairAdmissionStress() {
        writer.reset(100, List.of(TestObjects.object("a/x", 50)));
        writer.repair(200, List.of(), 0);
        StressFeed.write(writer, 11, 13);
    }

    /** The feed's thread. */
    @Actor
    public void write() {
        StressFeed.write(writer, 14, 18);
    }

    /** An event loop. */
    @Actor
    public void admit(LL_Result result) {
        FeedState state = writer.state();
        result.r1 = StressFeed.admission(state, 100, 1);
        result.r2 = StressFeed.admission(state, 200, 2);
    }
}
