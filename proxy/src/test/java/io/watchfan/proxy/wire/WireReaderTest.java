package io.watchfan.proxy.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.watchfan.proxy.testing.Messages;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The wire format, against protobuf's own implementation. */
class WireReaderTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, 1L << 35, Long.MAX_VALUE, -1})
    void shouldReadAndWriteNumbersOfAnySize(long number) throws Exception {
        byte[] wanted = UnknownFieldSet.newBuilder()
                .addField(
                        5, UnknownFieldSet.Field.newBuilder().addVarint(number).build())
                .build()
                .toByteArray();
        assertThat(new WireWriter().number(5, number).toBytes()).isEqualTo(wanted);
        WireReader reader = reader(wanted);
        assertThat(reader.next()).isEqualTo(5);
        assertThat(reader.isVarint()).isTrue();
        assertThat(reader.varint()).isEqualTo(number);
        assertThat(reader.hasNext()).isFalse();
        if (number >= 0) {
            assertThat(WireWriter.sizeOf(number)).isEqualTo(wanted.length - 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 127, 128, 300, 20_000})
    void shouldReadAndWriteTextsAndMessagesOfAnyLength(int length) throws Exception {
        String text = "é".repeat(length / 2) + "x".repeat(length % 2);
        UnknownFieldSet inner = UnknownFieldSet.newBuilder()
                .addField(
                        16,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8(text))
                                .build())
                .build();
        byte[] wanted = UnknownFieldSet.newBuilder()
                .addField(
                        1,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(inner.toByteString())
                                .build())
                .build()
                .toByteArray();
        assertThat(new WireWriter().message(1, new WireWriter().text(16, text)).toBytes())
                .isEqualTo(wanted);
        assertThat(WireWriter.sizeOfField(inner.getSerializedSize())).isEqualTo(wanted.length);
        WireReader reader = reader(wanted);
        assertThat(reader.next()).isEqualTo(1);
        int outer = reader.enter();
        assertThat(reader.next()).isEqualTo(16);
        assertThat(reader.text()).isEqualTo(text);
        assertThat(reader.hasNext()).isFalse();
        reader.leave(outer);
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void shouldGoPastFieldsOfEveryType() throws Exception {
        byte[] message = UnknownFieldSet.newBuilder()
                .addField(1, UnknownFieldSet.Field.newBuilder().addFixed32(7).build())
                .addField(2, UnknownFieldSet.Field.newBuilder().addFixed64(8).build())
                .addField(3, UnknownFieldSet.Field.newBuilder().addVarint(300).build())
                .addField(
                        4,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8("abc"))
                                .build())
                .addField(5, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build()
                .toByteArray();
        WireReader reader = reader(message);
        for (int field = 1; field <= 5; field++) {
            assertThat(reader.next()).isEqualTo(field);
            reader.skip();
        }
        assertThat(reader.hasNext()).isFalse();
    }

    @Test
    void shouldNeverReadOutsideOfTheMessageWhateverTheBytesSay() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(24)];
            random.nextBytes(bytes);
            // What lies around is poison: the end of a number, or a field that is complete.
            byte[] around = new byte[bytes.length + 40];
            Arrays.fill(around, (byte) 1);
            System.arraycopy(bytes, 0, around, 20, bytes.length);
            WireReader reader = new WireReader();
            reader.open(around, 20, bytes.length);
            try {
                while (reader.hasNext()) {
                    reader.next();
                    reader.skip();
                    assertThat(reader.position()).as("seed %d", seed).isLessThanOrEqualTo(20 + bytes.length);
                }
            } catch (WireFormatException e) {
                assertThat(reader.position()).as("seed %d", seed).isLessThanOrEqualTo(20 + bytes.length);
            }
        }
    }

    @Test
    void shouldRefuseWhatEndsEarly() {
        byte[] whole = new WireWriter().text(1, "abc").number(2, 300).toBytes();
        for (int length : new int[] {1, 2, 4, 6, 7}) {
            WireReader reader = new WireReader();
            reader.open(whole, 0, length);
            assertThatThrownBy(() -> {
                        while (reader.hasNext()) {
                            reader.next();
                            reader.skip();
                        }
                    })
                    .as("%d bytes", length)
                    .isInstanceOf(WireFormatException.class);
        }
    }

    @Test
    void shouldRefuseNumbersOfFieldsAndTypesThatCannotBe() {
        for (byte[] message : new byte[][] {{0, 0}, {0x0b, 0}, {0x0f, 0}, {(byte) 0xfa, -1, -1, -1, -1, 1, 0}}) {
            WireReader reader = reader(message);
            assertThatThrownBy(() -> {
                        reader.next();
                        reader.skip();
                    })
                    .isInstanceOf(WireFormatException.class);
        }
        WireReader endless = reader(new byte[] {8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1});
        assertThatThrownBy(() -> {
                    endless.next();
                    endless.varint();
                })
                .isInstanceOf(WireFormatException.class);
    }

    @Test
    void shouldPutMessagesIntoEnvelopesAndTakeThemOut() throws Exception {
        for (int length : new int[] {0, 1, 127, 128, 70_000}) {
            byte[] message = new byte[length];
            Arrays.fill(message, (byte) 9);
            byte[] wanted = Messages.envelope("apps/v1", "Deployment", ByteString.copyFrom(message));
            Envelope envelope = new Envelope("apps/v1", "Deployment");
            assertThat(envelope.around(message)).isEqualTo(wanted);
            assertThat(envelope.length(length)).isEqualTo(wanted.length);
            Envelope.Content content = Envelope.open(wanted, 0, wanted.length);
            assertThat(content.apiVersion()).isEqualTo("apps/v1");
            assertThat(content.kind()).isEqualTo("Deployment");
            assertThat(Arrays.copyOfRange(wanted, content.offset(), content.offset() + content.length()))
                    .isEqualTo(message);
        }
        assertThatThrownBy(() -> Envelope.open(new byte[] {'k', '8', 's', 1, 18, 0}, 0, 6))
                .isInstanceOf(WireFormatException.class);
        assertThatThrownBy(() -> Envelope.open(new byte[] {'k', '8', 's', 0, 26, 0}, 0, 6))
                .isInstanceOf(WireFormatException.class);
        assertThatThrownBy(() -> Envelope.open(new byte[] {'k', '8'}, 0, 2)).isInstanceOf(WireFormatException.class);
    }

    private static WireReader reader(byte[] message) {
        WireReader reader = new WireReader();
        reader.open(message, 0, message.length);
        return reader;
    }
}
