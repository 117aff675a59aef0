package io.watchfan.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.watchfan.fanout.event.ObjectKey;
import io.watchfan.fanout.event.StoredObject;
import io.watchfan.fanout.group.Line;
import io.watchfan.fanout.selector.Labels;
import io.watchfan.proxy.representation.Representations;
import io.watchfan.proxy.request.GroupVersionResource;
import io.watchfan.proxy.testing.GzipMembers;
import io.watchfan.proxy.testing.ProxyFixture;
import io.watchfan.proxy.upstream.ApiResource;
import io.watchfan.proxy.upstream.ObjectEncoding;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames of gzip members (W-127): each unit is one, and has the lines that it would have otherwise. */
class CompressedFramesTest {
    private static final ApiResource RESOURCE =
            new ApiResource(new GroupVersionResource("", "v1", "things"), "Thing", true, Set.of());
    private static final LineFormat JSON = new Representations(RESOURCE, ObjectEncoding.JSON).whole();
    private static final LineFormat BINARY = new Representations(RESOURCE, ObjectEncoding.PROTOBUF).whole();

    private final long seed = new Random().nextLong();
    private final Random random = new Random(seed);
    private final Gzip gzip = new Gzip();
    private final FrameBuilder builder = new FrameBuilder(gzip);
    private final List<Frame> frames = new ArrayList<>();

    @AfterEach
    void close() {
        frames.forEach(Frame::release);
        gzip.close();
    }

    private Frame frame(Framing framing, boolean binary, boolean compressed, List<Line> lines) {
        Frame frame = builder.frame(new FrameFormat(framing, binary ? BINARY : JSON, compressed), lines);
        frames.add(frame);
        return frame;
    }

    /** A line whose object has about so many bytes, which shrink or do not. */
    private Line line(int size) {
        String head = "{\"metadata\":{\"resourceVersion\":\"7\"},\"pad\":\"";
        StringBuilder json = new StringBuilder(head);
        boolean shrinks = random.nextBoolean();
        for (int i = 0; i < size; i++) {
            json.append(shrinks ? 'x' : (char) ('a' + random.nextInt(26)));
        }
        byte[] bytes = json.append("\"}").toString().getBytes(StandardCharsets.UTF_8);
        return Line.initial(new StoredObject(
                new ObjectKey("a", "b"), "", 7, Labels.EMPTY, null, bytes, head.indexOf('7'), 1, 12, 23));
    }

    private List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        for (int i = 1 + random.nextInt(200); i > 0; i--) {
            lines.add(line(random.nextInt(40) == 0 ? random.nextInt(400_000) : random.nextInt(4000)));
        }
        return lines;
    }

    private static byte[] bytes(Frame frame, int from, int to) {
        byte[] bytes = new byte[to - from];
        frame.bytes().getBytes(from, bytes);
        return bytes;
    }

    /** What is in the one chunk that a unit is. */
    private static byte[] chunk(byte[] unit) {
        int head = 0;
        while (unit[head] != '\r') {
            head++;
        }
        int size = Integer.parseInt(new String(unit, 0, head, StandardCharsets.US_ASCII), 16);
        assertThat(unit.length).isEqualTo(head + 2 + size + 2);
        assertThat(unit).endsWith('\r', '\n');
        return Arrays.copyOfRange(unit, head + 2, head + 2 + size);
    }

    private static byte[] decoded(byte[] member) {
        GzipMembers members = new GzipMembers();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte next : member) {
            all.writeBytes(members.feed(next & 0xff));
        }
        assertThat(members.isBetween()).isTrue();
        assertThat(members.members()).isEqualTo(1);
        return all.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({"CHUNKED,true", "CHUNKED,false", "PLAIN,true", "PLAIN,false"})
    void shouldHaveTheSameLinesInTheSameUnitsAsOneMemberEach(Framing framing, boolean binary) {
        for (int round = 0; round < 20; round++) {
            List<Line> lines = lines();
            Frame plain = frame(Framing.PLAIN, binary, false, lines);
            Frame frame = frame(framing, binary, true, lines);

            assertThat(frame.units()).as("seed %d", seed).isEqualTo(plain.units());
            for (int unit = 0; unit < frame.units(); unit++) {
                byte[] bytes = bytes(frame, frame.start(unit), frame.end(unit));
                assertThat(decoded(framing == Framing.CHUNKED ? chunk(bytes) : bytes))
                        .as("seed %d", seed)
                        .isEqualTo(bytes(plain, plain.start(unit), plain.end(unit)));
                assertThat(frame.linesOf(unit + 1)).isEqualTo(plain.linesOf(unit + 1));
                assertThat(frame.version(unit)).isEqualTo(plain.version(unit));
            }
        }
    }

    @Test
    void shouldKeepExactlyWhatIsLeftOfAUnitOfAnySize() {
        for (int size : new int[] {10, 20_000, 70_000, 150_000, 300_000}) {
            Frame frame = frame(Framing.CHUNKED, false, true, List.of(line(size)));
            byte[] all = bytes(frame, 0, frame.length());
            if (all.length > FrameBuilder.UNIT_BYTES + 100) {
                assertThat(ProxyFixture.field(frame.rest(0, 1), "pieces"))
                        .as("there may be many stuck clients")
                        .isSameAs(ProxyFixture.field(frame.rest(0, 2), "pieces"));
            }
            for (int offset : new int[] {0, 1, 4, 9, all.length / 2, all.length - 3}) {
                Rest rest = frame.rest(0, offset);
                ByteArrayOutputStream left = new ByteArrayOutputStream();
                for (ByteBuf next = rest.next(ByteBufAllocator.DEFAULT, 5000);
                        next != null;
                        next = rest.next(ByteBufAllocator.DEFAULT, 5000)) {
                    byte[] bytes = new byte[next.readableBytes()];
                    next.readBytes(bytes);
                    next.release();
                    left.writeBytes(bytes);
                }
                assertThat(left.toByteArray())
                        .as("seed %d", seed)
                        .isEqualTo(Arrays.copyOfRange(all, offset, all.length));
            }
        }
    }

    /** It would take the loop too long. */
    @Test
    void shouldPutWhatIsVeryLargeIntoItsMemberAsItIs() {
        byte[] large = new byte[Gzip.MOST_COMPRESSED_BYTES + 1];
        byte[] less = new byte[Gzip.MOST_COMPRESSED_BYTES];

        int stored = gzip.member(large, large.length);
        assertThat(decoded(Arrays.copyOf(gzip.lastMember(), stored))).isEqualTo(large);
        assertThat(stored).isBetween(large.length, large.length + 100);
        int deflated = gzip.member(less, less.length);
        assertThat(decoded(Arrays.copyOf(gzip.lastMember(), deflated))).isEqualTo(less);
        assertThat(deflated).isLessThan(less.length / 50);
    }

    @Test
    void shouldBeOfAFormatOfTheirOwnAndNotForWebSockets() {
        assertThat(new FrameFormat(Framing.PLAIN, JSON, true)).isNotEqualTo(new FrameFormat(Framing.PLAIN, JSON));
        assertThatThrownBy(() -> new FrameFormat(Framing.WEBSOCKET, JSON, true))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
