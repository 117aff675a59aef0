package io.watchfan.loadtest.contract;

/** The objects of a list, to be held against the truth. Confined to one thread. */
public final class ListedState {
    private int count;
    private long hash;

    /** Takes note of an object by its version. */
    public void add(long version) {
        count++;
        hash += StateHash.of(version);
    }

    /** What is wrong with the objects as the state at a version; null when they are exactly that. */
    public String difference(ScopeJournal journal, long version) {
        return journal.stateDifference(version, count, hash);
    }
}
