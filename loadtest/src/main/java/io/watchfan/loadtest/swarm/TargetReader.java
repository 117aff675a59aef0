package io.watchfan.loadtest.swarm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Reads from a target what must be known before watchers start. Any thread. */
public final class TargetReader {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Target target;
    private final Duration timeout;

    /** A reader that waits this long for each answer. */
    public TargetReader(Target target, Duration timeout) {
        this.target = target;
        this.timeout = timeout;
    }

    /** The version of the collection now, from which a watch misses nothing. */
    public long currentVersion() throws IOException, InterruptedException {
        JsonNode list = list(target.collection() + "?limit=1");
        String version = list.at("/metadata/resourceVersion").asText();
        try {
            return Long.parseLong(version);
        } catch (NumberFormatException e) {
            throw new IOException(
                    "the list of " + target.collection() + " has no usable resourceVersion: " + version, e);
        }
    }

    /** The names of at most so many objects of a collection. */
    public List<String> names(String collection, int most) throws IOException, InterruptedException {
        List<String> names = new ArrayList<>();
        list(collection + "?limit=" + most)
                .path("items")
                .forEach(item -> names.add(item.at("/metadata/name").asText()));
        return names;
    }

    private JsonNode list(String pathAndQuery) throws IOException, InterruptedException {
        HttpGet.Answer answer = HttpGet.get(target, pathAndQuery, timeout);
        if (answer.status() != 200) {
            throw new IOException("GET " + pathAndQuery + " was answered with " + answer.status() + ": "
                    + answer.body()
                            .substring(0, Math.min(answer.body().length(), 300))
                            .strip());
        }
        try {
            return MAPPER.readTree(answer.body());
        } catch (JsonProcessingException e) {
            throw new IOException("GET " + pathAndQuery + " was not answered with JSON: " + e.getOriginalMessage(), e);
        }
    }
}
