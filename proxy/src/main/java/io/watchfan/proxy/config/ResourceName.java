package io.watchfan.proxy.config;

import java.util.regex.Pattern;

/**
 * A resource as the operator names it: {@code RESOURCE[.GROUP]}, as in {@code pods} or {@code deployments.apps}.
 *
 * @param resource the plural, lower case
 * @param group the API group; empty for the core group
 */
public record ResourceName(String resource, String group) {
    private static final Pattern RESOURCE = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");
    private static final Pattern GROUP =
            Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");

    /**
     * Reads {@code RESOURCE[.GROUP]}.
     *
     * @throws IllegalArgumentException with a message that says what is wrong
     */
    public static ResourceName parse(String text) {
        int dot = text.indexOf('.');
        String resource = dot < 0 ? text : text.substring(0, dot);
        String group = dot < 0 ? "" : text.substring(dot + 1);
        if (!RESOURCE.matcher(resource).matches()
                || (dot >= 0 && !GROUP.matcher(group).matches())) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not RESOURCE[.GROUP], as in pods or deployments.apps");
        }
        return new ResourceName(resource, group);
    }

    @Override
    public String toString() {
        return group.isEmpty() ? resource : resource + "." + group;
    }
}
