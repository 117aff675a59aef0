package io.watchfan.loadtest.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.loadtest.apiserver.RequestListener;
import io.watchfan.loadtest.contract.Gaps;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What can be known of the proxy's knowledge from what it asks for. */
class GapWitnessTest {
    private final Gaps gaps = new Gaps();
    private final GapWitness witness = new GapWitness("pods", "clients", gaps, 5);

    private RequestListener.Stream watch(long from) {
        return witness.onWatch("", "pods", from);
    }

    private RequestListener.Stream list(long version) {
        RequestListener.Stream stream = watch(-1);
        stream.onSent(version, true);
        return stream;
    }

    private void assertGaps(long... ends) {
        assertThat(gaps.all().stream().flatMapToLong(gap -> LongStream.of(gap.from(), gap.to())))
                .containsExactly(Arrays.stream(ends).boxed().toArray(Long[]::new));
    }

    @Test
    void shouldTakeTheFirstListForTheBeginning() {
        list(100);

        assertThat(witness.floor()).isEqualTo(100);
        assertGaps();
    }

    @Test
    void shouldTakeAnExactListForTheBeginning() {
        witness.onList("", "pods", 100, true);
        watch(100).onSent(101, false);

        assertThat(witness.floor()).isEqualTo(100);
        assertGaps();
    }

    /** The answers of the watches between were no watches at all, so nothing was heard of them here. */
    @Test
    void shouldSeeAGapFromTheStateOfAResumeToTheNextList() {
        witness.onProxyGone(90);
        witness.onList("", "pods", 100, true);
        list(110);

        assertGaps(100, 110);
        assertThat(witness.floor()).isEqualTo(110);
    }

    @Test
    void shouldBelieveTheApiServerThatAVersionIsForgottenWhileTheProxyHasNoState() {
        list(100).onClosed();
        witness.onExpired("pods", 200);
        assertThat(witness.floor())
                .as("a proxy that has a state must know better")
                .isEqualTo(100);

        witness.onProxyGone(300);
        witness.onExpired("nodes", 310);
        assertThat(witness.floor()).isEqualTo(100);
        witness.onExpired("pods", 250);
        witness.onExpired("pods", 240);

        assertThat(witness.floor()).isEqualTo(251);
    }

    @Test
    void shouldSeeNoGapWhenAWatchGoesOn() {
        RequestListener.Stream first = list(100);
        first.onSent(105, false);
        first.onClosed();
        watch(103).onSent(104, false);

        assertGaps();
    }

    @Test
    void shouldSeeAGapFromTheRefusedWatchToTheList() {
        list(100).onClosed();
        watch(103).onLastWord();
        list(110);

        assertGaps(103, 110);
        assertThat(witness.floor()).isEqualTo(100);
    }

    @Test
    void shouldSeeAGapFromWhatWasSentBeforeTheLastWord() {
        RequestListener.Stream stream = list(100);
        stream.onSent(104, false);
        stream.onLastWord();
        stream.onSent(105, false);
        list(110);

        assertGaps(104, 110);
    }

    /** The proxy may list for reasons of its own, and not say in a watch how much of the broken one it has. */
    @Test
    void shouldBeginAtWhatIsSureAndAtMostAtWhatWasSentWhenAListFollowsOnABrokenWatch() {
        list(100).onClosed();
        RequestListener.Stream broken = watch(103);
        broken.onSent(105, false);
        broken.onSent(109, false);
        broken.onClosed();
        list(110);

        assertGaps(103, 110);
        assertThat(LongStream.range(100, 112).filter(gaps::isStart))
                .containsExactly(103L, 104L, 105L, 106L, 107L, 108L, 109L);
    }

    @Test
    void shouldBeginWhereTheFirstListDidWhenThatOneWasLost() {
        list(100).onClosed();
        watch(103).onLastWord();
        list(110).onClosed();
        list(120).onClosed();
        watch(120);

        assertGaps(103, 110, 103, 120);
    }

    @Test
    void shouldNotBeginThereWhenAWatchShowsThatTheListHadCome() {
        list(100).onClosed();
        watch(103).onLastWord();
        list(110).onClosed();
        watch(112).onLastWord();
        list(120);

        assertGaps(103, 110, 112, 120);
    }

    @Test
    void shouldKnowNothingOfTheNextProcess() {
        list(100).onClosed();
        watch(103).onLastWord();
        witness.onProxyGone(106);
        list(120);

        assertThat(witness.floor()).isEqualTo(120);
        assertGaps();
    }

    @Test
    void shouldCloseWhatIsOpenWhenTheProxyIsGone() {
        list(100);
        watch(103).onLastWord();
        watch(-1);
        witness.onProxyGone(106);

        assertGaps(103, 106);
    }

    @Test
    void shouldSeeAGapWhenPagesAreListedWhileNothingIsWatched() {
        list(100).onClosed();
        watch(103).onLastWord();
        witness.onList("", "pods", 110, false);
        watch(110);

        assertGaps(103, 110);
    }

    @Test
    void shouldNotTakeReadsBesideAWatchForGaps() {
        list(100);
        witness.onList("", "pods", 110, false);
        watch(108);

        assertGaps();
    }

    @Test
    void shouldNotHearOfOtherResourcesOrOfClients() {
        list(100);
        assertThat(witness.onWatch("", "nodes", -1)).isSameAs(RequestListener.Stream.NONE);
        assertThat(witness.onWatch("clients", "pods", -1)).isSameAs(RequestListener.Stream.NONE);

        assertGaps();
    }
}
