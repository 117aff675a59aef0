package io.watchfan.loadtest.contract;

/** The last few events of one stream, for telling a repeat from a reordering and for saying what led to a fault. */
final class RecentEvents {
    private static final int CAPACITY = 64;

    private final long[] packed = new long[CAPACITY];
    private int count;

    /** Forgets: a new stream begins. */
    void clear() {
        count = 0;
    }

    void add(EventType type, long version) {
        packed[count++ & (CAPACITY - 1)] = version << EventType.CODE_BITS | type.code();
        if (count == Integer.MAX_VALUE) {
            count = CAPACITY;
        }
    }

    boolean contains(EventType type, long version) {
        long wanted = version << EventType.CODE_BITS | type.code();
        for (int i = Math.max(0, count - CAPACITY); i < count; i++) {
            if (packed[i & (CAPACITY - 1)] == wanted) {
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
