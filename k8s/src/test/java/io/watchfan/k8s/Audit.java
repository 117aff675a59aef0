package io.watchfan.k8s;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the API server was asked to list and watch, by its own audit log, from where this was made. The log is written before
 * a request is worked on, and again when it has been answered.
 */
final class Audit {
    /** The resources whose lists and watches are logged, all of the core group. */
    private static final String POLICY = """
            apiVersion: audit.k8s.io/v1
            kind: Policy
            omitStages: [ResponseStarted, Panic]
            rules:
            - level: Metadata
              verbs: [list, watch]
              resources: [{group: "", resources: [configmaps, pods]}]
            - level: None
            """;

    private static final String LOG = "audit.log";

    private final Path log;
    private final long start;

    private Audit(Path log, long start) {
        this.log = log;
        this.start = start;
    }

    /**
     * A list or watch.
     *
     * @param verb {@code list} or {@code watch}
     * @param uri path and query
     * @param userAgent empty for what a proxy asks for itself
     * @param received when it came
     * @param done when its answer was over; null when it was not yet
     */
    record Request(String verb, String uri, String userAgent, Instant received, Instant done) {
        /** Whether a proxy asked for its own feeds. */
        boolean isOfFeed() {
            return userAgent.isEmpty();
        }

        boolean isOf(String path) {
            return uri.equals(path) || uri.startsWith(path + "?");
        }
    }

    /** Flags of kube-apiserver for an audit log in this folder. */
    static List<String> flags(Path dir) throws IOException {
        Path policy = Files.writeString(dir.resolve("audit-policy.yaml"), POLICY);
        return List.of("--audit-policy-file=" + policy, "--audit-log-path=" + dir.resolve(LOG));
    }

    /** What is asked from now on. */
    static Audit from(Path dir) throws IOException {
        Path log = dir.resolve(LOG);
        return new Audit(log, Files.exists(log) ? Files.size(log) : 0);
    }

    /** All lists and watches so far of a collection that a proxy asked for its feed of it. */
    List<Request> ofFeed(String path) throws IOException {
        return requests().stream()
                .filter(request -> request.isOfFeed() && request.isOf(path))
                .toList();
    }

    /** All lists and watches so far, in the order in which they came. */
    List<Request> requests() throws IOException {
        Map<String, Request> requests = new LinkedHashMap<>();
        for (String line : lines()) {
            JsonNode event = Json.read(line);
            boolean done = event.path("stage").asText().equals("ResponseComplete");
            String id =
                    event.path("auditID").asText() + event.path("requestURI").asText();
            if (done && !requests.containsKey(id)) {
                // It came before.
                continue;
            }
            requests.put(
                    id,
                    new Request(
                            event.path("verb").asText(),
                            event.path("requestURI").asText(),
                            event.path("userAgent").asText(),
                            Instant.parse(event.path("requestReceivedTimestamp").asText()),
                            done ? Instant.parse(event.path("stageTimestamp").asText()) : null));
        }
        return new ArrayList<>(requests.values());
    }

    private List<String> lines() throws IOException {
        if (!Files.exists(log)) {
            return List.of();
        }
        byte[] bytes;
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(start);
            bytes = new byte[Math.toIntExact(file.length() - start)];
            file.readFully(bytes);
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        // The last line may be half written.
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }
}
