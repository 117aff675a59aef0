package io.watchfan.loadtest.contract;

/**
 * Hash of a set of objects by their versions, which no two objects of a resource share: the sum of mixed versions, so
 * that it can be kept up to date object by object and does not depend on their order.
 */
final class StateHash {
    private StateHash() {}

    /** What one object adds to the sum: the finalizer of SplitMix64. */
    static long of(long resourceVersion) {
        long mixed = (resourceVersion ^ (resourceVersion >>> 30)) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
        return mixed ^ (mixed >>> 31);
    }
}
