package io.watchfan.proxy.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Watches that wait for a short time, all until it is over for the first of them. Confined to their event loop. */
final class WaitingWatches {
    private final LoopDispatcher loop;
    private final long millis;
    private final Consumer<WatchConnection> goOn;
    private List<WatchConnection> waiting = new ArrayList<>();

    /**
     * @param millis how long the first waits
     * @param goOn lets one go on, which may have ended by then
     */
    WaitingWatches(LoopDispatcher loop, long millis, Consumer<WatchConnection> goOn) {
        this.loop = loop;
        this.millis = millis;
        this.goOn = goOn;
    }

    void add(WatchConnection connection) {
        if (waiting.isEmpty()) {
            loop.after(millis, () -> {
                List<WatchConnection> all = waiting;
                waiting = new ArrayList<>();
                all.forEach(goOn);
            });
        }
        waiting.add(connection);
    }
}
