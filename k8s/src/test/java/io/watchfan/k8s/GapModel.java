package io.watchfan.k8s;

import io.watchfan.k8s.Pods.Change;
import io.watchfan.k8s.Pods.Pod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a watch of a scope is to be told of a history of which the proxy missed the changes {@code from} to {@code to}, that
 * being what had happened when its own watch came back too late: what is left of them, as one difference. First come
 * deletions and what has left the scope, all at the version before the gap, since their own is not known; then what is new or
 * has changed, at its own version. A pod that was deleted and created again is told as both. Without a gap ({@code from}
 * equals {@code to}) it is every single change. Immutable.
 */
final class GapModel {
    private final Map<String, Pod> base;
    private final List<Change> changes;
    private final int from;
    private final int to;
    private final long start;

    /**
     * One event that is due.
     *
     * @param version what it is shown at; of a deletion in the gap the highest that is right
     * @param lowest the lowest version that is right
     * @param due the version that nobody may have been promised before having been told
     */
    record Due(String type, String key, String uid, long lowest, long version, long due) {
        boolean is(WatchLine told) {
            return type.equals(told.type())
                    && key.equals(told.key())
                    && uid.equals(told.uid())
                    && lowest <= told.version()
                    && told.version() <= version;
        }

        @Override
        public String toString() {
            return type + " " + key + "@" + (lowest < version ? lowest + ".." + version : version);
        }
    }

    GapModel(long start, Map<String, Pod> base, List<Change> changes, int from, int to) {
        this.start = start;
        this.base = base;
        this.changes = changes;
        this.from = from;
        this.to = to;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    boolean isEmpty() {
        return from == to;
    }

    /** How many changes there have been up to a version. */
    int changesUpTo(long version) {
        int count = 0;
        while (count < changes.size() && changes.get(count).version() <= version) {
            count++;
        }
        return count;
    }

    /** What is due to who knows the first {@code known} changes, which end before the gap. */
    List<Due> due(PodScope scope, int known) {
        List<Due> due = new ArrayList<>();
        single(scope, known, from, due);
        if (!isEmpty()) {
            difference(scope, due);
        }
        single(scope, to, changes.size(), due);
        return due;
    }

    private void single(PodScope scope, int first, int end, List<Due> into) {
        for (Change change : changes.subList(first, end)) {
            Pod before = scope.seen(change.before());
            Pod after = scope.seen(change.after());
            if (after != null) {
                into.add(due(before == null ? "ADDED" : "MODIFIED", after, change.version(), change.version()));
            } else if (before != null) {
                into.add(due("DELETED", before, change.version(), change.version()));
            }
        }
    }

    private static Due due(String type, Pod pod, long version, long due) {
        return new Due(type, pod.key(), pod.uid(), version, version, due);
    }

    private void difference(PodScope scope, List<Due> into) {
        Map<String, Pod> before = scope.state(base, changes.subList(0, from));
        Map<String, Pod> after = scope.state(base, changes.subList(0, to));
        Map<String, Long> firstChange = new TreeMap<>();
        for (Change change : changes.subList(from, to)) {
            firstChange.putIfAbsent(
                    (change.after() == null ? change.before() : change.after()).key(), change.version());
        }
        long lowest = from == 0 ? start : changes.get(from - 1).version();
        long highest = changes.get(from).version() - 1;
        for (Pod pod : before.values()) {
            Pod left = after.get(pod.key());
            if (left == null || !left.uid().equals(pod.uid())) {
                into.add(new Due("DELETED", pod.key(), pod.uid(), lowest, highest, firstChange.get(pod.key())));
            }
        }
        after.values().stream()
                .filter(pod -> pod.version() > lowest)
                .sorted(Comparator.comparingLong(Pod::version))
                .forEach(pod -> {
                    Pod known = before.get(pod.key());
                    boolean same = known != null && known.uid().equals(pod.uid());
                    into.add(due(same ? "MODIFIED" : "ADDED", pod, pod.version(), firstChange.get(pod.key())));
                });
    }

    /**
     * Where a stream departs from what is due; null where it does not.
     *
     * @param told all of the stream behind its initial events, without bookmarks
     */
    String difference(PodScope scope, int known, List<WatchLine> told) {
        List<Due> due = due(scope, known);
        List<WatchLine> sorted = new ArrayList<>(told);
        sortDeletions(due, sorted);
        for (int at = 0; at < Math.max(due.size(), sorted.size()); at++) {
            if (at == sorted.size()) {
                return "was not told " + due.get(at);
            }
            if (at == due.size()) {
                return "was told more: " + sorted.get(at);
            }
            if (!due.get(at).is(sorted.get(at))) {
                return "was told " + sorted.get(at) + " where it should be " + due.get(at);
            }
        }
        return null;
    }

    /** Deletions told at one version, which is how missed ones are told, have no order among each other. */
    private static void sortDeletions(List<Due> due, List<WatchLine> told) {
        int first = 0;
        for (int at = 1; at <= told.size(); at++) {
            if (at == told.size()
                    || !told.get(at).isDeletion()
                    || !told.get(first).isDeletion()
                    || told.get(at).version() != told.get(first).version()) {
                told.subList(first, at).sort(Comparator.comparing(WatchLine::key));
                due.subList(Math.min(first, due.size()), Math.min(at, due.size()))
                        .sort(Comparator.comparing(Due::key));
                first = at;
            }
        }
    }

    /** The first bookmark that promises what had not been told before it; null when there is none. */
    String promisedTooMuch(PodScope scope, int known, List<WatchLine> stream) {
        List<Due> due = due(scope, known);
        int count = 0;
        boolean initial = stream.stream().anyMatch(WatchLine::endsInitialEvents);
        for (WatchLine told : stream) {
            if (told.endsInitialEvents()) {
                initial = false;
            } else if (!told.isBookmark()) {
                count += initial ? 0 : 1;
            } else {
                for (Due event : due.subList(Math.min(count, due.size()), due.size())) {
                    if (event.due() <= told.version()) {
                        return told + " came before " + event;
                    }
                }
            }
        }
        return null;
    }
}
