package io.watchfan.loadtest.bench;

import java.util.List;
import java.util.Locale;

/**
 * One figure over all rounds. Immutable.
 *
 * @param name what it is
 * @param unit of all values
 * @param samples a value for each round
 * @param median of the samples
 * @param lowerQuartile of the samples
 * @param upperQuartile of the samples
 * @param must what it must be; null for nothing
 * @param verdict whether it is
 */
public record Figure(
        String name,
        String unit,
        List<Double> samples,
        double median,
        double lowerQuartile,
        double upperQuartile,
        Bound must,
        Verdict verdict) {

    /** Whether a figure is what it must be. */
    public enum Verdict {
        /** Nothing is asked of it. */
        NONE,
        MET,
        MISSED,
        /** The run was not of the size for which the bound is meant. */
        NOT_JUDGED
    }

    /**
     * The figure that samples make.
     *
     * @param samples at least one
     * @param judged whether the run was of the size for which bounds are meant
     */
    static Figure of(String name, String unit, List<Double> samples, Bound must, boolean judged) {
        List<Double> sorted = samples.stream().sorted().toList();
        double median = quantile(sorted, 0.5);
        Verdict verdict = Verdict.NONE;
        if (must != null && !judged) {
            verdict = Verdict.NOT_JUDGED;
        } else if (must != null) {
            verdict = must.isMetBy(median) ? Verdict.MET : Verdict.MISSED;
        }
        return new Figure(
                name,
                unit,
                List.copyOf(samples),
                median,
                quantile(sorted, 0.25),
                quantile(sorted, 0.75),
                must,
                verdict);
    }

    /** Between the two nearest ranks, in proportion. */
    private static double quantile(List<Double> sorted, double part) {
        double rank = part * (sorted.size() - 1);
        int below = (int) rank;
        int above = Math.min(below + 1, sorted.size() - 1);
        return sorted.get(below) + (rank - below) * (sorted.get(above) - sorted.get(below));
    }

    /** A number with as many digits as it is worth. */
    static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 1000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, format, value);
    }

    /** What it must be, and whether it is; empty when nothing is asked. */
    String verdictText() {
        if (must == null) {
            return "";
        }
        String text = " must be at " + (must.kind() == Bound.Kind.AT_MOST ? "most " : "least ") + number(must.limit());
        return text
                + switch (verdict) {
                    case MET -> ": met";
                    case MISSED -> ": MISSED";
                    case NOT_JUDGED -> ": not judged, too few watchers";
                    case NONE -> "";
                };
    }
}
