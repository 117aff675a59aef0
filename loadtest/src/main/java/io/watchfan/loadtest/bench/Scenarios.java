package io.watchfan.loadtest.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All scenarios by name. */
public final class Scenarios {
    private static final Map<String, Scenario> ALL = all();

    private Scenarios() {}

    private static Map<String, Scenario> all() {
        Map<String, Scenario> all = new LinkedHashMap<>();
        all.put("idle", new IdleScenario(false));
        all.put("idle-http2", new IdleScenario(true));
        all.put("resume", new ResumeScenario());
        all.put("stuck", new StuckScenario());
        all.put("leftovers", new LeftoversScenario());
        all.put("state", new StateScenario());
        all.put("scopes", new ScopesScenario());
        all.put("delivery", new DeliveryScenario());
        all.put("isolation", new IsolationScenario());
        return all;
    }

    /** Their names, in the order in which they run. */
    public static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    /** What a scenario measures. */
    public static String about(String name) {
        return of(name).about();
    }

    /** The fewest watchers that a scenario can do with. */
    public static int leastWatchers(String name) {
        return of(name).leastWatchers();
    }

    /** A scenario that is there. */
    static Scenario of(String name) {
        Scenario scenario = ALL.get(name);
        if (scenario == null) {
            throw new IllegalArgumentException("no such scenario: " + name);
        }
        return scenario;
    }
}
