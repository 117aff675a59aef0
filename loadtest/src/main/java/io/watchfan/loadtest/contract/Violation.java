package io.watchfan.loadtest.contract;

/**
 * One broken promise. Immutable.
 *
 * @param guarantee what was promised
 * @param watcherId who was let down
 * @param scope what it watches
 * @param resourceVersion where in its stream
 * @param detail what was wrong, as a sentence without its subject
 * @param recent what the watcher received last before, oldest first; may be empty
 */
public record Violation(
        Guarantee guarantee, int watcherId, String scope, long resourceVersion, String detail, String recent) {
    @Override
    public String toString() {
        return guarantee + " watcher " + watcherId + " (" + scope + ") at resourceVersion " + resourceVersion + ": "
                + detail + (recent.isEmpty() ? "" : " [received before: " + recent + "]");
    }
}
