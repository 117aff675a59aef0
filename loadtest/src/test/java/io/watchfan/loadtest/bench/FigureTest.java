package io.watchfan.loadtest.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTest {
    private static final List<Double> SAMPLES = List.of(50.0, 10.0, 30.0, 20.0, 40.0);

    @Test
    void shouldTellMedianAndQuartilesWhateverTheOrder() {
        Figure figure = Figure.of("bytes", "B", SAMPLES, null, true);

        assertThat(figure.median()).isEqualTo(30);
        assertThat(figure.lowerQuartile()).isEqualTo(20);
        assertThat(figure.upperQuartile()).isEqualTo(40);
        assertThat(figure.samples()).isEqualTo(SAMPLES);
        assertThat(figure.verdict()).isEqualTo(Figure.Verdict.NONE);
    }

    @Test
    void shouldTakeTheMiddleBetweenTwoSamples() {
        Figure figure = Figure.of("bytes", "B", List.of(1.0, 3.0), null, true);

        assertThat(figure.median()).isEqualTo(2);
        assertThat(figure.lowerQuartile()).isEqualTo(1.5);
    }

    @Test
    void shouldJudgeTheMedianByTheBound() {
        assertThat(verdict(Bound.atMost("bytes", 30))).isEqualTo(Figure.Verdict.MET);
        assertThat(verdict(Bound.atMost("bytes", 29))).isEqualTo(Figure.Verdict.MISSED);
        assertThat(verdict(Bound.atLeast("bytes", 30))).isEqualTo(Figure.Verdict.MET);
        assertThat(verdict(Bound.atLeast("bytes", 31))).isEqualTo(Figure.Verdict.MISSED);
    }

    @Test
    void shouldNotJudgeARunOfAnotherSize() {
        Figure figure = Figure.of("bytes", "B", SAMPLES, Bound.atMost("bytes", 1), false);

        assertThat(figure.verdict()).isEqualTo(Figure.Verdict.NOT_JUDGED);
    }

    private static Figure.Verdict verdict(Bound bound) {
        return Figure.of("bytes", "B", SAMPLES, bound, true).verdict();
    }
}
