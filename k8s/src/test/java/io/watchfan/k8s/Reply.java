package io.watchfan.k8s;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;

/**
 * A whole answer, as far as it is compared.
 *
 * @param headers those that are compared, and there
 * @param body as it is once decompressed
 */
record Reply(int status, Map<String, String> headers, byte[] body) {
    /** Others are of the connection (W-082, W-088), of the request (W-083) or of the API server's own queues (W-085). */
    private static final List<String> COMPARED = List.of(
            "Content-Type",
            "Content-Encoding",
            "Cache-Control",
            "Vary",
            "Warning",
            "Retry-After",
            "Allow",
            "Location",
            "X-Content-Type-Options");

    /** What has been recorded. */
    static Reply of(Recording recording) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : COMPARED) {
            String value = recording.header(name);
            if (!value.isEmpty()) {
                headers.put(name, value);
            }
        }
        byte[] body = recording.body();
        if (headers.getOrDefault("Content-Encoding", "").equals("gzip") && body.length > 0) {
            try (GZIPInputStream zipped = new GZIPInputStream(new ByteArrayInputStream(body))) {
                body = zipped.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException("no gzip", e);
            }
        }
        return new Reply(recording.status(), headers, body);
    }

    String contentType() {
        return headers.getOrDefault("Content-Type", "");
    }

    String text() {
        return new String(body, StandardCharsets.ISO_8859_1);
    }
}
