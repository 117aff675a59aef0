package io.watchfan.loadtest.contract;

/** The last few events of one stream, for telling a repeat from a reordering and for saying what led to a fault. */
final class RecentEvents {
    private static final int CAPACITY = 32;

    private final long[] packed = new long[CAPACITY];
    private final long[] keys = new long[CAPACITY];
    private int count;

    /** Forgets: a new stream begins. */
    void clear() {
        count = 0;
    }

    void add(EventType type, long version, long objectKey) {
        int slot = count & (CAPACITY - 1);
        packed[slot] = version << EventType.CODE_BITS | type.code();
        keys[slot] = objectKey;
        if (++count == Integer.MAX_VALUE) {
            count = slot + 1 + CAPACITY;
        }
    }

    boolean contains(EventType type, long version, long objectKey) {
        long wanted = version << EventType.CODE_BITS | type.code();
        for (int i = Math.max(0, count - CAPACITY); i < count; i++) {
            int slot = i & (CAPACITY - 1);
            if (packed[slot] == wanted && keys[slot] == objectKey) {
                return true;
            }
        }
        return false;
    }

    /** The last ones as text, oldest first. */
    String describe(int max) {
        StringBuilder text = new StringBuilder();
        for (int i = Math.max(0, count - Math.min(max, CAPACITY)); i < count; i++) {
            long event = packed[i & (CAPACITY - 1)];
            text.append(text.isEmpty() ? "" : ", ")
                    .append(event >>> EventType.CODE_BITS)
                    .append(' ')
                    .append(EventType.ofCode((int) (event & EventType.CODE_MASK)));
        }
        return text.toString();
    }
}
