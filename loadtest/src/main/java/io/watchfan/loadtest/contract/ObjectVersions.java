package io.watchfan.loadtest.contract;

import java.util.HashMap;
import java.util.Map;

/** The objects that a watcher knows of, as versions by object, and the hash of that state. */
final class ObjectVersions {
    private final Map<Long, Long> versions = new HashMap<>();
    private long hash;

    void clear() {
        versions.clear();
        hash = 0;
    }

    void put(long objectKey, long version) {
        Long before = versions.put(objectKey, version);
        hash += StateHash.of(version) - (before == null ? 0 : StateHash.of(before));
    }

    void remove(long objectKey) {
        Long before = versions.remove(objectKey);
        hash -= before == null ? 0 : StateHash.of(before);
    }

    int count() {
        return versions.size();
    }

    long hash() {
        return hash;
    }
}
