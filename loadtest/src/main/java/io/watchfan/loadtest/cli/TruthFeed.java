package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.ChangeListener;
import io.watchfan.loadtest.apiserver.StoredObject;
import io.watchfan.loadtest.contract.ObjectFacts;
import io.watchfan.loadtest.contract.Truth;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells the truth what happens to the pods of a simulated API server. The truth may be made when the pods at the start are
 * known, but before the first change.
 */
final class TruthFeed implements ChangeListener {
    private static final String PODS = "pods";

    /** The pods at the start, until there is a truth. */
    private final List<ObjectFacts> loaded = new ArrayList<>();

    private long loadedVersion;
    private volatile Truth truth;

    /** A feed whose truth is yet to come. */
    TruthFeed() {}

    TruthFeed(Truth truth) {
        this.truth = truth;
    }

    /** The pods at the start, while there is no truth. */
    List<ObjectFacts> loaded() {
        return List.copyOf(loaded);
    }

    /** Tells the truth of the start; all changes follow. */
    void begin(Truth begun) {
        loaded.forEach(begun::seed);
        begun.advance(loadedVersion);
        loaded.clear();
        truth = begun;
    }

    @Override
    public void onLoaded(String resource, StoredObject object) {
        if (truth == null) {
            loadedVersion = object.resourceVersion();
            if (resource.equals(PODS)) {
                loaded.add(facts(object));
            }
            return;
        }
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
                        object.resourceVersion(),
                        object.namespace(),
                        object.name(),
                        object.labels(),
                        object.field("spec.nodeName"));
    }
}
