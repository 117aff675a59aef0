package io.watchfan.k8s;

import io.watchfan.k8s.Pods.Change;
import io.watchfan.k8s.Pods.Pod;
import io.watchfan.loadtest.contract.EventType;
import io.watchfan.loadtest.contract.ObjectFacts;
import io.watchfan.loadtest.contract.Scope;
import io.watchfan.loadtest.contract.ScopeJournal;
import io.watchfan.loadtest.contract.Strictness;
import io.watchfan.loadtest.contract.Violation;
import io.watchfan.loadtest.contract.Violations;
import io.watchfan.loadtest.contract.WatcherContract;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Holds streams against the history. The checkers, one for each guarantee, are those of the load test: held to every single
 * event before and after a gap, and to the states and the order across it. What is told of the gap itself is known exactly
 * as well ({@link GapModel}).
 */
final class StreamChecks {
    private final long start;
    private final Map<String, Pod> base;
    private final List<Change> changes;

    /**
     * What a watcher was told.
     *
     * @param from the version that it watched from; -1 when it began with the state
     * @param told all of it
     */
    record Stream(String name, PodScope scope, long from, List<WatchLine> told) {
        boolean isInitial() {
            return from < 0;
        }

        /** The version that the stream begins behind; of one that begins with the state, where its end is marked. */
        long beginsAt() {
            return isInitial()
                    ? told.stream()
                            .filter(WatchLine::endsInitialEvents)
                            .mapToLong(WatchLine::version)
                            .findFirst()
                            .orElseThrow(() -> new AssertionError(name + " had no end of its initial events"))
                    : from;
        }

        /** The changes it was told. */
        List<WatchLine> events() {
            List<WatchLine> events = new ArrayList<>();
            boolean initial = isInitial();
            for (WatchLine each : told) {
                if (each.endsInitialEvents()) {
                    initial = false;
                } else if (!initial && !each.isBookmark()) {
                    events.add(each);
                }
            }
            return events;
        }
    }

    StreamChecks(long start, Map<String, Pod> base, List<Change> changes) {
        this.start = start;
        this.base = base;
        this.changes = changes;
    }

    GapModel model(int from, int to) {
        return new GapModel(start, base, changes, from, to);
    }

    /**
     * The one gap that explains what all streams were told. When the proxy lost its place nobody has told the test; but it
     * lost it once, for all.
     *
     * @param first how many changes had certainly been told when it began
     */
    GapModel gap(List<Stream> streams, int first) {
        GapModel best = model(first, first);
        int most = explained(best, streams);
        for (int from = first; from < changes.size() && most < streams.size(); from++) {
            for (int to = from + 1; to <= changes.size() && most < streams.size(); to++) {
                GapModel tried = model(from, to);
                int explained = explained(tried, streams);
                if (explained > most) {
                    best = tried;
                    most = explained;
                }
            }
        }
        return best;
    }

    private static int explained(GapModel model, List<Stream> streams) {
        int explained = 0;
        Map<String, Boolean> known = new HashMap<>();
        for (Stream stream : streams) {
            // Most were told the same as others.
            String same = stream.scope().name() + stream.beginsAt() + stream.events();
            if (known.computeIfAbsent(same, key -> difference(model, stream) == null)) {
                explained++;
            }
        }
        return explained;
    }

    private static String difference(GapModel model, Stream stream) {
        return model.difference(stream.scope(), model.changesUpTo(stream.beginsAt()), stream.events());
    }

    /** All that is wrong with the streams, if this was the gap. */
    List<String> faults(List<Stream> streams, GapModel gap) {
        List<String> faults = new ArrayList<>();
        for (Stream stream : streams) {
            String who = stream.name() + " (" + stream.scope().name() + "): ";
            int known = gap.changesUpTo(stream.beginsAt());
            String difference = difference(gap, stream);
            if (difference != null) {
                faults.add(who + difference);
            }
            String promised = gap.promisedTooMuch(stream.scope(), known, stream.told());
            if (promised != null) {
                faults.add(who + promised);
            }
        }
        faults.addAll(violations(streams, gap));
        return faults;
    }

    private List<String> violations(List<Stream> streams, GapModel gap) {
        Violations violations = new Violations();
        Map<PodScope, ScopeJournal> before = new HashMap<>();
        Map<PodScope, ScopeJournal> all = new HashMap<>();
        for (int id = 0; id < streams.size(); id++) {
            Stream stream = streams.get(id);
            PodScope scope = stream.scope();
            ScopeJournal whole = all.computeIfAbsent(scope, key -> journal(key, changes));
            if (gap.isEmpty()) {
                check(id, stream, 0, stream.told().size(), whole, Strictness.EXACT, violations);
                continue;
            }
            check(id, stream, 0, stream.told().size(), whole, Strictness.CONVERGING, violations);
            ScopeJournal first = before.computeIfAbsent(scope, key -> journal(key, changes.subList(0, gap.from())));
            int known = gap.changesUpTo(stream.beginsAt());
            List<GapModel.Due> due = gap.due(scope, known);
            int beforeGap = (int) due.stream()
                    .filter(event -> event.due() <= changes.get(gap.from() - 1).version())
                    .count();
            int behindGap = (int) due.stream()
                    .filter(event -> event.due() <= changes.get(gap.to() - 1).version())
                    .count();
            check(id, stream, 0, lineOf(stream, beforeGap), first, Strictness.EXACT, violations);
            check(id, stream, lineOf(stream, behindGap), stream.told().size(), whole, Strictness.EXACT, violations);
        }
        List<String> described = new ArrayList<>();
        violations.first().stream().map(Violation::toString).forEach(described::add);
        return described;
    }

    /** Where in the stream the change of this number is told. */
    private static int lineOf(Stream stream, int number) {
        int left = number;
        boolean initial = stream.isInitial();
        for (int at = 0; at < stream.told().size(); at++) {
            WatchLine told = stream.told().get(at);
            if (told.endsInitialEvents()) {
                initial = false;
            } else if (!initial && !told.isBookmark() && left-- == 0) {
                return at;
            }
        }
        return stream.told().size();
    }

    /** Lets the checkers of a watcher hear a part of its stream. */
    private void check(
            int id,
            Stream stream,
            int first,
            int end,
            ScopeJournal journal,
            Strictness strictness,
            Violations violations) {
        WatcherContract contract = new WatcherContract(id, stream.scope().name(), journal, strictness, violations);
        boolean initial = first == 0 && stream.isInitial();
        if (initial) {
            contract.startInitial();
        } else {
            contract.start(first == 0 ? stream.from() : versionBefore(stream, first));
        }
        for (WatchLine told : stream.told().subList(first, end)) {
            long key = told.key().hashCode();
            if (told.isBookmark()) {
                contract.bookmark(told.version(), told.endsInitialEvents());
                initial &= !told.endsInitialEvents();
            } else if (told.type().equals("ERROR")) {
                contract.unreadable(told.toString());
            } else if (initial) {
                contract.initial(EventType.valueOf(told.type()), told.version(), key);
            } else {
                contract.event(EventType.valueOf(told.type()), told.version(), key);
            }
        }
        contract.settle(true);
    }

    /** Up to where a stream knows all, the gap included, when the line comes. */
    private long versionBefore(Stream stream, int line) {
        long next = stream.told().size() == line
                ? Long.MAX_VALUE
                : stream.told().get(line).version();
        long version = start;
        for (Change change : changes) {
            if (change.version() < next) {
                version = change.version();
            }
        }
        return version;
    }

    private ScopeJournal journal(PodScope scope, List<Change> of) {
        ScopeJournal journal = new ScopeJournal(Scope.EVERYTHING, Math.max(1, of.size()), true);
        base.values().stream().filter(scope.contains()).forEach(pod -> journal.seed(facts(pod)));
        for (Change change : of) {
            journal.append(change.version(), facts(scope.seen(change.before())), facts(scope.seen(change.after())));
        }
        // Nothing else has happened.
        journal.advance(Long.MAX_VALUE);
        return journal;
    }

    private static ObjectFacts facts(Pod pod) {
        return pod == null ? null : new ObjectFacts(pod.version(), "", "", Map.of(), "");
    }

    /**
     * What is wrong with the stream of who knew the first {@code known} changes and went on from there; null when it leads,
     * by steps that make sense to it, to what there is.
     */
    String resumedWrongly(PodScope scope, int known, List<WatchLine> told) {
        Map<String, Pod> before = scope.state(base, changes.subList(0, known));
        Map<String, WatchLine> state = new TreeMap<>();
        before.forEach((key, pod) -> state.put(key, new WatchLine("ADDED", key, pod.uid(), pod.version(), false)));
        for (WatchLine event : told) {
            if (event.isBookmark()) {
                continue;
            }
            WatchLine last = state.get(event.key());
            boolean sensible = event.type().equals("ADDED")
                    ? last == null
                    : last != null && last.uid().equals(event.uid());
            if (!sensible) {
                return event + " was told to who knew " + last;
            }
            if (event.isDeletion()) {
                state.remove(event.key());
            } else {
                state.put(event.key(), event);
            }
        }
        Map<String, Long> versions = new TreeMap<>();
        state.forEach((key, event) -> versions.put(key, event.version()));
        Map<String, Long> wanted = new TreeMap<>();
        scope.state(base, changes).forEach((key, pod) -> wanted.put(key, pod.version()));
        return versions.equals(wanted) ? null : "knows " + versions + " at the end, and not " + wanted;
    }
}
