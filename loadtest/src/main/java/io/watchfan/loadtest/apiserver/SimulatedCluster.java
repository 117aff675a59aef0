package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The state of the simulated cluster: one resourceVersion for everything, a store per resource, and the open watches.
 * Confined to the server's event loop once the server has started; the counters may be read by any thread.
 */
final class SimulatedCluster {
    /** A watch is sent its last bookmark this long before its deadline. */
    static final long BOOKMARK_BEFORE_END_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long FIRST_VERSION = 1000;

    private final Map<ResourceType, ResourceStore> stores = new LinkedHashMap<>();
    private final Map<ResourceType, Set<WatchStream>> watches = new LinkedHashMap<>();
    private final Map<WatchStream, Runnable> pumps = new LinkedHashMap<>();
    private final Set<VersionWaiter> waiters = new LinkedHashSet<>();
    private final ChangeListener listener;
    private final Set<ResourceType> changed = new LinkedHashSet<>();
    private long version = FIRST_VERSION;
    private boolean stalled;

    // Written on the event loop, read by any thread.
    private volatile long changeCount;
    private volatile long sentCount;
    private volatile int openWatches;
    private long sent;
    private long changes;

    private record VersionWaiter(long version, Runnable then) {}

    SimulatedCluster(int maxHistory, ChangeListener listener) {
        this.listener = listener;
        for (ResourceType type : ResourceType.ALL) {
            stores.put(type, new ResourceStore(type, maxHistory));
            watches.put(type, new LinkedHashSet<>());
        }
    }

    ResourceStore store(ResourceType type) {
        return stores.get(type);
    }

    /** The version of the latest change of anything. */
    long version() {
        return version;
    }

    /** Puts an object in place before the server starts. */
    StoredObject load(ResourceType type, ObjectNode object) {
        StoredObject stored = ObjectJson.store(type, object, ++version);
        stores.get(type).load(stored);
        listener.onLoaded(type.plural(), stored);
        return stored;
    }

    /** Ends the loading: every resource can be watched from here on, not from before. */
    void loaded() {
        stores.values().forEach(store -> store.expireHistory(version));
    }

    /** Creates or replaces an object. Watches hear of it at the next {@link #tellWatches}. */
    StoredObject put(ResourceType type, ObjectNode object) {
        StoredObject stored = ObjectJson.store(type, object, ++version);
        recorded(type, stores.get(type).put(stored));
        return stored;
    }

    /** Deletes an object that is there. Watches hear of it at the next {@link #tellWatches}. */
    Change delete(ResourceType type, String key) {
        Change change = stores.get(type).delete(key, ++version);
        recorded(type, change);
        return change;
    }

    private void recorded(ResourceType type, Change change) {
        changed.add(type);
        changeCount = ++changes;
        listener.onChange(type.plural(), change.version, change.before, change.after);
    }

    /** Lets the watches of everything that changed send what there is. */
    void tellWatches() {
        for (ResourceType type : changed) {
            pumpAll(watches.get(type));
        }
        changed.clear();
        sentCount = sent;
        if (!waiters.isEmpty()) {
            List<VersionWaiter> ready =
                    waiters.stream().filter(waiter -> waiter.version <= version).toList();
            waiters.removeAll(ready);
            ready.forEach(waiter -> waiter.then.run());
        }
    }

    /** Runs something once the cluster is at a version, unless the returned action, which forgets it, runs before. */
    Runnable whenAt(long wanted, Runnable then) {
        VersionWaiter waiter = new VersionWaiter(wanted, then);
        waiters.add(waiter);
        return () -> waiters.remove(waiter);
    }

    private void pumpAll(Set<WatchStream> streams) {
        for (WatchStream stream : new ArrayList<>(streams)) {
            Runnable pump = pumps.get(stream);
            if (pump != null) {
                pump.run();
            }
        }
    }

    /** Takes note of an open watch; {@code pump} makes it send what there is. */
    void opened(WatchStream stream, Runnable pump) {
        watches.get(stream.type()).add(stream);
        pumps.put(stream, pump);
        openWatches = pumps.size();
    }

    void closed(WatchStream stream) {
        watches.get(stream.type()).remove(stream);
        pumps.remove(stream);
        openWatches = pumps.size();
    }

    /** Sends the bookmarks that are due. */
    void tellBookmarks(long nowNanos) {
        for (WatchStream stream : new ArrayList<>(pumps.keySet())) {
            Runnable pump = pumps.get(stream);
            if (pump != null && stream.bookmarkBecomesDue(nowNanos)) {
                pump.run();
            }
        }
    }

    /** Forgets all history and tells every watch 410, as when the API server has lost what they need. */
    void expireAll() {
        stores.values().forEach(store -> store.expireHistory(version));
        for (WatchStream stream : List.copyOf(pumps.keySet())) {
            stream.end(ApiException.tooOld(version - 1, version));
            pumps.get(stream).run();
        }
    }

    boolean isStalled() {
        return stalled;
    }

    /** While stalled, open watches send nothing. */
    void setStalled(boolean stalled) {
        this.stalled = stalled;
        if (!stalled) {
            watches.values().forEach(this::pumpAll);
        }
    }

    void countSent() {
        sent++;
    }

    /** How many changes there were. Any thread. */
    long changeCount() {
        return changeCount;
    }

    /** How many events were sent on watches. Any thread; a little behind. */
    long sentCount() {
        return sentCount;
    }

    /** How many watches are open. Any thread. */
    int openWatches() {
        return openWatches;
    }
}
