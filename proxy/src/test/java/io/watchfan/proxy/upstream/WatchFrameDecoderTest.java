package io.watchfan.proxy.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines out of bytes that come in whatever pieces. */
class WatchFrameDecoderTest {
    private static final String TWO_EVENTS =
            "{\"type\":\"ADDED\",\"object\":{\"a\":\"grün, \uD83D\uDE80\"}}\n{\"type\":\"DELETED\",\"object\":{}}\n";

    private final List<String> lines = new ArrayList<>();
    private final WatchFrameDecoder decoder = new WatchFrameDecoder(this::keep);

    private boolean keep(byte[] bytes, int offset, int length) {
        return lines.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
    }

    @Test
    void shouldGiveTheSameLinesWhereverTheBytesAreCut() {
        byte[] bytes = TWO_EVENTS.getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= bytes.length; cut++) {
            lines.clear();
            WatchFrameDecoder fresh = new WatchFrameDecoder(this::keep);

            assertThat(fresh.feed(Buffer.buffer(bytes).slice(0, cut))).isTrue();
            assertThat(fresh.feed(Buffer.buffer(bytes).slice(cut, bytes.length)))
                    .isTrue();

            assertThat(lines).as("cut at %d", cut).containsExactly(TWO_EVENTS.split("\n"));
        }
    }

    @Test
    void shouldGiveTheSameLinesByteByByte() {
        for (byte b : TWO_EVENTS.getBytes(StandardCharsets.UTF_8)) {
            assertThat(decoder.feed(Buffer.buffer(new byte[] {b}))).isTrue();
        }

        assertThat(lines).containsExactly(TWO_EVENTS.split("\n"));
    }

    @Test
    void shouldGiveTheSameLinesInRandomPieces() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> expected = new ArrayList<>();
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 500; i++) {
            String line = "{\"n\":" + i + ",\"pad\":\"" + "é".repeat(random.nextInt(2000)) + "\"}";
            expected.add(line);
            all.append(line).append('\n');
        }
        byte[] bytes = all.toString().getBytes(StandardCharsets.UTF_8);

        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(bytes.length - at, 1 + random.nextInt(20_000));
            decoder.feed(Buffer.buffer().appendBytes(bytes, at, length));
            at += length;
        }

        assertThat(lines).as("seed %d", seed).isEqualTo(expected);
    }

    @Test
    void shouldPassOverBlankLines() {
        decoder.feed(Buffer.buffer("\n\r\n \t\r\n{}\n\n{\"a\":1}\n"));

        assertThat(lines).containsExactly("{}", "{\"a\":1}");
    }

    @Test
    void shouldKeepACarriageReturnThatEndsALineForTheParserToPassOver() throws Exception {
        List<DecodedEvent> events = new ArrayList<>();
        AttributeExtractor extractor =
                new AttributeExtractor(io.watchfan.fanout.selector.SelectableFields.forBuiltIn("", "v1", "ConfigMap"));
        WatchFrameDecoder parsing = new WatchFrameDecoder((bytes, offset, length) -> {
            try {
                return events.add(extractor.event(bytes, offset, length));
            } catch (MalformedObjectException e) {
                throw new AssertionError(e);
            }
        });

        parsing.feed(
                Buffer.buffer("{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"7\"}}}\r\n"));

        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.resourceVersion()).isEqualTo(7);
            assertThat(event.raw()).asString().doesNotContain("\r");
        });
    }

    @Test
    void shouldHoldBackALineWithoutItsEnd() {
        assertThat(decoder.feed(Buffer.buffer("{\"a\":1}"))).isTrue();
        assertThat(lines).isEmpty();

        decoder.feed(Buffer.buffer("\n"));

        assertThat(lines).containsExactly("{\"a\":1}");
    }

    @Test
    void shouldStopWhereTheHandlerWantsNoMore() {
        List<String> seen = new ArrayList<>();
        WatchFrameDecoder once = new WatchFrameDecoder((bytes, offset, length) -> {
            seen.add(new String(bytes, offset, length, StandardCharsets.UTF_8));
            return seen.size() < 2;
        });

        assertThat(once.feed(Buffer.buffer("1\n2\n3\n"))).isFalse();
        assertThat(seen).containsExactly("1", "2");
    }

    @Test
    void shouldTakeALineOfManyBuffersAndGoOn() {
        Buffer piece = Buffer.buffer("x".repeat(64 << 10));
        for (int i = 0; i < 48; i++) {
            assertThat(decoder.feed(piece)).isTrue();
        }
        assertThat(decoder.feed(Buffer.buffer("\nnext\n"))).isTrue();

        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).hasSize(48 * (64 << 10));
        assertThat(lines.get(1)).isEqualTo("next");
    }

    @Test
    void shouldGiveItsRoomBackAfterALongLine() throws ReflectiveOperationException {
        decoder.feed(Buffer.buffer("x".repeat(3 << 20)));
        assertThat(room()).isGreaterThanOrEqualTo(3 << 20);

        decoder.feed(Buffer.buffer("\n"));
        assertThat(room()).isEqualTo(64 << 10);

        decoder.feed(Buffer.buffer("after\n"));
        assertThat(lines).last().isEqualTo("after");
    }

    @Test
    void shouldRefuseALineThatIsTooLongToBeAnEvent() {
        Buffer piece = Buffer.buffer(new byte[8 << 20]);
        for (int i = 0; i < FrameDecoder.MAX_EVENT_BYTES / piece.length(); i++) {
            assertThat(decoder.feed(piece)).isTrue();
        }

        assertThat(decoder.feed(Buffer.buffer("x"))).isFalse();
        assertThat(lines).isEmpty();
    }

    private int room() throws ReflectiveOperationException {
        var pending = FrameDecoder.class.getDeclaredField("pending");
        pending.setAccessible(true);
        return ((byte[]) pending.get(decoder)).length;
    }
}
