package io.watchfan.fanout.log;

import io.watchfan.fanout.event.WatchEvent;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** A new epoch begins under a reader of the old one. */
@JCStressTest
@Description("Who reads a log gets its events until it is closed; who knows of the new epoch finds the old log closed.")
@Outcome(id = "EVENTS, old", expect = Expect.ACCEPTABLE, desc = "read before the epoch ended")
@Outcome(id = "EVENTS, new", expect = Expect.ACCEPTABLE, desc = "the epoch ended after the read")
@Outcome(id = "CLOSED, old", expect = Expect.ACCEPTABLE, desc = "closed, and the new state is not published yet")
@Outcome(id = "CLOSED, new", expect = Expect.ACCEPTABLE, desc = "closed, and the new state is published")
@Outcome(id = ".*, open", expect = Expect.FORBIDDEN, desc = "the new epoch is known and the old log still open")
@Outcome(id = ".*, torn", expect = Expect.FORBIDDEN, desc = "the new epoch came with something of the old one")
@Outcome(id = "EXPIRED, .*", expect = Expect.FORBIDDEN, desc = "an event of a log that nobody appends to was let go")
@Outcome(id = "wrong, .*", expect = Expect.FORBIDDEN, desc = "an event of the other epoch")
@State
public class EpochStress {
    private final FeedWriter writer = StressFeed.of(4);
    private final FeedState old;
    private final EventCursor cursor;

    /** A log with two events. */
    public EpochStress() {
        StressFeed.write(writer, 1, 2);
        old = writer.state();
        cursor = old.startAt(StressFeed.START);
    }

    /** The feed's thread. */
    @Actor
    public void write() {
        writer.reset(50, List.of());
        StressFeed.write(writer, 1, 1);
    }

    /** A reader of the old epoch. */
    @Actor
    public void read(LL_Result result) {
        WatchEvent event = cursor.take(2);
        result.r1 = event == null ? cursor.outcome(2).toString() : StressFeed.isRight(event, 1) ? "EVENTS" : "wrong";
        FeedState state = writer.state();
        result.r2 = state.epoch() == old.epoch() ? "old" : check(state);
    }

    private String check(FeedState state) {
        if (!old.log().isClosed()) {
            return "open";
        }
        Position position = state.position();
        boolean whole = state.epoch() == old.epoch() + 1
                && state.log() != old.log()
                && !state.log().isClosed()
                && position.objects().size() == position.sequence()
                && position.resourceVersion() == (position.sequence() == 0 ? 50 : StressFeed.versionOf(1));
        return whole ? "new" : "torn";
    }
}
