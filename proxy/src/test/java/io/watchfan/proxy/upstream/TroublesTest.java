package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.watchfan.proxy.upstream.Troubles.Next;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TroublesTest {
    private static final long BEGUN = 1;
    private final Troubles troubles = new Troubles(new Backoff(200, 10_000, () -> 0));

    private static UpstreamStatusException answer(int code) {
        return new UpstreamStatusException(code, MultiMap.caseInsensitiveMultiMap(), Buffer.buffer());
    }

    @ParameterizedTest
    @CsvSource({
        // code, with a state, while listing, what follows
        "400, true, false, RETRY",
        "401, true, false, RELOAD",
        "401, false, true, RELOAD",
        "403, true, false, RETRY",
        "403, false, true, END",
        "404, true, false, END",
        "405, false, true, END",
        "410, true, false, LIST_GAP",
        "410, true, true, RETRY",
        "429, false, true, RETRY",
        "503, true, false, RETRY",
    })
    void shouldDecideByTheAnswerAndByWhatIsKnown(int code, boolean known, boolean listing, Next next) {
        assertThat(troubles.onFailure(answer(code), known, listing, BEGUN)).isEqualTo(next);
    }

    @Test
    void shouldTryAgainWhereThereIsNoAnswer() {
        assertThat(troubles.onFailure(new IllegalStateException("cut"), false, true, BEGUN))
                .isEqualTo(Next.RETRY);
    }

    @Test
    void shouldEndOnAListWithoutAVersionUnlessThereIsAState() {
        assertThat(troubles.onFailure(new UnversionedException("none"), false, true, BEGUN))
                .isEqualTo(Next.END);
        assertThat(troubles.onFailure(new UnversionedException("none"), true, true, BEGUN))
                .isEqualTo(Next.RETRY);
    }

    @Test
    void shouldBePatientWithARefusalForFiveMinutesAfterTheLastProgress() {
        long later = BEGUN + TimeUnit.MINUTES.toNanos(5);

        assertThat(troubles.onFailure(answer(403), true, false, BEGUN)).isEqualTo(Next.RETRY);
        assertThat(troubles.onFailure(answer(403), true, false, later)).isEqualTo(Next.RETRY);
        assertThat(troubles.onFailure(answer(403), true, false, later + 1)).isEqualTo(Next.END);

        troubles.onProgress();
        assertThat(troubles.onFailure(answer(403), true, false, later + 1)).isEqualTo(Next.RETRY);
    }

    @Test
    void shouldListAGapAtOnceOnlyWhenTheListBeforeHasLedToSomething() {
        assertThat(troubles.mayListAtOnce()).isTrue();
        troubles.onListed();
        assertThat(troubles.mayListAtOnce()).isFalse();

        troubles.onProgress();
        assertThat(troubles.mayListAtOnce()).isTrue();
    }

    @Test
    void shouldListOnTheThirdUnreadableEventAtOneVersion() {
        assertThat(troubles.onGarbage(7)).isFalse();
        assertThat(troubles.onGarbage(7)).isFalse();
        assertThat(troubles.onGarbage(8)).isFalse();
        assertThat(troubles.onGarbage(8)).isFalse();
        assertThat(troubles.onGarbage(8)).isTrue();
    }

    @Test
    void shouldListOnTheFifthEmptyWatchInARow() {
        for (int i = 0; i < 4; i++) {
            assertThat(troubles.onEmptyWatch()).isFalse();
        }
        troubles.onProgress();
        for (int i = 0; i < 4; i++) {
            assertThat(troubles.onEmptyWatch()).isFalse();
        }
        assertThat(troubles.onEmptyWatch()).isTrue();
    }

    @Test
    void shouldBelieveAnOlderStateTheSecondTime() {
        assertThat(troubles.onOlderState()).isEqualTo(1000);
        assertThat(troubles.onOlderState()).isZero();

        troubles.onListed();
        assertThat(troubles.onOlderState()).isEqualTo(1000);
    }
}
