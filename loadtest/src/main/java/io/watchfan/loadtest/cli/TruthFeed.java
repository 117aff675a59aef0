package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.ChangeListener;
import io.watchfan.loadtest.apiserver.StoredObject;
import io.watchfan.loadtest.contract.ObjectFacts;
import io.watchfan.loadtest.contract.Truth;

/** Tells the truth what happens to the pods of a simulated API server. */
final class TruthFeed implements ChangeListener {
    private static final String PODS = "pods";

    private final Truth truth;

    TruthFeed(Truth truth) {
        this.truth = truth;
    }

    @Override
    public void onLoaded(String resource, StoredObject object) {
        if (resource.equals(PODS)) {
            truth.seed(facts(object));
        }
        truth.advance(object.resourceVersion());
    }

    @Override
    public void onChange(String resource, long version, StoredObject before, StoredObject after) {
        if (resource.equals(PODS)) {
            truth.change(version, facts(before), facts(after));
        } else {
            truth.advance(version);
        }
    }

    private static ObjectFacts facts(StoredObject object) {
        return object == null
                ? null
                : new ObjectFacts(
                        object.resourceVersion(), object.namespace(), object.labels(), object.field("spec.nodeName"));
    }
}
