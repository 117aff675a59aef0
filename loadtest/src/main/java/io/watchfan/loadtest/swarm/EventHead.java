package io.watchfan.loadtest.swarm;

import io.watchfan.loadtest.contract.EventType;

/**
 * Reads from one line of a watch what a watcher must know: type, resourceVersion, which object, and the two annotations
 * that matter.
 * It walks the JSON and skips what it does not need, stopping at the first byte behind what it does; in the API
 * server's order of keys that is a few hundred bytes into the object, but any order is read rightly. The line is taken
 * to be valid JSON; one that is not may be refused or misread, never read past its end.
 *
 * <p>Mutable and reused; confined to one thread.
 */
final class EventHead {
    /** What a line is. */
    enum Type {
        ADDED(EventType.ADDED),
        MODIFIED(EventType.MODIFIED),
        DELETED(EventType.DELETED),
        BOOKMARK(null),
        ERROR(null);

        private final EventType change;

        Type(EventType change) {
            this.change = change;
        }

        /** The change that it tells; null when it tells none. */
        EventType change() {
            return change;
        }
    }

    private static final String TYPE = "type";
    private static final String OBJECT = "object";
    private static final String METADATA = "metadata";
    private static final String RESOURCE_VERSION = "resourceVersion";
    private static final String NAME = "name";
    private static final String NAMESPACE = "namespace";
    private static final String ANNOTATIONS = "annotations";
    private static final String CODE = "code";
    private static final String PLANNED_NANOS = "loadtest.watchfan.io/planned-nanos";
    private static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";
    private static final Type[] TYPES = Type.values();

    private byte[] bytes;
    private int at;
    private int end;
    private int stringFrom;
    private int stringTo;

    private Type type;
    private long resourceVersion;
    private long plannedNanos;
    private boolean planned;
    private boolean initialEventsEnd;
    private int code;
    private long nameHash;
    private long namespaceHash;

    Type type() {
        return type;
    }

    /** The object's version; -1 when it has none. */
    long resourceVersion() {
        return resourceVersion;
    }

    /** Whether the object says when the change was due. */
    boolean isPlanned() {
        return planned;
    }

    /** When the change was due, if {@link #isPlanned}. */
    long plannedNanos() {
        return plannedNanos;
    }

    /** Identifies the object, by a hash of its namespace and name. */
    long objectKey() {
        return nameHash * 31 + namespaceHash;
    }

    /** Whether it is the bookmark that ends the initial events. */
    boolean isInitialEventsEnd() {
        return initialEventsEnd;
    }

    /** The code of the status in an error; 0 when it has none. */
    int code() {
        return code;
    }

    /** Reads a line; false when it is no event. */
    boolean parse(byte[] line, int from, int to) {
        bytes = line;
        at = from;
        end = to;
        type = null;
        resourceVersion = -1;
        planned = false;
        initialEventsEnd = false;
        code = 0;
        nameHash = 0;
        namespaceHash = 0;
        try {
            parseEvent();
            return type != null && (resourceVersion >= 0 || type == Type.ERROR);
        } catch (ArrayIndexOutOfBoundsException | Malformed e) {
            return false;
        }
    }

    private void parseEvent() {
        expect('{');
        while (nextKey()) {
            if (stringIs(TYPE)) {
                string();
                type = typeOfString();
            } else if (stringIs(OBJECT)) {
                parseObject();
                if (type != null) {
                    return;
                }
            } else {
                skipValue();
            }
        }
    }

    private Type typeOfString() {
        for (Type candidate : TYPES) {
            if (stringIs(candidate.name())) {
                return candidate;
            }
        }
        throw new Malformed();
    }

    /** Whether nothing that is still to come can matter. */
    private boolean isComplete() {
        return type != null && type.change != null && planned && resourceVersion >= 0;
    }

    private void parseObject() {
        expect('{');
        while (nextKey()) {
            if (stringIs(METADATA)) {
                parseMetadata();
                if (type != null && type != Type.ERROR) {
                    return;
                }
            } else if (stringIs(CODE)) {
                code = type == Type.ERROR ? (int) number() : skipped();
            } else {
                skipValue();
            }
        }
    }

    private int skipped() {
        skipValue();
        return 0;
    }

    private void parseMetadata() {
        expect('{');
        while (!isComplete() && nextKey()) {
            if (stringIs(RESOURCE_VERSION)) {
                string();
                resourceVersion = numberOfString();
            } else if (stringIs(NAME)) {
                string();
                nameHash = hashOfString();
            } else if (stringIs(NAMESPACE)) {
                string();
                namespaceHash = hashOfString();
            } else if (stringIs(ANNOTATIONS)) {
                parseAnnotations();
            } else {
                skipValue();
            }
        }
    }

    private void parseAnnotations() {
        if (peek() != '{') {
            skipValue();
            return;
        }
        expect('{');
        while (nextKey()) {
            if (stringIs(PLANNED_NANOS)) {
                string();
                plannedNanos = numberOfString();
                planned = true;
            } else if (stringIs(INITIAL_EVENTS_END)) {
                string();
                initialEventsEnd = stringTo - stringFrom == 4;
            } else {
                skipValue();
            }
        }
    }

    /** Moves behind the colon of the next key, which is then the string; false at the end of the object. */
    private boolean nextKey() {
        byte next = peek();
        if (next == ',') {
            at++;
            next = peek();
        }
        if (next == '}') {
            at++;
            return false;
        }
        string();
        expect(':');
        return true;
    }

    private byte peek() {
        while (at < end && bytes[at] <= ' ' && bytes[at] >= 0) {
            at++;
        }
        if (at >= end) {
            throw new Malformed();
        }
        return bytes[at];
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw new Malformed();
        }
        at++;
    }

    /** Reads a string; its raw content lies from {@code stringFrom} to {@code stringTo}. */
    private void string() {
        expect('"');
        stringFrom = at;
        int i = at;
        int limit = end;
        byte[] source = bytes;
        while (i < limit && source[i] != '"') {
            i += source[i] == '\\' ? 2 : 1;
        }
        if (i >= limit) {
            throw new Malformed();
        }
        stringTo = i;
        at = i + 1;
    }

    private boolean stringIs(String wanted) {
        int length = stringTo - stringFrom;
        if (length != wanted.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[stringFrom + i] != wanted.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** FNV-1a, of 64 bits. */
    private long hashOfString() {
        long hash = 0xcbf29ce484222325L;
        for (int i = stringFrom; i < stringTo; i++) {
            hash = (hash ^ (bytes[i] & 0xff)) * 0x100000001b3L;
        }
        return hash;
    }

    private long numberOfString() {
        return number(stringFrom, stringTo);
    }

    private long number() {
        peek();
        int from = at;
        while (at < end && (bytes[at] == '-' || (bytes[at] >= '0' && bytes[at] <= '9'))) {
            at++;
        }
        return number(from, at);
    }

    private long number(int from, int to) {
        boolean negative = from < to && bytes[from] == '-';
        long value = 0;
        for (int i = negative ? from + 1 : from; i < to; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                throw new Malformed();
            }
            value = value * 10 + digit;
        }
        return negative ? -value : value;
    }

    private void skipValue() {
        byte first = peek();
        if (first == '"') {
            string();
        } else if (first == '{' || first == '[') {
            skipNested();
        } else {
            while (at < end && bytes[at] != ',' && bytes[at] != '}' && bytes[at] != ']') {
                at++;
            }
        }
    }

    private void skipNested() {
        int depth = 0;
        do {
            if (at >= end) {
                throw new Malformed();
            }
            byte next = bytes[at];
            if (next == '"') {
                string();
                continue;
            }
            if (next == '{' || next == '[') {
                depth++;
            } else if (next == '}' || next == ']') {
                depth--;
            }
            at++;
        } while (depth > 0);
    }

    /** The line is no event. Without a stack trace: it only leaves the walk. */
    private static final class Malformed extends RuntimeException {
        private Malformed() {
            super("no event", null, false, false);
        }
    }
}
