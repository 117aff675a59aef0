package io.watchfan.k8s;

import io.watchfan.k8s.Pods.Change;
import io.watchfan.k8s.Pods.Pod;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What some watches see of the pods.
 *
 * @param name says what it is
 * @param path the collection
 * @param selectors as parameters, each with an ampersand in front
 * @param contains whether a pod is in it
 */
record PodScope(String name, String path, String selectors, Predicate<Pod> contains) {

    /** Scopes of all kinds, each of which contains a marker. */
    static List<PodScope> all(String namespace) {
        String narrow = "/api/v1/namespaces/" + namespace + "/pods";
        return List.of(
                new PodScope("everything", Pods.COLLECTION, "", pod -> true),
                new PodScope("namespace", narrow, "", pod -> pod.isIn(namespace)),
                byLabel("tier=a", "tier%3Da", pod -> pod.tier().equals("a")),
                byLabel("tier!=b", "tier!%3Db", pod -> !pod.tier().equals("b")),
                byLabel(
                        "tier in (a,c)",
                        "tier+in+(a,c)",
                        pod -> List.of("a", "c").contains(pod.tier())),
                byField("status.phase=Running", pod -> pod.phase().equals("Running")),
                byField("spec.nodeName=n1", pod -> pod.node().equals("n1")),
                new PodScope(
                        "namespace, tier=a, status.phase=Running",
                        narrow,
                        "&labelSelector=tier%3Da&fieldSelector=status.phase%3DRunning",
                        pod -> pod.isIn(namespace)
                                && pod.tier().equals("a")
                                && pod.phase().equals("Running")));
    }

    private static PodScope byLabel(String name, String selector, Predicate<Pod> contains) {
        return new PodScope(name, Pods.COLLECTION, "&labelSelector=" + selector, contains);
    }

    private static PodScope byField(String selector, Predicate<Pod> contains) {
        return new PodScope(selector, Pods.COLLECTION, "&fieldSelector=" + selector.replace("=", "%3D"), contains);
    }

    /** Path and query of a watch from a version, with bookmarks. */
    String watchFrom(long version) {
        return path + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version + selectors;
    }

    /** Path and query of a watch that begins with the state, with bookmarks. */
    String watchInitially() {
        return path + StreamingListST.OPTIONS + selectors;
    }

    /** The pod, if it is there and in this scope; else null. */
    Pod seen(Pod pod) {
        return pod != null && contains.test(pod) ? pod : null;
    }

    /** What is in this scope after the first changes, by key. */
    Map<String, Pod> state(Map<String, Pod> base, Collection<Change> changes) {
        Map<String, Pod> state = new TreeMap<>();
        base.values().stream().filter(contains).forEach(pod -> state.put(pod.key(), pod));
        for (Change change : changes) {
            String key = (change.after() == null ? change.before() : change.after()).key();
            Pod after = seen(change.after());
            if (after == null) {
                state.remove(key);
            } else {
                state.put(key, after);
            }
        }
        return state;
    }
}
