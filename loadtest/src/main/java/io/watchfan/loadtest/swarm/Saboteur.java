package io.watchfan.loadtest.swarm;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Stands between the bytes and a watcher and corrupts its stream once: at its tenth change, or the first after that which lends
 * itself to it, or at its initial events. Confined to the watcher's event loop.
 */
final class Saboteur implements LineSink {
    private static final int VICTIM = 10;
    private static final String VERSION = "\"resourceVersion\":\"";
    private static final String NAME = "\"name\":\"";

    private final Sabotage sabotage;
    private final EventHead head = new EventHead();
    private LineSink sink;
    private Runnable reconnect;
    private boolean done;
    private boolean initial;
    private boolean resumed;
    private int changes;
    private long version;
    private byte[] held;
    private byte[] last;

    Saboteur(Sabotage sabotage) {
        this.sabotage = sabotage;
    }

    /**
     * A new stream of the watcher begins.
     *
     * @param withInitialEvents whether it is to be told the state first
     * @param reconnecting has the watcher leave and come back
     */
    void restart(LineSink watcher, boolean withInitialEvents, Runnable reconnecting) {
        sink = watcher;
        reconnect = reconnecting;
        held = null;
        initial = withInitialEvents;
        // Whoever is told the state anew has forgotten what was wrong.
        done &= sabotage != Sabotage.MISNAME || !withInitialEvents;
        resumed = last != null && !withInitialEvents;
    }

    @Override
    public void onLine(byte[] bytes, int from, int to) {
        if (done || !head.parse(bytes, from, to)) {
            sink.onLine(bytes, from, to);
            return;
        }
        boolean change = head.type().change() != null;
        if (initial) {
            onInitial(change, bytes, from, to);
        } else if (held != null) {
            onHeld(change, bytes, from, to);
        } else if (change) {
            changes++;
            onChange(bytes, from, to);
            version = head.resourceVersion();
        } else {
            sink.onLine(bytes, from, to);
        }
    }

    private void onInitial(boolean change, byte[] bytes, int from, int to) {
        boolean end = head.isInitialEventsEnd();
        initial = !end;
        sink.onLine(bytes, from, to);
        if (sabotage == Sabotage.END_TWICE && end || sabotage == Sabotage.INITIAL_TWICE && change) {
            done = true;
            sink.onLine(bytes, from, to);
        }
    }

    /** Lets what was held go behind the next change; a bookmark in between would be another fault. */
    private void onHeld(boolean change, byte[] bytes, int from, int to) {
        byte[] late = held;
        held = null;
        if (change) {
            done = true;
            sink.onLine(bytes, from, to);
            sink.onLine(late, 0, late.length);
        } else {
            sink.onLine(late, 0, late.length);
            changes--;
            sink.onLine(bytes, from, to);
        }
    }

    private void onChange(byte[] bytes, int from, int to) {
        boolean due = changes >= VICTIM;
        switch (sabotage) {
            case DROP -> {
                done = due;
                if (!due) {
                    sink.onLine(bytes, from, to);
                }
            }
            case REORDER -> {
                if (due) {
                    held = Arrays.copyOfRange(bytes, from, to);
                } else {
                    sink.onLine(bytes, from, to);
                }
            }
            case REPEAT -> {
                done = due;
                sink.onLine(bytes, from, to);
                if (due) {
                    sink.onLine(bytes, from, to);
                }
            }
            case INVENT -> {
                byte[] invented = due ? before(bytes, from, to) : null;
                done = invented != null;
                tell(invented);
                sink.onLine(bytes, from, to);
            }
            case BOOKMARK_AHEAD -> {
                done = due;
                tell(due ? bookmark(head.resourceVersion()) : null);
                sink.onLine(bytes, from, to);
            }
            case CORRUPT -> {
                done = due;
                tell(due ? "{\"type\":".getBytes(StandardCharsets.US_ASCII) : null);
                sink.onLine(bytes, from, to);
            }
            case HANG_UP -> {
                done = due;
                if (due) {
                    // What comes after it, the watcher does not read.
                    tell(EXPIRED);
                } else {
                    sink.onLine(bytes, from, to);
                }
            }
            case GO_BACK -> {
                done = resumed;
                tell(resumed ? last : null);
                sink.onLine(bytes, from, to);
                if (due && !done) {
                    last = Arrays.copyOfRange(bytes, from, to);
                    reconnect.run();
                }
            }
            case MISNAME -> {
                done = due;
                if (due) {
                    tell(misnamed(bytes, from, to));
                } else {
                    sink.onLine(bytes, from, to);
                }
            }
            case END_TWICE, INITIAL_TWICE, STALE_LIST -> sink.onLine(bytes, from, to);
        }
    }

    private void tell(byte[] line) {
        if (line != null) {
            sink.onLine(line, 0, line.length);
        }
    }

    /** The event at the version before its own; null where that is not to be had. */
    private byte[] before(byte[] bytes, int from, int to) {
        long own = head.resourceVersion();
        String line = new String(bytes, from, to - from, StandardCharsets.UTF_8);
        String there = VERSION + own + "\"";
        return version == 0 || own - 1 <= version || !line.contains(there)
                ? null
                : line.replace(there, VERSION + (own - 1) + "\"").getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] bookmark(long at) {
        String line = "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
                + VERSION + at + "\"}}}";
        return line.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] misnamed(byte[] bytes, int from, int to) {
        String line = new String(bytes, from, to - from, StandardCharsets.UTF_8);
        return line.replaceFirst(NAME, NAME + "not-").getBytes(StandardCharsets.UTF_8);
    }

    private static final byte[] EXPIRED = ("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                    + "\"metadata\":{},\"status\":\"Failure\",\"message\":\"made up\",\"reason\":\"Expired\",\"code\":410}}")
            .getBytes(StandardCharsets.US_ASCII);
}
