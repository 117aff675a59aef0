package io.watchfan.fanout.log;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Watches start at the floor, and one event above it, while the writer lets go of the oldest events. */
@JCStressTest
@Description(
        "A watch that starts while events are let go is refused, or gets its first event, or learns that it has expired.")
@Outcome(
        id = {
            "first, first",
            "first, EXPIRED",
            "first, refused",
            "EXPIRED, first",
            "EXPIRED, EXPIRED",
            "EXPIRED, refused",
            "refused, first",
            "refused, EXPIRED",
            "refused, refused"
        },
        expect = Expect.ACCEPTABLE,
        desc = "each has its first event, or knows that it cannot have it")
@Outcome(id = ".*skipped.*", expect = Expect.FORBIDDEN, desc = "a cursor passed over an event its client does not know")
@Outcome(
        id = ".*CAUGHT_UP.*",
        expect = Expect.FORBIDDEN,
        desc = "a cursor passed over all events its client does not know")
@State
public class AdmissionStress {
    private final FeedWriter writer = StressFeed.of(3);

    /** A full ring. */
    public AdmissionStress() {
        StressFeed.write(writer, 1, 3);
    }

    /** The feed's thread. */
    @Actor
    public void write() {
        StressFeed.write(writer, 4, 7);
    }

    /** An event loop that admits a watch which holds the floor, then one which knows the first event. */
    @Actor
    public void admit(LL_Result result) {
        FeedState state = writer.state();
        result.r1 = StressFeed.admission(state, StressFeed.START, 1);
        result.r2 = StressFeed.admission(state, StressFeed.versionOf(1), 2);
    }
}
