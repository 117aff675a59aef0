package io.watchfan.proxy.representation;

import io.watchfan.proxy.request.GroupVersionResource;
import java.util.Map;
import java.util.Set;

/**
 * Annotations that whole objects carry, and their metadata alone does not: in them the API server puts fields that an API
 * version lacks, as it converts objects to it, while PartialObjectMetadata is taken from what it converts from.
 *
 * @param keys of the annotations
 */
record DroppedAnnotations(Set<String> keys) {
    static final DroppedAnnotations NONE = new DroppedAnnotations(Set.of());

    private static final String AUTOSCALING = "autoscaling.alpha.kubernetes.io/";

    /** By {@code groupResource()}: the conversions of kube-apiserver 1.37. */
    private static final Map<String, DroppedAnnotations> TABLE = Map.of(
            "daemonsets.apps", of("deprecated.daemonset.template.generation"),
            "deployments.apps", of("deprecated.deployment.rollback.to"),
            "horizontalpodautoscalers.autoscaling",
                    of(
                            AUTOSCALING + "metrics",
                            AUTOSCALING + "behavior",
                            AUTOSCALING + "scale-down-tolerance",
                            AUTOSCALING + "scale-up-tolerance",
                            AUTOSCALING + "current-metrics",
                            AUTOSCALING + "conditions"),
            "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
                    of("flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"));

    private static DroppedAnnotations of(String... keys) {
        return new DroppedAnnotations(Set.of(keys));
    }

    static DroppedAnnotations of(GroupVersionResource resource) {
        return TABLE.getOrDefault(resource.groupResource(), NONE);
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }

    boolean contains(String key) {
        return keys.contains(key);
    }
}
