package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackoffTest {
    private double random;
    private final Backoff backoff = new Backoff(200, 10_000, () -> random);

    @Test
    void shouldGrowUpToItsBound() {
        random = Math.nextDown(1.0);
        assertThat(next(8)).containsExactly(200, 400, 800, 1600, 3200, 6400, 10_000, 10_000);
    }

    @Test
    void shouldNeverPauseForLessThanHalfAStep() {
        random = 0;
        assertThat(next(4)).containsExactly(101, 201, 401, 801);
    }

    @Test
    void shouldBeginAnewAfterAReset() {
        random = 0;
        next(5);

        backoff.reset();

        assertThat(backoff.next()).isEqualTo(101);
    }

    @Test
    void shouldPauseForAsLongAsIsAskedForButNotForEver() {
        random = 0;
        assertThat(backoff.next(1500)).isEqualTo(1500);
        assertThat(backoff.next(0)).isEqualTo(201);
        assertThat(backoff.next(1)).isEqualTo(401);
        assertThat(backoff.next(Long.MAX_VALUE)).isEqualTo(300_000);
    }

    private long[] next(int count) {
        long[] pauses = new long[count];
        for (int i = 0; i < count; i++) {
            pauses[i] = backoff.next();
        }
        return pauses;
    }
}
