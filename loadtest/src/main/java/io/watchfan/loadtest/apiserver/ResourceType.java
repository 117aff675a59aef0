package io.watchfan.loadtest.apiserver;

import java.util.List;
import java.util.Set;

/**
 * One kind of object and where it is served. Immutable.
 *
 * @param group API group; empty for the core group
 * @param version API version
 * @param plural name in paths
 * @param kind name in objects
 * @param namespaced whether its objects live in namespaces
 * @param custom whether it is shaped as custom resources are: keys sorted, list items with kind and apiVersion
 * @param fields the field selectors it supports
 */
record ResourceType(
        String group,
        String version,
        String plural,
        String kind,
        boolean namespaced,
        boolean custom,
        Set<String> fields) {

    static final ResourceType PODS = new ResourceType(
            "",
            "v1",
            "pods",
            "Pod",
            true,
            false,
            Set.of(
                    "metadata.name",
                    "metadata.namespace",
                    "spec.nodeName",
                    "spec.restartPolicy",
                    "spec.schedulerName",
                    "spec.serviceAccountName",
                    "spec.hostNetwork",
                    "status.phase",
                    "status.podIP",
                    "status.podIPs",
                    "status.nominatedNodeName"));
    static final ResourceType CONFIG_MAPS = new ResourceType(
            "", "v1", "configmaps", "ConfigMap", true, false, Set.of("metadata.name", "metadata.namespace"));
    static final ResourceType NAMESPACES = new ResourceType(
            "", "v1", "namespaces", "Namespace", false, false, Set.of("metadata.name", "status.phase"));
    static final ResourceType NODES =
            new ResourceType("", "v1", "nodes", "Node", false, false, Set.of("metadata.name", "spec.unschedulable"));
    static final ResourceType WIDGETS = new ResourceType(
            "loadtest.watchfan.io",
            "v1",
            "widgets",
            "Widget",
            true,
            true,
            Set.of("metadata.name", "metadata.namespace"));

    static final List<ResourceType> ALL = List.of(PODS, CONFIG_MAPS, NAMESPACES, NODES, WIDGETS);

    String apiVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** The resource as messages name it. */
    String qualified() {
        return group.isEmpty() ? plural : plural + "." + group;
    }

    /** The path below which its group and version are served. */
    String root() {
        return group.isEmpty() ? "/api/" + version : "/apis/" + group + "/" + version;
    }
}
