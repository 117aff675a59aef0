package io.watchfan.loadtest.contract;

import java.util.Map;

/** Objects for tests. */
final class Facts {
    private Facts() {}

    static ObjectFacts of(long version) {
        return new ObjectFacts(version, "a", Map.of("app", "x"), "node-1");
    }

    static ObjectFacts of(long version, String namespace, String app, String node) {
        return new ObjectFacts(version, namespace, Map.of("app", app), node);
    }
}
