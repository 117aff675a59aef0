package io.watchfan.loadtest.contract;

import java.util.Map;

/** Objects for tests. */
final class Facts {
    private Facts() {}

    static ObjectFacts of(long version) {
        return new ObjectFacts(version, "a", "p", Map.of("app", "x"), "node-1");
    }

    static ObjectFacts of(long version, String namespace, String app, String node) {
        return new ObjectFacts(version, namespace, "p", Map.of("app", app), node);
    }
}
