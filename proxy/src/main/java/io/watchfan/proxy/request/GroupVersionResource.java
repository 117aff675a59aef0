package io.watchfan.proxy.request;

import java.util.Set;

/**
 * An API endpoint: what is listed and watched at one path.
 *
 * @param group empty for the core group, never null
 * @param version such as {@code v1}, never empty
 * @param resource the plural in lower case, never empty
 */
public record GroupVersionResource(String group, String version, String resource) {
    private static final Set<String> BUILT_IN_GROUPS = Set.of(
            "",
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "apiregistration.k8s.io",
            "apps",
            "authentication.k8s.io",
            "authorization.k8s.io",
            "autoscaling",
            "batch",
            "certificates.k8s.io",
            "coordination.k8s.io",
            "discovery.k8s.io",
            "events.k8s.io",
            "extensions",
            "flowcontrol.apiserver.k8s.io",
            "internal.apiserver.k8s.io",
            "networking.k8s.io",
            "node.k8s.io",
            "policy",
            "rbac.authorization.k8s.io",
            "resource.k8s.io",
            "scheduling.k8s.io",
            "storage.k8s.io",
            "storagemigration.k8s.io");

    /** Refuses an empty version or resource: there is no path of such. */
    public GroupVersionResource {
        if (version.isEmpty() || resource.isEmpty() || group == null) {
            throw new IllegalArgumentException("incomplete: " + group + "/" + version + "/" + resource);
        }
    }

    /** As in objects: {@code v1}, {@code apps/v1}. */
    public String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** As in messages: {@code pods}, {@code deployments.apps}. */
    public String groupResource() {
        return group.isEmpty() ? resource : resource + "." + group;
    }

    /** Where discovery lists the resources of this version: {@code /api/v1}, {@code /apis/apps/v1}. */
    public String discoveryPath() {
        return group.isEmpty()
                ? "/api/" + GoText.escapeSegment(version)
                : "/apis/" + GoText.escapeSegment(group) + "/" + GoText.escapeSegment(version);
    }

    /**
     * The path of the collection, percent-encoded.
     *
     * @param namespaceOrNull null for the collection of the whole cluster
     */
    public String collectionPath(String namespaceOrNull) {
        String namespace = namespaceOrNull == null ? "" : "/namespaces/" + GoText.escapeSegment(namespaceOrNull);
        return discoveryPath() + namespace + "/" + GoText.escapeSegment(resource);
    }

    /**
     * Whether kube-apiserver keeps no watch cache of the resource by default, and reads it from its storage: events. A limit
     * counts there at version 0, too (W-047).
     */
    public boolean isUncached() {
        return resource.equals("events") && (group.isEmpty() || group.equals("events.k8s.io"));
    }

    /**
     * Whether the group is one that kube-apiserver itself serves. Its handlers differ in places from those of custom
     * resources (W-006, W-008, W-111, W-235, W-237). False also for groups of aggregated servers.
     */
    public boolean isBuiltIn() {
        return BUILT_IN_GROUPS.contains(group);
    }
}
