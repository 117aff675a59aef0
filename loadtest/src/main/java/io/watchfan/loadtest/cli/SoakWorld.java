package io.watchfan.loadtest.cli;

import io.watchfan.loadtest.apiserver.ClusterSpec;
import io.watchfan.loadtest.contract.ObjectFacts;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.swarm.Pace;
import io.watchfan.loadtest.swarm.WatcherProfile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What there is in a soak: the cluster, the scopes, the watchers. All fixed by the seed. */
final class SoakWorld {
    static final int LEAST_PODS = 10;
    static final int LEAST_WATCHERS = 8;

    private static final int NAMESPACES = 5;
    private static final int NODES = 8;
    private static final int APPS = 4;
    private static final int NAMES = 3;
    private static final int HISTORY = 5_000;
    private static final Duration BOOKMARK_INTERVAL = Duration.ofSeconds(2);
    private static final double STALLED_SHARE = 0.12;
    private static final double SLOW_SHARE = 0.1;
    private static final double INITIAL_SHARE = 0.6;

    private SoakWorld() {}

    static ClusterSpec cluster(int pods, long seed) {
        return new ClusterSpec(pods, NAMESPACES, NODES, seed, BOOKMARK_INTERVAL, HISTORY);
    }

    /** The scopes that are watched and listed: the whole, namespaces, nodes, labels, names, and both of some. */
    static List<Scope> scopes(List<ObjectFacts> pods) {
        List<Scope> scopes = new ArrayList<>();
        scopes.add(Scope.EVERYTHING);
        for (int i = 0; i < NAMESPACES; i++) {
            scopes.add(Scope.ofNamespace(ClusterSpec.namespaceName(i)));
            scopes.add(Scope.ofNode(ClusterSpec.nodeName(i)));
        }
        for (int i = 0; i < APPS; i++) {
            scopes.add(Scope.ofLabel("app", ClusterSpec.appName(i)));
            scopes.add(Scope.ofLabelIn(ClusterSpec.namespaceName(i), "app", ClusterSpec.appName(i + 1)));
        }
        for (int i = 0; i < NAMES; i++) {
            ObjectFacts pod = pods.get(i * pods.size() / NAMES);
            scopes.add(Scope.ofName("", pod.name()));
            scopes.add(Scope.ofName(pod.namespace(), pod.name()));
        }
        return List.copyOf(scopes);
    }

    /** Watchers of all scopes, with some for whom sabotage is fit among the first. */
    static List<WatcherProfile> profiles(List<Scope> scopes, int watchers, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<WatcherProfile> profiles = new ArrayList<>();
        profiles.add(new WatcherProfile(0, Scope.EVERYTHING, Pace.FAST, false));
        profiles.add(new WatcherProfile(1, Scope.EVERYTHING, Pace.FAST, true));
        profiles.add(new WatcherProfile(2, scopes.get(1), Pace.FAST, false));
        for (int id = profiles.size(); id < watchers; id++) {
            Scope scope = id % 3 == 0 ? Scope.EVERYTHING : scopes.get(id % scopes.size());
            double pace = random.nextDouble();
            profiles.add(new WatcherProfile(
                    id,
                    scope,
                    pace < STALLED_SHARE ? Pace.STALLED : pace < STALLED_SHARE + SLOW_SHARE ? Pace.SLOW : Pace.FAST,
                    random.nextDouble() < INITIAL_SHARE));
        }
        return profiles;
    }
}
