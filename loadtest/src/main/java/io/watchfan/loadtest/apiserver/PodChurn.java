package io.watchfan.loadtest.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Carries out planned changes on the pods of a cluster. Every pod it writes says when that was due. Keeps the number of
 * pods near what it was. Confined to the server's event loop.
 */
final class PodChurn {
    private static final int MAX_DELETED = 64;

    private final SimulatedCluster cluster;
    private final PodFactory factory;
    private final List<String> keys = new ArrayList<>();
    private final ArrayDeque<String[]> deleted = new ArrayDeque<>();
    private int created;

    PodChurn(SimulatedCluster cluster, PodFactory factory) {
        this.cluster = cluster;
        this.factory = factory;
        cluster.store(ResourceType.PODS).snapshot().forEach(pod -> keys.add(pod.key()));
        this.created = keys.size();
    }

    /**
     * Carries out one change now.
     *
     * @param plannedNanos when it was due, in {@link System#nanoTime()} terms
     */
    void apply(PlannedChange change, long plannedNanos) {
        StoredObject pod = change.kind() == PlannedChange.Kind.CREATE ? null : pick(change.choice());
        if (pod == null) {
            StoredObject stored = put(newPod(), plannedNanos);
            keys.add(stored.key());
        } else if (change.kind() == PlannedChange.Kind.DELETE) {
            keys.remove(pod.key());
            deleted.add(new String[] {pod.namespace(), pod.name()});
            if (deleted.size() > MAX_DELETED) {
                deleted.remove();
            }
            cluster.delete(ResourceType.PODS, pod.key());
        } else {
            ObjectNode object = ObjectJson.parse(pod.json());
            if (pod.field("spec.nodeName").isEmpty()) {
                factory.run(object);
            } else if (change.kind() == PlannedChange.Kind.RELABEL) {
                factory.relabel(object);
            } else {
                factory.touch(object);
            }
            put(object, plannedNanos);
        }
    }

    /** Every other one has the name of one that was deleted, as those of a stateful set have. */
    private ObjectNode newPod() {
        ObjectNode pod = factory.pendingPod(created++);
        String[] name = created % 2 == 0 ? deleted.poll() : null;
        if (name != null && cluster.store(ResourceType.PODS).get(name[0] + "/" + name[1]) == null) {
            ObjectJson.metadata(pod).put("namespace", name[0]).put("name", name[1]);
        }
        return pod;
    }

    /** A pod that is still there; null when there is none. */
    private StoredObject pick(int choice) {
        while (!keys.isEmpty()) {
            int index = choice % keys.size();
            StoredObject pod = cluster.store(ResourceType.PODS).get(keys.get(index));
            if (pod != null) {
                return pod;
            }
            // Someone else deleted it.
            keys.set(index, keys.get(keys.size() - 1));
            keys.remove(keys.size() - 1);
        }
        return null;
    }

    private StoredObject put(ObjectNode pod, long plannedNanos) {
        ObjectJson.metadata(pod).withObject("/annotations").put(ObjectJson.PLANNED_NANOS, Long.toString(plannedNanos));
        return cluster.put(ResourceType.PODS, pod);
    }
}
