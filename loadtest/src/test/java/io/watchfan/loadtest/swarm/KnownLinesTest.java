package io.watchfan.loadtest.swarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchfan.loadtest.contract.EventType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class KnownLinesTest {
    private final EventHead head = new EventHead();
    private final KnownLines lines = new KnownLines();

    private static byte[] line(String type, long version) {
        return ("{\"type\":\"" + type + "\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"" + version
                        + "\"}}}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private KnownLine read(String type, long version) {
        byte[] bytes = line(type, version);
        assertThat(head.parse(bytes, 0, bytes.length)).isTrue();
        return lines.of(head, bytes, 0, bytes.length);
    }

    @Test
    void shouldBeOneForAllThatReadTheSameBytes() {
        KnownLine first = read("MODIFIED", 5);

        assertThat(read("MODIFIED", 5)).isSameAs(first);
        assertThat(first.type()).isEqualTo(EventType.MODIFIED);
        assertThat(first.resourceVersion()).isEqualTo(5);
    }

    @Test
    void shouldNotTakeOneChangeForAnother() {
        KnownLine first = read("MODIFIED", 5);
        KnownLine deleted = read("DELETED", 5);

        assertThat(deleted).isNotSameAs(first);
        assertThat(deleted.type()).isEqualTo(EventType.DELETED);
        byte[] bytes = line("DELETED", 5);
        assertThat(deleted.is(bytes, 0, bytes.length)).isTrue();
        assertThat(first.is(bytes, 0, bytes.length)).isFalse();
    }

    @Test
    void shouldNotKeepAllThatCameBehindAnOldLine() {
        KnownLine old = read("MODIFIED", 1);
        KnownLine last = old;
        for (long version = 2; version <= 5000; version++) {
            KnownLine next = read("MODIFIED", version);
            last.setNext(next);
            last = next;
        }

        int kept = 0;
        for (KnownLine line = old; line != null; line = line.next()) {
            kept++;
        }
        assertThat(kept).isLessThan(1100);
        assertThat(read("MODIFIED", 5000)).isSameAs(last);
    }

    @Test
    void shouldKeepNothingOfALineThatIsTooLong() {
        KnownLine before = read("MODIFIED", 1);
        byte[] bytes = Arrays.copyOf(line("MODIFIED", 2), KnownLines.MOST_LINE_BYTES + 1);
        assertThat(head.parse(bytes, 0, bytes.length)).isTrue();

        KnownLine large = lines.of(head, bytes, 0, bytes.length);
        before.setNext(read("MODIFIED", 3));
        before.setNext(large);

        assertThat(large.resourceVersion()).isEqualTo(2);
        assertThat(large.bytes()).isEmpty();
        assertThat(before.next()).as("expected by nobody").isNull();
    }

    @Test
    void shouldNotLearnWhatCameBehindALineThatIsForgotten() {
        KnownLine old = read("MODIFIED", 1);
        KnownLine other = read("MODIFIED", 1 + 1024);
        assertThat(read("MODIFIED", 1 + 1024)).isSameAs(other);

        old.setNext(read("MODIFIED", 2));

        assertThat(old.next()).isNull();
    }
}
