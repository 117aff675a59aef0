package io.watchfan.loadtest.swarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LineScannerTest {
    private final List<String> lines = new ArrayList<>();
    private final LineScanner scanner =
            new LineScanner((bytes, from, to) -> lines.add(new String(bytes, from, to - from, StandardCharsets.UTF_8)));

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldFindTheSameLinesWhereverTheStreamIsSplitInThree() {
        byte[] bytes = utf8("first\n\nthird line, longer than eight bytes\nünïcode\n");

        for (int i = 0; i <= bytes.length; i++) {
            for (int j = i; j <= bytes.length; j++) {
                lines.clear();
                scanner.feed(bytes, 0, i);
                scanner.feed(bytes, i, j);
                scanner.feed(bytes, j, bytes.length);
                assertThat(lines)
                        .as("split at %d and %d", i, j)
                        .containsExactly("first", "", "third line, longer than eight bytes", "ünïcode");
                assertThat(scanner.pendingBytes()).isZero();
            }
        }
    }

    @Test
    void shouldFindTheSameLinesHoweverOftenTheStreamIsSplit() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            expected.add("x".repeat(random.nextInt(5000)) + i);
        }
        byte[] bytes = utf8(String.join("\n", expected) + "\n");

        int at = 0;
        while (at < bytes.length) {
            int next = Math.min(bytes.length, at + 1 + random.nextInt(3000));
            scanner.feed(bytes, at, next);
            at = next;
        }

        assertThat(lines).as("seed %d", seed).isEqualTo(expected);
    }

    /** Expects the same few lines again and again, and tells how often it was right. */
    private static final class Expecting implements LineSink {
        private final List<String> all = new ArrayList<>();
        private final List<byte[]> expected;
        private int known;

        private Expecting(String... lines) {
            expected = Arrays.stream(lines).map(LineScannerTest::utf8).toList();
        }

        @Override
        public byte[] expectedLine() {
            return expected.get(all.size() % expected.size());
        }

        @Override
        public void onExpectedLine() {
            known++;
            all.add(new String(expectedLine(), StandardCharsets.UTF_8));
        }

        @Override
        public void onLine(byte[] bytes, int from, int to) {
            all.add(new String(bytes, from, to - from, StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldTellAnExpectedLineFromOthersWhereverTheStreamIsSplit() {
        // The second line is as long as what is expected, the third begins with it, of the fourth there is less.
        byte[] bytes = utf8("same\nelse\nsamesame\nsam\nsame\n");

        for (int i = 0; i <= bytes.length; i++) {
            Expecting expecting = new Expecting("same");
            LineScanner splitting = new LineScanner(expecting);
            splitting.feed(bytes, 0, i);
            splitting.feed(bytes, i, bytes.length);

            assertThat(expecting.all).as("split at %d", i).containsExactly("same", "else", "samesame", "sam", "same");
            boolean splitsNone = i == 0 || i > 4 && i <= bytes.length - 5 || i == bytes.length;
            assertThat(expecting.known).as("split at %d", i).isEqualTo(splitsNone ? 2 : 1);
        }
    }

    @Test
    void shouldSayHowMuchOfALineIsPending() {
        scanner.feed(utf8("a\nbcd"), 0, 5);

        assertThat(lines).containsExactly("a");
        assertThat(scanner.pendingBytes()).isEqualTo(3);
    }

    @Test
    void shouldRefuseALineWithoutEnd() {
        byte[] piece = new byte[1 << 20];

        assertThatThrownBy(() -> {
                    for (int i = 0; i < 10; i++) {
                        scanner.feed(piece, 0, piece.length);
                    }
                })
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldFindTheFirstNewlineAtEveryPosition() {
        for (int length = 0; length < 40; length++) {
            for (int newline = 0; newline < length; newline++) {
                byte[] bytes = new byte[length];
                Arrays.fill(bytes, (byte) 0x8a);
                bytes[newline] = '\n';
                bytes[length - 1] = '\n';
                assertThat(LineScanner.indexOfNewline(bytes, 0, length)).isEqualTo(newline);
                assertThat(LineScanner.indexOfNewline(bytes, 0, newline)).isEqualTo(-1);
            }
        }
    }
}
