package io.watchfan.k8s;

import java.util.EnumMap;
import java.util.Map;

/** In what the proxy may differ from the API server, as docs/FIDELITY.md says. All else must be equal. */
enum LeftOpen {
    /** W-046 to W-048: where no exact version is asked for, each list has the version that its server is at. */
    VERSION_OF_A_LIST,
    /** W-067, W-078: the windows of the two begin where they begin. */
    WINDOW_OF_WATCHES,
    /** W-069, W-073: what the API server has forgotten may be remembered here. */
    WINDOW_OF_LISTS,
    /** W-070, W-071: how long a version to come is waited for, and whether one is told to come back. */
    VERSION_TO_COME,
    /** W-045: the API server keeps events in no cache, and refuses bad versions otherwise. */
    EVENTS_UNCACHED_THERE,
    /** W-047, W-241: at version 0 with a token, the API server's watch cache takes no notice of a limit, and its storage does. */
    LIMIT_OF_A_TOKEN_AT_0,
    /** W-241: whether the key in a token begins with a slash. */
    SLASH_OF_A_TOKEN,
    /**
     * W-165, W-242: the API server makes the token of a list narrowed by a namespace selector within that namespace, but takes
     * it as one of all namespaces, so that the list begins again.
     */
    PAGES_OF_A_SELECTED_NAMESPACE,
    /** W-244: of pods of one node the API server, which has an index of these, knows that no more follow; else one is told so. */
    EMPTY_LAST_PAGE,
    /** W-111: JSON, where that is accepted as well as YAML. */
    JSON_FOR_YAML,
    /** W-122: the age of an object in a table is another a moment later. */
    AGES_IN_TABLES,
    /** W-079: where objects read otherwise since the definition has changed, watches end with 410, not just so. */
    CHANGE_OF_A_DEFINITION,
    /** Watches of a resource whose definition goes may end before the deletion of its objects is told. */
    END_OF_A_DEFINITION;

    private static final Map<LeftOpen, Integer> MET = new EnumMap<>(LeftOpen.class);

    /** Counts one difference. */
    void met() {
        synchronized (MET) {
            MET.merge(this, 1, Integer::sum);
        }
    }

    /** How often each has been met. */
    static Map<LeftOpen, Integer> all() {
        synchronized (MET) {
            return new EnumMap<>(MET);
        }
    }
}
