package io.watchfan.loadtest.apiserver;

import java.time.Duration;

/**
 * What a simulated cluster is made of. Immutable.
 *
 * @param pods how many pods there are at the start; at least 0
 * @param namespaces how many namespaces; at least 1
 * @param nodes how many nodes; at least 1
 * @param seed fixes everything that is chosen at random
 * @param bookmarkInterval how often watches are sent bookmarks
 * @param maxHistory how many changes of a resource are retained; at least 1
 */
public record ClusterSpec(int pods, int namespaces, int nodes, long seed, Duration bookmarkInterval, int maxHistory) {
    public static final int DEFAULT_PODS = 500;
    public static final int DEFAULT_NAMESPACES = 20;
    public static final int DEFAULT_NODES = 50;
    public static final int DEFAULT_HISTORY = 20_000;

    public ClusterSpec {
        requireAtLeast("pods", pods, 0);
        requireAtLeast("namespaces", namespaces, 1);
        requireAtLeast("nodes", nodes, 1);
        requireAtLeast("history", maxHistory, 1);
        if (bookmarkInterval.isNegative() || bookmarkInterval.isZero()) {
            throw new IllegalArgumentException("bookmark interval must be positive");
        }
    }

    private static void requireAtLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " must be at least " + least + ": " + value);
        }
    }

    /** The name of a namespace, from 0. */
    public static String namespaceName(int index) {
        return PodFactory.namespaceName(index);
    }

    /** The name of a node, from 0. */
    public static String nodeName(int index) {
        return PodFactory.nodeName(index);
    }

    /** The value of the label {@code app}, from 0 up to {@link #apps}. */
    public static String appName(int index) {
        return PodFactory.appName(index);
    }

    /** How many values the label {@code app} has. */
    public static int apps() {
        return PodFactory.APPS;
    }
}
