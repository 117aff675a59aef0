package io.watchfan.loadtest.swarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ResponseDecoderTest {

    private static final class Recording implements ResponseDecoder.Listener {
        final StringBuilder text = new StringBuilder();

        @Override
        public void onHead(int status) {
            text.append(status).append('|');
        }

        @Override
        public void onBody(byte[] bytes, int from, int to) {
            text.append(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
        }

        @Override
        public void onEnd() {
            text.append("|end");
        }
    }

    /** What is heard of a response, which must not depend on where it is split in three. */
    private static String decode(String response) {
        byte[] bytes = response.getBytes(StandardCharsets.ISO_8859_1);
        String expected = null;
        for (int i = 0; i <= bytes.length; i++) {
            for (int j = i; j <= bytes.length; j++) {
                Recording recording = new Recording();
                ResponseDecoder decoder = new ResponseDecoder(recording);
                decoder.feed(bytes, 0, i);
                decoder.feed(bytes, i, j);
                decoder.feed(bytes, j, bytes.length);
                String heard = recording.text.toString();
                expected = expected == null ? heard : expected;
                assertThat(heard).as("split at %d and %d", i, j).isEqualTo(expected);
                assertThat(decoder.isDone()).isEqualTo(heard.endsWith("|end"));
            }
        }
        return expected;
    }

    @Test
    void shouldReadAChunkedBody() {
        assertThat(decode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\nab\r\nc\r\n1F;x=1\r\n0123456789012345678901234567890\r\n0\r\n\r\n"))
                .isEqualTo("200|ab\r\nc0123456789012345678901234567890|end");
    }

    @Test
    void shouldSkipTrailers() {
        assertThat(decode(
                        "HTTP/1.1 200 OK\r\ntransfer-encoding:chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\nZ: w\r\n\r\nrest"))
                .isEqualTo("200|a|end");
    }

    @Test
    void shouldReadABodyOfKnownLength() {
        assertThat(decode("HTTP/1.1 410 Gone\r\nContent-Length: 4\r\nX: y\r\n\r\ngone"))
                .isEqualTo("410|gone|end");
        assertThat(decode("HTTP/1.1 204 None\r\nContent-Length: 0\r\n\r\n")).isEqualTo("204||end");
    }

    @Test
    void shouldReadUpToTheEndOfTheConnectionWithoutALength() {
        assertThat(decode("HTTP/1.0 200 OK\r\nX: y\r\n\r\nsome")).isEqualTo("200|some");
    }

    @Test
    void shouldRefuseWhatIsNoHttp() {
        assertThatThrownBy(() -> decode("SSH-2.0-x\r\n\r\n")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> decode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> decode("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"))
                .isInstanceOf(IllegalStateException.class);
    }
}
