package io.watchfan.loadtest.contract;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * One broken promise. Immutable.
 *
 * @param guarantee what was promised
 * @param watcherId who was let down
 * @param scope what it watches
 * @param resourceVersion where in its stream
 * @param detail what was wrong, as a sentence without its subject
 * @param at when it was noticed
 * @param recent what the watcher received last before, oldest first; may be empty
 */
public record Violation(
        Guarantee guarantee,
        int watcherId,
        String scope,
        long resourceVersion,
        String detail,
        Instant at,
        String recent) {
    @Override
    public String toString() {
        return at.truncatedTo(ChronoUnit.MILLIS) + " " + guarantee + " watcher " + watcherId + " (" + scope
                + ") at resourceVersion " + resourceVersion + ": " + detail
                + (recent.isEmpty() ? "" : " [received before: " + recent + "]");
    }
}
