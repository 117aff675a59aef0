package io.watchfan.loadtest.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * What happens between two points of rest. Immutable, and fixed by seed and number.
 *
 * @param number from 1
 * @param actions in their order
 * @param length from its start to the point of rest
 * @param churn changes per second
 */
public record SoakRound(int number, List<SoakAction> actions, Duration length, double churn) {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final int LEAST_SECONDS = 6;
    private static final int MOST_SECONDS = 20;
    private static final int LEAST_SECONDS_DIRECT = 2;
    private static final int MOST_SECONDS_DIRECT = 4;
    private static final int MOST_ACTIONS = 14;
    /** The share of actions that come right after another, so that faults meet. */
    private static final double CLOSE_SHARE = 0.45;

    private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final double[] CHURN_FACTORS = {0.2, 1, 1, 4};

    /**
     * One round.
     *
     * @param churn changes per second on average
     * @param direct whether there is no proxy, so that only the clients misbehave
     */
    public static SoakRound of(long seed, int number, double churn, boolean direct) {
        SplittableRandom random = new SplittableRandom(seed * 31 + number).split();
        List<SoakAction.Kind> kinds = weighted(direct);
        long lengthNanos = TimeUnit.MILLISECONDS.toNanos(random.nextInt(
                1000 * (direct ? LEAST_SECONDS_DIRECT : LEAST_SECONDS),
                1000 * (direct ? MOST_SECONDS_DIRECT : MOST_SECONDS)));
        List<SoakAction> actions = new ArrayList<>();
        Set<SoakAction.Kind> restarts = EnumSet.noneOf(SoakAction.Kind.class);
        long offset = 0;
        for (int left = random.nextInt(2, MOST_ACTIONS + 1); left > 0; left--) {
            offset = offset > 0 && random.nextDouble() < CLOSE_SHARE
                    ? Math.min(lengthNanos, offset + random.nextLong(CLOSE_NANOS))
                    : random.nextLong(FIRST_NANOS, lengthNanos);
            SoakAction.Kind kind = kinds.get(random.nextInt(kinds.size()));
            // One restart in a round is enough: each takes seconds.
            if (!kind.isRestart() || restarts.isEmpty()) {
                if (kind.isRestart()) {
                    restarts.add(kind);
                }
                actions.add(new SoakAction(offset, kind, length(kind, random), share(kind, random)));
            }
        }
        actions.sort(Comparator.comparingLong(SoakAction::offsetNanos));
        return new SoakRound(
                number,
                List.copyOf(actions),
                Duration.ofNanos(lengthNanos),
                churn * CHURN_FACTORS[random.nextInt(CHURN_FACTORS.length)]);
    }

    private static List<SoakAction.Kind> weighted(boolean direct) {
        List<SoakAction.Kind> kinds = new ArrayList<>();
        for (SoakAction.Kind kind : SoakAction.Kind.values()) {
            for (int i = 0; i < kind.weight() && (!direct || kind.isOfClients()); i++) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    private static Duration length(SoakAction.Kind kind, SplittableRandom random) {
        int most = switch (kind) {
            case STALL -> 9000;
            case REFUSE, GARBAGE -> 2500;
            case ERRORS -> 4000;
            case CLIENTS_VANISH -> random.nextInt(4) == 0 ? 12_000 : 1500;
            case CLIENTS_ANEW -> 1500;
            default -> 0;
        };
        return most == 0 ? Duration.ZERO : Duration.ofMillis(random.nextInt(50, most));
    }

    private static double share(SoakAction.Kind kind, SplittableRandom random) {
        return switch (kind) {
            case CLIENTS_STALL, CLIENTS_READ_ON -> 0.2 + 0.8 * random.nextDouble();
            case CLIENTS_VANISH -> 0.02 + 0.4 * random.nextDouble();
            case CLIENTS_ANEW -> 0.02 + 0.15 * random.nextDouble();
            default -> 1;
        };
    }
}
