package io.watchfan.loadtest.contract;

import java.util.Map;

/**
 * What a scope needs to know of one object. Immutable.
 *
 * @param resourceVersion the object's own version
 * @param namespace its namespace; empty for what has none
 * @param name its name
 * @param labels its labels, not copied: never to be changed
 * @param nodeName {@code spec.nodeName}; empty when unset
 */
public record ObjectFacts(
        long resourceVersion, String namespace, String name, Map<String, String> labels, String nodeName) {}
