package io.watchfan.loadtest.apiserver;

import java.nio.charset.StandardCharsets;

/**
 * One change of one object, and its frames as they go to watchers, each made once on demand. Confined to the server's
 * event loop.
 */
final class Change {
    private static final byte[] LINE_END = "}\n".getBytes(StandardCharsets.UTF_8);

    final long version;
    /** Null when the change created the object. */
    final StoredObject before;
    /** Null when the change deleted the object. */
    final StoredObject after;

    private byte[] addedLine;
    private byte[] modifiedLine;
    private byte[] deletedLine;

    Change(long version, StoredObject before, StoredObject after) {
        this.version = version;
        this.before = before;
        this.after = after;
    }

    String key() {
        return after != null ? after.key() : before.key();
    }

    /** The event that this change is to someone with this selection, as one line; null when it is none. */
    byte[] lineFor(Selection selection) {
        boolean was = before != null && selection.matches(before);
        boolean is = after != null && selection.matches(after);
        if (is && was) {
            modifiedLine = modifiedLine == null ? line("MODIFIED", after.json()) : modifiedLine;
            return modifiedLine;
        }
        if (is) {
            addedLine = addedLine == null ? line("ADDED", after.json()) : addedLine;
            return addedLine;
        }
        if (was) {
            deletedLine = deletedLine == null ? line("DELETED", ObjectJson.withVersion(before, version)) : deletedLine;
            return deletedLine;
        }
        return null;
    }

    /** Gives back the memory of the frames: few will still ask for them. */
    void forgetLines() {
        addedLine = null;
        modifiedLine = null;
        deletedLine = null;
    }

    static byte[] line(String type, byte[] object) {
        byte[] head = ("{\"type\":\"" + type + "\",\"object\":").getBytes(StandardCharsets.UTF_8);
        byte[] line = new byte[head.length + object.length + LINE_END.length];
        System.arraycopy(head, 0, line, 0, head.length);
        System.arraycopy(object, 0, line, head.length, object.length);
        System.arraycopy(LINE_END, 0, line, head.length + object.length, LINE_END.length);
        return line;
    }
}
