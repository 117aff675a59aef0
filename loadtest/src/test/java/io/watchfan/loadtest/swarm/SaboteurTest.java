package io.watchfan.loadtest.swarm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SaboteurTest {
    private final List<String> received = new ArrayList<>();

    private void feed(Saboteur saboteur, String type, int version) {
        String line = "{\"type\":\"" + type + "\",\"object\":{\"metadata\":{\"resourceVersion\":\"" + version + "\"}}}";
        byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
        saboteur.onLine(bytes, 0, bytes.length);
        // The bytes are only lent.
        Arrays.fill(bytes, (byte) 'x');
    }

    private Saboteur saboteur(Sabotage sabotage) {
        EventHead head = new EventHead();
        Saboteur saboteur = new Saboteur(sabotage);
        saboteur.restart(
                (bytes, from, to) -> {
                    assertThat(head.parse(bytes, from, to)).isTrue();
                    received.add(head.type().name().charAt(0) + "" + head.resourceVersion());
                },
                false,
                () -> {});
        return saboteur;
    }

    private List<String> after(Sabotage sabotage) {
        Saboteur saboteur = saboteur(sabotage);
        for (int version = 1; version <= 12; version++) {
            feed(saboteur, "MODIFIED", version);
        }
        return received.subList(8, received.size());
    }

    @Test
    void shouldDropTheTenthChange() {
        assertThat(after(Sabotage.DROP)).containsExactly("M9", "M11", "M12");
    }

    @Test
    void shouldRepeatTheTenthChange() {
        assertThat(after(Sabotage.REPEAT)).containsExactly("M9", "M10", "M10", "M11", "M12");
    }

    @Test
    void shouldReorderTheTenthChangeAndTheNext() {
        assertThat(after(Sabotage.REORDER)).containsExactly("M9", "M11", "M10", "M12");
    }

    @Test
    void shouldNotReorderAcrossABookmark() {
        Saboteur saboteur = saboteur(Sabotage.REORDER);
        for (int version = 1; version <= 10; version++) {
            feed(saboteur, "MODIFIED", version);
        }
        feed(saboteur, "BOOKMARK", 10);
        feed(saboteur, "MODIFIED", 11);
        feed(saboteur, "MODIFIED", 12);

        assertThat(received.subList(8, received.size())).containsExactly("M9", "M10", "B10", "M12", "M11");
    }

    private static byte[] named(String type, int version, String name) {
        return ("{\"type\":\"" + type + "\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"" + name
                        + "\",\"resourceVersion\":\"" + version + "\"}}}")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void shouldGiveTheTenthChangeAnotherNameAlsoAfterNewInitialEvents() {
        byte[] end = ("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"5\","
                        + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}")
                .getBytes(StandardCharsets.US_ASCII);
        List<String> got = new ArrayList<>();
        Saboteur saboteur = new Saboteur(Sabotage.MISNAME);
        LineSink sink = (bytes, from, to) -> got.add(new String(bytes, from, to - from, StandardCharsets.US_ASCII));
        for (int stream = 0; stream < 2; stream++) {
            got.clear();
            saboteur.restart(sink, true, () -> {});
            tell(saboteur, named("ADDED", 4, "a"));
            tell(saboteur, end);
            for (int version = 6; version < 18; version++) {
                tell(saboteur, named("MODIFIED", version, "a"));
            }
            assertThat(got.stream().filter(line -> line.contains("\"name\":\"not-a\"")))
                    .hasSize(1);
        }
    }

    private static void tell(Saboteur saboteur, byte[] line) {
        saboteur.onLine(line, 0, line.length);
    }

    @Test
    void shouldTellOnceMoreWhatCameLastWhenAWatchResumes() {
        Saboteur saboteur = new Saboteur(Sabotage.GO_BACK);
        List<String> told = new ArrayList<>();
        EventHead head = new EventHead();
        LineSink sink = (bytes, from, to) -> {
            assertThat(head.parse(bytes, from, to)).isTrue();
            told.add(head.type().name().charAt(0) + "" + head.resourceVersion());
        };
        saboteur.restart(sink, false, () -> saboteur.restart(sink, false, () -> told.add("left again")));
        for (int version = 1; version <= 13; version++) {
            feed(saboteur, "MODIFIED", version);
        }

        assertThat(told.subList(8, told.size())).containsExactly("M9", "M10", "M10", "M11", "M12", "M13");
    }

    @Test
    void shouldInventAnEventWhereThereIsAVersionForIt() {
        Saboteur saboteur = saboteur(Sabotage.INVENT);
        for (int version = 1; version <= 11; version++) {
            feed(saboteur, "MODIFIED", version);
        }
        feed(saboteur, "MODIFIED", 20);
        feed(saboteur, "MODIFIED", 30);

        assertThat(received.subList(10, received.size())).containsExactly("M11", "M19", "M20", "M30");
    }

    @Test
    void shouldTellABookmarkAhead() {
        assertThat(after(Sabotage.BOOKMARK_AHEAD)).containsExactly("M9", "B10", "M10", "M11", "M12");
    }
}
