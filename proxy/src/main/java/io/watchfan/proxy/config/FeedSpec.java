package io.watchfan.proxy.config;

import java.util.regex.Pattern;

/**
 * A feed to start at once: {@code RESOURCE[.GROUP][@NAMESPACE]}. The version is the API server's preferred one.
 *
 * @param resource the plural, lower case
 * @param group the API group; empty for the core group
 * @param namespace the namespace; empty for all of the cluster
 */
public record FeedSpec(String resource, String group, String namespace) {
    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    /**
     * Reads {@code RESOURCE[.GROUP][@NAMESPACE]}.
     *
     * @throws IllegalArgumentException with a message that says what is wrong
     */
    public static FeedSpec parse(String text) {
        int at = text.indexOf('@');
        String namespace = at < 0 ? "" : text.substring(at + 1);
        if (at >= 0 && !NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException("'" + text + "': '" + namespace + "' is not the name of a namespace");
        }
        ResourceName name = ResourceName.parse(at < 0 ? text : text.substring(0, at));
        return new FeedSpec(name.resource(), name.group(), namespace);
    }

    @Override
    public String toString() {
        return new ResourceName(resource, group) + (namespace.isEmpty() ? "" : "@" + namespace);
    }
}
