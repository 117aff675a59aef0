package io.watchfan.loadtest.apiserver;

/**
 * One change that is due at a planned time. Immutable.
 *
 * @param index its number, from 0
 * @param offsetNanos when it is due, from the start of the schedule
 * @param kind what is to happen
 * @param choice which object it happens to: taken modulo the number of objects; not negative
 */
public record PlannedChange(long index, long offsetNanos, Kind kind, int choice) {
    /** What is to happen to an object. */
    public enum Kind {
        CREATE,
        MODIFY,
        DELETE,
        RELABEL
    }
}
