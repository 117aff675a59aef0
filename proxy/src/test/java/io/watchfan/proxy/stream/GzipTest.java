package io.watchfan.proxy.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Members of segments, as any decoder reads them. */
class GzipTest {
    private final Gzip gzip = new Gzip();

    @AfterEach
    void close() {
        gzip.close();
    }

    private static byte[] decoded(byte[] member) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(member))) {
            return in.readAllBytes();
        }
    }

    /** Random bytes do not shrink, runs shrink to nearly nothing; of both, all sizes around the buffer's. */
    @Test
    void shouldGiveWhatWentInHoweverItWasCut() throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            ByteArrayOutputStream plain = new ByteArrayOutputStream();
            ByteArrayOutputStream member = new ByteArrayOutputStream();
            CRC32 crc = new CRC32();
            member.writeBytes(Gzip.header());
            for (int segments = random.nextInt(5); segments > 0; segments--) {
                int size = random.nextBoolean() ? random.nextInt(100) : (32 << 10) - 50 + random.nextInt(100);
                byte[] bytes = new byte[size + 7];
                if (random.nextBoolean()) {
                    random.nextBytes(bytes);
                }
                member.writeBytes(gzip.segment(bytes, 7, size));
                plain.write(bytes, 7, size);
                crc.update(bytes, 7, size);
            }
            member.writeBytes(Gzip.trailer(crc.getValue(), plain.size()));

            assertThat(decoded(member.toByteArray())).as("seed %d", seed).isEqualTo(plain.toByteArray());
        }
    }

    @Test
    void shouldMakeTheSameSegmentWhateverItMadeBefore() {
        byte[] bytes = "{\"kind\":\"Pod\"}".repeat(5000).getBytes(java.nio.charset.StandardCharsets.UTF_8);
        byte[] first = gzip.segment(bytes, 0, bytes.length);
        gzip.segment(Arrays.copyOf(bytes, 900), 0, 900);

        assertThat(gzip.segment(bytes, 0, bytes.length)).isEqualTo(first).hasSizeLessThan(2000);
    }

    @Test
    void shouldHaveNothingForNothing() {
        assertThat(gzip.segment(new byte[3], 1, 0)).isEmpty();
    }
}
