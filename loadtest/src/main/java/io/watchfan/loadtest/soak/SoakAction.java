package io.watchfan.loadtest.soak;

import io.watchfan.loadtest.apiserver.Fault;
import java.time.Duration;
import java.util.Locale;

/**
 * Something that happens in a round. Immutable.
 *
 * @param offsetNanos when, from the start of the round
 * @param kind what
 * @param length for how long, or how long clients stay away at most; zero where that means nothing
 * @param share which part of the clients it concerns; 1 where it concerns none of them
 */
public record SoakAction(long offsetNanos, Kind kind, Duration length, double share) {
    /** What can happen. */
    public enum Kind {
        CUT(Fault.Kind.CUT, 4),
        EXPIRE(Fault.Kind.EXPIRE, 3),
        STALL(Fault.Kind.STALL, 2),
        REFUSE(Fault.Kind.REFUSE, 2),
        ERRORS(Fault.Kind.ERRORS, 3),
        GARBAGE(Fault.Kind.GARBAGE, 4),
        /** The proxy is killed and started again. */
        PROXY_KILL(null, 1),
        /** The proxy is told to end, and started again when it has. */
        PROXY_TERM(null, 1),
        /** Clients stop reading. */
        CLIENTS_STALL(null, 3),
        /** Clients that had stopped read on. */
        CLIENTS_READ_ON(null, 2),
        /** Clients reset their connections, and come back with the version that they hold. */
        CLIENTS_VANISH(null, 4),
        /** Clients reset their connections, and come back for the state. */
        CLIENTS_ANEW(null, 3);

        private final Fault.Kind fault;
        private final int weight;

        Kind(Fault.Kind fault, int weight) {
            this.fault = fault;
            this.weight = weight;
        }

        /** What it is to the API server; null when it concerns someone else. */
        public Fault.Kind fault() {
            return fault;
        }

        /** How often it is chosen, beside the others. */
        int weight() {
            return weight;
        }

        boolean isRestart() {
            return this == PROXY_KILL || this == PROXY_TERM;
        }

        boolean isOfClients() {
            return fault == null && !isRestart();
        }
    }

    @Override
    public String toString() {
        return kind
                + (length.isZero() ? "" : " for " + length.toMillis() + " ms")
                + (kind.isOfClients() ? String.format(Locale.ROOT, " of %.0f %%", share * 100) : "");
    }
}
