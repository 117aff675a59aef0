package io.watchfan.loadtest.swarm;

import io.watchfan.loadtest.contract.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The watchers of a run: half of them watch everything, a quarter a namespace each, a quarter a node or a label each,
 * as far as there are any. Deterministic by seed.
 *
 * @param namespaces names of namespaces; may be empty
 * @param nodes names of nodes; may be empty
 * @param labels scopes by label; may be empty
 * @param stalledShare the share that stalls, of those that watch everything as of all
 * @param slowShare the share that reads slowly
 * @param initialShare the share that begins with initial events
 */
public record ProfileMix(
        List<String> namespaces,
        List<String> nodes,
        List<Scope> labels,
        double stalledShare,
        double slowShare,
        double initialShare) {

    /** The profiles of so many watchers. */
    public List<WatcherProfile> profiles(int watchers, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<WatcherProfile> profiles = new ArrayList<>(watchers);
        int stalled = (int) Math.ceil(watchers * stalledShare);
        for (int id = 0; id < watchers; id++) {
            Scope scope = scope(id);
            boolean initial = random.nextDouble() < initialShare;
            Pace pace = random.nextDouble() < slowShare ? Pace.SLOW : Pace.FAST;
            // Only who watches everything gets enough to be held up by it.
            if (stalled > 0 && id > 0 && scope.equals(Scope.EVERYTHING)) {
                stalled--;
                pace = Pace.STALLED;
                initial = false;
            }
            profiles.add(new WatcherProfile(id, scope, pace, initial));
        }
        return profiles;
    }

    private Scope scope(int id) {
        int turn = id / 4;
        boolean byNode = !nodes.isEmpty() && (labels.isEmpty() || turn % 2 == 0);
        return switch (id % 4) {
            case 2 ->
                namespaces.isEmpty() ? Scope.EVERYTHING : Scope.ofNamespace(namespaces.get(turn % namespaces.size()));
            case 3 ->
                byNode
                        ? Scope.ofNode(nodes.get(turn % nodes.size()))
                        : labels.isEmpty() ? Scope.EVERYTHING : labels.get(turn % labels.size());
            default -> Scope.EVERYTHING;
        };
    }
}
