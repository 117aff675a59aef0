package io.watchfan.loadtest.contract;

import java.util.Arrays;

/**
 * A bounded queue of calls, each an operation and a version packed into one long, and an object's key. Grows from nothing
 * on demand.
 */
final class DeferredCalls {
    private static final int MAX_CALLS = 1 << 16;
    private static final int OPERATION_BITS = 4;
    private static final int OPERATION_MASK = (1 << OPERATION_BITS) - 1;
    private static final long[] EMPTY = {};

    /** Two longs for each call. */
    private long[] calls = EMPTY;

    private int head;
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** Appends; false when full. */
    boolean offer(int operation, long version, long objectKey) {
        if (2 * size == calls.length && !grow()) {
            return false;
        }
        int slot = (head + 2 * size++) & (calls.length - 1);
        calls[slot] = version << OPERATION_BITS | operation;
        calls[slot + 1] = objectKey;
        return true;
    }

    int headOperation() {
        return (int) (calls[head] & OPERATION_MASK);
    }

    long headVersion() {
        return calls[head] >>> OPERATION_BITS;
    }

    long headKey() {
        return calls[head + 1];
    }

    void remove() {
        head = (head + 2) & (calls.length - 1);
        if (--size == 0 && calls.length > 1024) {
            calls = EMPTY;
            head = 0;
        }
    }

    private boolean grow() {
        if (calls.length == 2 * MAX_CALLS) {
            return false;
        }
        long[] larger = Arrays.copyOf(calls, Math.max(16, calls.length * 2));
        for (int i = 0; i < 2 * size; i++) {
            larger[i] = calls[(head + i) & (calls.length - 1)];
        }
        calls = larger;
        head = 0;
        return true;
    }
}
