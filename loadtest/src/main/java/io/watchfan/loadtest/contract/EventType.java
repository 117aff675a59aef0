package io.watchfan.loadtest.contract;

/** The type of a change, as a watch tells it. Bookmarks and errors are no changes. */
public enum EventType {
    ADDED(0),
    MODIFIED(1),
    DELETED(2);

    /** How many bits a code takes. */
    static final int CODE_BITS = 2;

    /** Selects the bits of a code. */
    static final int CODE_MASK = (1 << CODE_BITS) - 1;

    private final int code;

    EventType(int code) {
        this.code = code;
    }

    /** The type as two bits. */
    int code() {
        return code;
    }

    static EventType ofCode(int code) {
        return switch (code) {
            case 0 -> ADDED;
            case 1 -> MODIFIED;
            case 2 -> DELETED;
            default -> throw new IllegalArgumentException("no event type: " + code);
        };
    }
}
