package io.watchfan.loadtest.swarm;

import java.util.Arrays;

/**
 * Stands between the bytes and a watcher and corrupts its stream once, at its tenth change. Confined to the watcher's
 * event loop.
 */
final class Saboteur implements LineSink {
    private static final int VICTIM = 10;

    private final Sabotage sabotage;
    private final EventHead head = new EventHead();
    private LineSink sink;
    private int changes;
    private byte[] held;

    Saboteur(Sabotage sabotage) {
        this.sabotage = sabotage;
    }

    /** A new stream of the watcher begins. */
    void restart(LineSink watcher) {
        sink = watcher;
        held = null;
    }

    @Override
    public void onLine(byte[] bytes, int from, int to) {
        boolean change = head.parse(bytes, from, to) && head.type().change() != null;
        if (change && ++changes == VICTIM) {
            switch (sabotage) {
                case DROP -> {}
                case REPEAT -> {
                    sink.onLine(bytes, from, to);
                    sink.onLine(bytes, from, to);
                }
                case REORDER -> held = Arrays.copyOfRange(bytes, from, to);
            }
            return;
        }
        byte[] late = held;
        held = null;
        if (late != null && !change) {
            // A bookmark in between would be another fault.
            sink.onLine(late, 0, late.length);
            late = null;
            changes--;
        }
        sink.onLine(bytes, from, to);
        if (late != null) {
            sink.onLine(late, 0, late.length);
        }
    }
}
