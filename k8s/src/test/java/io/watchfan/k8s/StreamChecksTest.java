package io.watchfan.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.k8s.Pods.Change;
import io.watchfan.k8s.Pods.Pod;
import io.watchfan.k8s.StreamChecks.Stream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The checks of the tests of faults: what is right passes, and each fault is caught. */
class StreamChecksTest {
    private static final long START = 100;
    /** Up to here all are told of; from here to {@link #FOUND} nobody is. */
    private static final int LOST = 4;

    private static final int FOUND = 9;
    private static final PodScope SCOPE = PodScope.all("ns").get(2);

    private final Map<String, Pod> base = Map.of("ns/old", pod("old", "u0", 90, "a"));
    private final List<Change> changes = List.of(
            change(101, null, pod("one", "u1", 101, "a")),
            change(102, null, pod("two", "u2", 102, "a")),
            change(103, pod("one", "u1", 101, "a"), pod("one", "u1", 103, "a")),
            change(104, null, pod("three", "u3", 104, "a")),
            // What is missed: one leaves, two is created again, three changes twice, and a ghost comes and goes.
            change(111, pod("one", "u1", 103, "a"), pod("one", "u1", 111, "b")),
            change(112, pod("two", "u2", 102, "a"), null),
            change(113, null, pod("two", "u5", 113, "a")),
            change(114, pod("three", "u3", 104, "a"), pod("three", "u3", 114, "a")),
            change(115, pod("three", "u3", 114, "a"), pod("three", "u3", 115, "a")),
            change(121, pod("two", "u5", 113, "a"), pod("two", "u5", 121, "a")),
            change(122, pod("old", "u0", 90, "a"), null));
    private final StreamChecks checks = new StreamChecks(START, base, changes);

    private static Pod pod(String name, String uid, long version, String tier) {
        return new Pod("ns/" + name, uid, version, tier, "Pending", "n1");
    }

    private static Change change(long version, Pod before, Pod after) {
        return new Change(version, before, after);
    }

    private static WatchLine told(String type, String name, String uid, long version) {
        return new WatchLine(type, "ns/" + name, uid, version, false);
    }

    private static WatchLine bookmark(long version) {
        return new WatchLine("BOOKMARK", "", "", version, false);
    }

    /** What a watch of the scope is told that loses nothing. */
    private static List<WatchLine> everything() {
        return new ArrayList<>(List.of(
                told("ADDED", "one", "u1", 101),
                told("ADDED", "two", "u2", 102),
                told("MODIFIED", "one", "u1", 103),
                bookmark(103),
                told("ADDED", "three", "u3", 104),
                told("DELETED", "one", "u1", 111),
                told("DELETED", "two", "u2", 112),
                told("ADDED", "two", "u5", 113),
                told("MODIFIED", "three", "u3", 114),
                told("MODIFIED", "three", "u3", 115),
                bookmark(118),
                told("MODIFIED", "two", "u5", 121),
                told("DELETED", "old", "u0", 122)));
    }

    /** What it is told by a proxy that has missed a part. */
    private static List<WatchLine> repaired() {
        return new ArrayList<>(List.of(
                told("ADDED", "one", "u1", 101),
                told("ADDED", "two", "u2", 102),
                told("MODIFIED", "one", "u1", 103),
                bookmark(103),
                told("ADDED", "three", "u3", 104),
                bookmark(107),
                told("DELETED", "two", "u2", 107),
                told("DELETED", "one", "u1", 107),
                told("ADDED", "two", "u5", 113),
                told("MODIFIED", "three", "u3", 115),
                bookmark(118),
                told("MODIFIED", "two", "u5", 121),
                told("DELETED", "old", "u0", 122)));
    }

    private static Stream stream(List<WatchLine> told) {
        return new Stream("it", SCOPE, START, told);
    }

    private static Stream initial(List<WatchLine> told) {
        List<WatchLine> all = new ArrayList<>();
        all.add(told("ADDED", "old", "u0", 90));
        all.add(new WatchLine("BOOKMARK", "", "", START, true));
        all.addAll(told);
        return new Stream("it", SCOPE, -1, all);
    }

    private List<String> faults(Stream... streams) {
        return checks.faults(List.of(streams), checks.gap(List.of(streams), LOST));
    }

    @Test
    void shouldFindNoFaultWhereNothingIsMissed() {
        Stream[] streams = {stream(everything()), initial(everything())};

        assertThat(checks.gap(List.of(streams), LOST).isEmpty()).isTrue();
        assertThat(faults(streams)).isEmpty();
    }

    @Test
    void shouldFindTheOneGapThatExplainsAllStreams() {
        Stream[] streams = {stream(repaired()), initial(repaired())};

        GapModel gap = checks.gap(List.of(streams), LOST);

        assertThat(List.of(gap.from(), gap.to())).isEqualTo(List.of(LOST, FOUND));
        assertThat(faults(streams)).isEmpty();
    }

    @Test
    void shouldNotExplainStreamsByDifferentGaps() {
        assertThat(faults(stream(repaired()), stream(everything()))).isNotEmpty();
    }

    /** What may go wrong, in a stream with a gap or without one. */
    @SuppressWarnings("ImmutableEnumChecker") // What happens is a lambda that captures nothing.
    enum Fault {
        MISSED("RELIABLE", told -> told.remove(1)),
        MISSED_THE_END("was not told", told -> told.remove(told.size() - 1)),
        REPEATED("UNIQUE", told -> told.add(told.get(told.size() - 1))),
        REORDERED("ORDERED", told -> told.add(told.size() - 1, told.remove(0))),
        OF_ANOTHER_TYPE("FILTERED", told -> told.set(1, told("MODIFIED", "two", "u2", 102))),
        OF_ANOTHER_SCOPE("was told", told -> told.add(5, told("MODIFIED", "alien", "u9", 105))),
        NOT_WHAT_WAS_ASKED("RESUMABLE", told -> told.add(0, told("MODIFIED", "old", "u0", 90))),
        PROMISED_TOO_EARLY("came before", told -> told.set(3, bookmark(104))),
        PROMISED_WITHIN_THE_GAP("came before", told -> told.add(5, bookmark(112))),
        BOOKMARK_FELL("BOOKMARKED", told -> told.add(6, bookmark(102))),
        LEFT_AND_NOT_TOLD(
                "was told",
                told -> told.removeIf(each -> each.isDeletion() && each.key().equals("ns/one"))),
        RECREATED_AND_NOT_TOLD(
                "was told",
                told -> told.removeIf(each -> each.isDeletion() && each.key().equals("ns/two"))),
        OF_ANOTHER_OBJECT(
                "was told",
                told -> told.replaceAll(
                        each -> each.uid().equals("u5") ? told(each.type(), "two", "u2", each.version()) : each)),
        ENDED("was told", told -> told.add(new WatchLine("ERROR", "", "", -1, false)));

        private final String said;
        private final Consumer<List<WatchLine>> happens;

        Fault(String said, Consumer<List<WatchLine>> happens) {
            this.said = said;
            this.happens = happens;
        }
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void shouldCatchAFaultWhereNothingIsMissed(Fault fault) {
        List<WatchLine> told = everything();
        fault.happens.accept(told);

        assertThat(faults(stream(told), stream(everything()))).anyMatch(each -> each.contains(fault.said));
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void shouldCatchAFaultBesideAGap(Fault fault) {
        List<WatchLine> told = repaired();
        fault.happens.accept(told);

        assertThat(faults(stream(told), stream(repaired()), initial(repaired())))
                .anyMatch(each -> each.contains(fault.said));
    }

    @Test
    void shouldCatchMissedDeletionsThatAreToldAtAVersionFromWithinTheGap() {
        List<WatchLine> told = repaired();
        told.replaceAll(each -> each.isDeletion() && each.version() == 107
                ? told("DELETED", each.key().substring(3), each.uid(), 113)
                : each);

        assertThat(faults(stream(told))).isNotEmpty();
    }

    @Test
    void shouldCatchAnInitialStateThatIsNotThatOfItsEnd() {
        Stream stream = initial(everything());
        stream.told().remove(0);

        assertThat(faults(stream)).anyMatch(each -> each.contains("INITIAL"));
    }

    @Test
    void shouldFollowWhoResumesToWhatThereIs() {
        List<WatchLine> rest = repaired().subList(5, repaired().size());

        assertThat(checks.resumedWrongly(SCOPE, LOST, rest)).isNull();
        assertThat(checks.resumedWrongly(SCOPE, LOST - 1, rest)).contains("who knew null");
        assertThat(checks.resumedWrongly(SCOPE, LOST, rest.subList(0, rest.size() - 1)))
                .contains("at the end");
    }

    @Test
    void shouldCatchWhoResumesWithAGhost() {
        // It has seen "two" deleted, and the proxy has not.
        assertThat(checks.resumedWrongly(
                        SCOPE, 6, repaired().subList(5, repaired().size())))
                .contains("was told to who knew null");
    }
}
