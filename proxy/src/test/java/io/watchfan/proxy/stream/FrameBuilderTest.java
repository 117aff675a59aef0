package io.watchfan.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.watchfan.fanout.event.EventType;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.proxy.representation.Representations;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames read back: what is on the wire is the lines, and what is left of a unit is exactly what is left. */
class FrameBuilderTest {
    private static final ApiResource RESOURCE =
            new ApiResource(new GroupVersionResource("", "v1", "things"), "Thing", true, Set.of());
    private static final LineFormat JSON = new Representations(RESOURCE, ObjectEncoding.JSON).whole();
    private static final LineFormat BINARY = new Representations(RESOURCE, ObjectEncoding.PROTOBUF).whole();

    private final Gzip gzip = new Gzip();
    private final FrameBuilder builder = new FrameBuilder(gzip);
    private final List<String> lines = new ArrayList<>();
    private final List<Frame> ended = new ArrayList<>();

    @AfterEach
    void release() {
        ended.forEach(Frame::release);
        gzip.close();
    }

    private Frame end() {
        Frame frame = builder.end();
        ended.add(frame);
        return frame;
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void shouldCarryTheLinesAsTheyAre(Framing framing) {
        begin(framing);
        add(EventType.ADDED, "a", 5, 5, 100);
        add(EventType.MODIFIED, "grün", 6, 6, 200);
        add(EventType.DELETED, "c", 7, 7, 300);
        Frame frame = end();

        assertThat(parsed(framing, bytes(frame))).isEqualTo(lines);
        assertThat(frame.linesOf(frame.units())).isEqualTo(3);
        assertThat(frame.length()).isEqualTo(bytes(frame).length);
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void shouldCarryManyLinesOfAnyLength(Framing framing) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        begin(framing);
        for (int i = 0; i < 400; i++) {
            int size = random.nextInt(20) == 0 ? 20_000 + random.nextInt(100_000) : 120 + random.nextInt(3000);
            add(EventType.MODIFIED, "o" + i, 1000 + i, random.nextBoolean() ? 1000 + i : 50_000_000 + i, size);
        }
        Frame frame = end();

        assertThat(parsed(framing, bytes(frame))).as("seed %d", seed).isEqualTo(lines);
        assertUnitsAreBounded(framing, frame);
    }

    private static void assertUnitsAreBounded(Framing framing, Frame frame) {
        for (int unit = 0; unit < frame.units(); unit++) {
            byte[] bytes = Arrays.copyOfRange(bytes(frame), frame.start(unit), frame.end(unit));
            List<String> inUnit = parsed(framing, bytes);
            int sum = inUnit.stream()
                    .mapToInt(line -> line.getBytes(StandardCharsets.UTF_8).length)
                    .sum();
            assertThat(sum <= FrameBuilder.UNIT_BYTES || inUnit.size() == 1)
                    .as("%d lines of %d bytes in unit %d", inUnit.size(), sum, unit)
                    .isTrue();
        }
    }

    @Test
    void shouldPutTheGivenVersionInThePlaceOfTheObjectsOwn() {
        begin(Framing.PLAIN);
        add(EventType.DELETED, "a", 7, 123_456, 100);
        add(EventType.DELETED, "b", 999, 8, 100);
        Frame frame = end();

        assertThat(text(frame)).contains("\"resourceVersion\":\"123456\"").contains("\"resourceVersion\":\"8\"");
        assertThat(parsed(Framing.PLAIN, bytes(frame))).isEqualTo(lines);
    }

    @Test
    void shouldTellSequenceAndVersionOfEachUnit() {
        begin(Framing.CHUNKED);
        add(EventType.ADDED, "a", 10, 10, 20_000);
        add(EventType.DELETED, "b", 4, 4, 20_000);
        add(EventType.ADDED, "c", 12, 12, 20_000);
        add(EventType.ADDED, "d", 13, 13, 100);
        Frame frame = end();

        assertThat(frame.units()).isEqualTo(3);
        assertThat(List.of(frame.sequence(0), frame.sequence(1), frame.sequence(2)))
                .containsExactly(1L, 2L, 4L);
        // What has been shown never falls.
        assertThat(List.of(frame.version(0), frame.version(1), frame.version(2)))
                .containsExactly(10L, 10L, 13L);
    }

    /** So a stream has the same bytes however its lines were gathered. */
    @ParameterizedTest
    @EnumSource(Framing.class)
    void shouldHaveTheSameBytesHoweverTheLinesAreGathered(Framing framing) {
        begin(framing);
        for (int i = 0; i < 20; i++) {
            add(EventType.ADDED, "o" + i, 100 + i, 100 + i, 100 + 700 * i);
        }
        byte[] together = bytes(end());
        ByteArrayOutputStream apart = new ByteArrayOutputStream();
        for (int i = 0; i < 20; i++) {
            begin(framing);
            add(EventType.ADDED, "o" + i, 100 + i, 100 + i, 100 + 700 * i);
            apart.writeBytes(bytes(end()));
        }

        assertThat(apart.toByteArray()).isEqualTo(together);
    }

    @Test
    void shouldForgetTheVersionsOfTheFrameBefore() {
        begin(Framing.CHUNKED);
        add(EventType.ADDED, "a", 100, 100, 100);
        builder.end().release();

        begin(Framing.CHUNKED);
        builder.add("{}\n".getBytes(StandardCharsets.UTF_8), 0);
        Frame frame = end();

        assertThat(frame.units()).isEqualTo(1);
        assertThat(frame.version(0)).isZero();
        assertThat(frame.sequence(0)).isZero();
        assertThat(frame.linesOf(frame.units())).isEqualTo(1);
    }

    @Test
    void shouldBeEmptyWithoutLines() {
        begin(Framing.CHUNKED);
        Frame frame = end();

        assertThat(frame.units()).isZero();
        assertThat(frame.length()).isZero();
    }

    @Test
    void shouldCarryABookmarkBesideEvents() {
        begin(Framing.CHUNKED);
        add(EventType.ADDED, "a", 5, 5, 100);
        String bookmark = "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"9\"}}}\n";
        builder.add(bookmark.getBytes(StandardCharsets.UTF_8), 9);
        lines.add(bookmark);
        Frame frame = end();

        assertThat(parsed(Framing.CHUNKED, bytes(frame))).isEqualTo(lines);
        assertThat(frame.version(0)).isEqualTo(9);
    }

    /** The heads of RFC 6455, 5.2. */
    @ParameterizedTest
    @ValueSource(ints = {1, 125, 126, 127, 65_535, 65_536, 200_000})
    void shouldHeadEveryWebSocketMessageWithItsLength(int length) {
        byte[] line = new byte[length];
        Arrays.fill(line, (byte) 'x');
        line[length - 1] = '\n';
        begin(Framing.WEBSOCKET);
        builder.add(line, 0);
        Frame frame = end();

        byte[] bytes = bytes(frame);
        byte[] head = Arrays.copyOf(bytes, bytes.length - length);
        if (length < 126) {
            assertThat(head).containsExactly(0x81, length);
        } else if (length < 65_536) {
            assertThat(head).containsExactly(0x81, 126, length >> 8, length & 0xff);
        } else {
            assertThat(head).containsExactly(0x81, 127, 0, 0, 0, 0, 0, length >> 16, length >> 8 & 0xff, length & 0xff);
        }
        assertThat(Arrays.copyOfRange(bytes, head.length, bytes.length)).isEqualTo(line);
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void shouldLeaveExactlyTheRestOfAUnitAtEveryOffset(Framing framing) {
        begin(framing);
        add(EventType.ADDED, "a", 1, 1, 150);
        add(EventType.MODIFIED, "b", 2, 77, 200);
        add(EventType.MODIFIED, "large", 3, 3_000_000, FrameBuilder.UNIT_BYTES + 100);
        add(EventType.ADDED, "c", 4, 4, 150);
        Frame frame = end();
        byte[] all = bytes(frame);
        assertThat(frame.units()).isGreaterThanOrEqualTo(3);

        for (int offset = 0; offset < all.length; offset++) {
            int unit = frame.unitAt(offset);
            assertThat(frame.start(unit) <= offset && offset < frame.end(unit))
                    .as("unit %d at %d", unit, offset)
                    .isTrue();
            // Every offset of the small units and of the large one's edges; between them a sample.
            if (offset - frame.start(unit) < 300 || frame.end(unit) - offset < 300 || offset % 97 == 0) {
                byte[] rest = drain(frame.rest(unit, offset), offset % 5 == 0 ? 64 : FrameBuilder.UNIT_BYTES);
                assertThat(Arrays.equals(rest, 0, rest.length, all, offset, frame.end(unit)))
                        .as("rest at %d", offset)
                        .isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, FrameBuilder.UNIT_BYTES, 2 * FrameBuilder.UNIT_BYTES})
    void shouldKeepARestIndependentOfTheFrame(int over) {
        begin(Framing.CHUNKED);
        add(EventType.ADDED, "a", 1, 1, FrameBuilder.UNIT_BYTES - 64 + over);
        Frame frame = end();
        byte[] all = bytes(frame);
        Rest rest = frame.rest(0, 10);
        release();
        ended.clear();
        begin(Framing.CHUNKED);
        add(EventType.ADDED, "zzzz", 2, 2, FrameBuilder.UNIT_BYTES);
        end();

        assertThat(drain(rest, 1000)).isEqualTo(Arrays.copyOfRange(all, 10, all.length));
    }

    @Test
    void shouldBoundTheSizeOfALineFromAbove() {
        Line line = line(EventType.MODIFIED, "a", 1, Long.MAX_VALUE, 1000);
        Frame frame = builder.frame(new FrameFormat(Framing.PLAIN, JSON), List.of(line));
        ended.add(frame);

        assertThat(frame.length()).isBetween(1000, JSON.mostBytes(line));
    }

    /** What the next frame is built for may be somebody else's. */
    @Test
    void shouldKeepNothingOfAFrameThatCouldNotBeBuilt() {
        Line good = line(EventType.ADDED, "a", 1, 1, 1000);
        LineFormat failing = new LineFormat() {
            private int written;

            @Override
            public byte[][] pieces(Line line) {
                if (++written == 2) {
                    throw new IllegalStateException("the second");
                }
                return new byte[][] {{'x', '\n'}};
            }

            @Override
            public int mostBytes(Line line) {
                return 2;
            }

            @Override
            public boolean isBinary() {
                return false;
            }
        };
        assertThatThrownBy(() -> builder.frame(new FrameFormat(Framing.PLAIN, failing), List.of(good, good)))
                .hasMessage("the second");

        Frame next =
                builder.frame(new FrameFormat(Framing.PLAIN, failing), "other\n".getBytes(StandardCharsets.UTF_8), 7);
        ended.add(next);

        assertThat(text(next)).isEqualTo("other\n");
        assertThat(next.version(0)).isEqualTo(7);
    }

    @Test
    void shouldStayValidUntilItsLastUserHasReleasedIt() {
        Frame first = builder.frame(new FrameFormat(Framing.PLAIN, JSON), "one\n".getBytes(StandardCharsets.UTF_8), 1);
        first.retain();
        first.release();
        Frame second = builder.frame(new FrameFormat(Framing.PLAIN, JSON), "two\n".getBytes(StandardCharsets.UTF_8), 2);

        assertThat(text(first)).isEqualTo("one\n");
        assertThat(text(second)).isEqualTo("two\n");
        first.release();
        assertThat(text(second)).isEqualTo("two\n");
        assertThat(first.bytes()).isNull();
        second.release();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 125, 126, 65_535, 65_536, 200_000})
    void shouldPutTheLengthBeforeEveryBinaryLine(int length) {
        byte[] message = new byte[length];
        Arrays.fill(message, (byte) 'x');
        ByteBuffer lengthAndMessage =
                ByteBuffer.allocate(4 + length).putInt(length).put(message);

        Frame plain = builder.frame(new FrameFormat(Framing.PLAIN, BINARY), message, 0);
        ended.add(plain);
        assertThat(bytes(plain)).isEqualTo(lengthAndMessage.array());

        Frame chunked = builder.frame(new FrameFormat(Framing.CHUNKED, BINARY), message, 0);
        ended.add(chunked);
        byte[] size = (Integer.toHexString(4 + length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        assertThat(bytes(chunked))
                .isEqualTo(ByteBuffer.allocate(size.length + 4 + length + 2)
                        .put(size)
                        .put(lengthAndMessage.array())
                        .put((byte) '\r')
                        .put((byte) '\n')
                        .array());
    }

    @Test
    void shouldSendABinaryLineAsABinaryMessageOfItsOwn() {
        byte[] message = {1, 2, 3};
        Frame frame = builder.frame(new FrameFormat(Framing.WEBSOCKET, BINARY), message, 0);
        ended.add(frame);

        assertThat(bytes(frame)).containsExactly(0x82, 3, 1, 2, 3);
    }

    @Test
    void shouldKeepTheRestOfALargeBinaryLineWhole() {
        byte[] message = new byte[3 * FrameBuilder.UNIT_BYTES];
        new Random(4).nextBytes(message);
        Frame frame = builder.frame(new FrameFormat(Framing.CHUNKED, BINARY), message, 0);
        ended.add(frame);

        byte[] all = bytes(frame);
        for (int offset : new int[] {0, 1, 7, 8, 12, all.length - 3}) {
            assertThat(drain(frame.rest(0, offset), 1000)).isEqualTo(Arrays.copyOfRange(all, offset, all.length));
        }
    }

    private void begin(Framing framing) {
        builder.begin(new FrameFormat(framing, JSON), 100);
        lines.clear();
    }

    private void add(EventType type, String name, long own, long shown, int size) {
        Line line = line(type, name, own, shown, size);
        builder.add(line);
        String json = new String(line.source().bytes(), StandardCharsets.UTF_8);
        lines.add("{\"type\":\"" + type + "\",\"object\":"
                + json.replace("\"resourceVersion\":\"" + own + "\"", "\"resourceVersion\":\"" + shown + "\"") + "}\n");
    }

    private Line line(EventType type, String name, long own, long shown, int size) {
        String head = "{\"metadata\":{\"name\":\"" + name + "\",\"resourceVersion\":\"";
        String json = head + own + "\"},\"pad\":\"" + "x".repeat(Math.max(0, size - head.length() - 30)) + "\"}";
        StoredObject object = new StoredObject(
                new ObjectKey("ns", name),
                "uid",
                own,
                Labels.EMPTY,
                null,
                json.getBytes(StandardCharsets.UTF_8),
                head.getBytes(StandardCharsets.UTF_8).length,
                Long.toString(own).length(),
                json.indexOf('{', 1),
                json.getBytes(StandardCharsets.UTF_8).length
                        - json.substring(json.indexOf('}') + 1).length()
                        - json.indexOf('{', 1));
        return new Line(type, object, shown, lines.size() + 1);
    }

    private static byte[] drain(Rest rest, int most) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteBuf next;
        while ((next = rest.next(ByteBufAllocator.DEFAULT, most)) != null) {
            assertThat(next.readableBytes()).isBetween(1, most);
            byte[] bytes = new byte[next.readableBytes()];
            next.readBytes(bytes);
            next.release();
            out.writeBytes(bytes);
        }
        return out.toByteArray();
    }

    private static byte[] bytes(Frame frame) {
        byte[] bytes = new byte[frame.bytes().readableBytes()];
        frame.bytes().getBytes(0, bytes);
        return bytes;
    }

    private static String text(Frame frame) {
        return new String(bytes(frame), StandardCharsets.UTF_8);
    }

    private static List<String> parsed(Framing framing, byte[] bytes) {
        List<String> parsed = new ArrayList<>();
        int at = 0;
        while (at < bytes.length) {
            int length;
            switch (framing) {
                case CHUNKED -> {
                    int end = at;
                    while (bytes[end] != '\r') {
                        end++;
                    }
                    length = Integer.parseInt(new String(bytes, at, end - at, StandardCharsets.US_ASCII), 16);
                    at = end + 2;
                    assertThat(length)
                            .as("a chunk of nothing would end the body")
                            .isPositive();
                }
                case WEBSOCKET -> {
                    assertThat(bytes[at]).isEqualTo((byte) 0x81);
                    length = bytes[at + 1];
                    assertThat(length).as("unmasked").isBetween(0, 127);
                    at += 2;
                    int extended = length == 126 ? 2 : length == 127 ? 8 : 0;
                    if (extended > 0) {
                        length = new java.math.BigInteger(1, Arrays.copyOfRange(bytes, at, at + extended))
                                .intValueExact();
                        at += extended;
                    }
                }
                default -> length = bytes.length;
            }
            List<String> here = new String(bytes, at, length, StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line + "\n")
                    .toList();
            if (framing != Framing.PLAIN) {
                assertThat(here).as("one line a chunk or message").hasSize(1);
            }
            parsed.addAll(here);
            at += length;
            if (framing == Framing.CHUNKED) {
                assertThat(new String(bytes, at, 2, StandardCharsets.US_ASCII)).isEqualTo("\r\n");
                at += 2;
            }
        }
        return parsed;
    }
}
