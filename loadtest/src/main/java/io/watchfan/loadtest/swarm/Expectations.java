package io.watchfan.loadtest.swarm;

import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.contract.Truth;

/**
 * What watchers are held to. Immutable.
 *
 * @param truth what they should receive; null when it is not known
 * @param strictness what they are held to, if the truth is known
 * @param ends which ends of streams are accepted
 */
public record Expectations(Truth truth, Strictness strictness, EndJudge ends) {
    /** Of the events; streams may end as they like. */
    public static Expectations ofEvents(Truth truth, Strictness strictness) {
        return new Expectations(truth, strictness, EndJudge.LENIENT);
    }
}
