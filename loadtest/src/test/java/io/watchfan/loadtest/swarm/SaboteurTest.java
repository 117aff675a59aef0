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
        saboteur.restart((bytes, from, to) -> {
            assertThat(head.parse(bytes, from, to)).isTrue();
            received.add(head.type().name().charAt(0) + "" + head.resourceVersion());
        });
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
}
